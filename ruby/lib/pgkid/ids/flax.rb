# flax: the ID of the Python library Flax ID.
#
#     ms since 2015: 40 bits   random: 56 bits
require_relative 'type'

module PgKid
  module Ids
    # flax
    class Flax < TextType
      include Counts

      ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'.freeze
      EPOCH = 1_420_070_400_000_000

      def initialize
        super('flax', alphabet: ALPHABET, bits: 96, size: 12, lower_bits: 56, times: EPOCH...EPOCH + (unit << 40))
      end

      private

      def parts_of(number)
        { random: field(number, 0, 56) }
      end
    end
  end
end
