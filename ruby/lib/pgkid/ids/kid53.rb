# kid53: numbers for a bigint column which JavaScript represents exactly.
#
#     ms since 2020: 41 bits   sequence: 12 bits
require_relative 'type'

module PgKid
  module Ids
    # kid53
    class Kid53 < NumberType
      include Counts

      EPOCH = 1_577_836_800_000_000

      def initialize
        super('kid53', bits: 53, size: 8, lower_bits: 12, times: EPOCH...EPOCH + (unit << 41))
      end

      private

      def parts_of(number)
        { sequence: field(number, 0, 12) }
      end
    end
  end
end
