# sno: the ID of the Go library sno.
#
#     4 ms since 2010: 39 bits   tick: 1 bit   meta: 8 bits   partition: 16 bits   sequence: 16 bits
require_relative 'type'

module PgKid
  module Ids
    # sno
    class Sno < TextType
      include Counts

      EPOCH = 1_262_304_000_000_000

      def initialize
        super('sno', alphabet: '23456789abcdefghijklmnopqrstuvwx', bits: 80, size: 10, lower_bits: 41,
              times: EPOCH...EPOCH + (unit << 39))
      end

      private

      def unit
        4000
      end

      def parts_of(number)
        { tick: field(number, 40, 1) == 1, meta: field(number, 32, 8), partition: field(number, 16, 16),
          sequence: field(number, 0, 16) }
      end
    end
  end
end
