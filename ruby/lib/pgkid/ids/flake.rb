# flake: the ID of the Node library flake-idgen.
#
#     ms since the epoch: 42 bits   datacenter: 5 bits   worker: 5 bits   sequence: 12 bits
require_relative 'type'

module PgKid
  module Ids
    # flake
    class Flake < NumberType
      include Counts

      # The epoch is in microseconds since 1970: a whole millisecond, 1970 or later.
      def initialize(epoch = 0)
        unless (epoch % 1000).zero? && epoch >= 0 && epoch < 1000 << 42
          raise ArgumentError, "invalid epoch: #{epoch.inspect}"
        end
        super('flake', bits: 64, size: 8, lower_bits: 22, times: epoch...epoch + (unit << 42))
      end

      private

      def text_to_number(text)
        /\A0[xX][0-9a-fA-F]+\z/.match?(text) ? text.hex : super
      end

      def parts_of(number)
        { datacenter: field(number, 17, 5), worker: field(number, 12, 5), sequence: field(number, 0, 12) }
      end
    end
  end
end
