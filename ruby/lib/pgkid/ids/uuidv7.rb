# uuidv7: UUID version 7 of RFC 9562, with its method 3. The type takes every UUID. Only one of version 7 has a time.
#
#     ms since 1970: 48 bits   7: 4 bits   fraction: 12 bits   2: 2 bits   count: 4 bits   random: 58 bits
require_relative 'type'

module PgKid
  module Ids
    # uuidv7. An ID is a String in lower case, as the database returns it.
    class UuidV7 < Type
      TEXT = /\A\h{8}-\h{4}-\h{4}-\h{4}-\h{12}\z/.freeze
      MARKS = 7 << 76 | 2 << 62
      ALL_MARKS = 15 << 76 | 3 << 62

      def initialize
        super('uuid', bits: 128, size: 16, lower_bits: 80, times: 0...1000 << 48)
        @lower &= ~ALL_MARKS
      end

      # Returns when the millisecond of a UUID begins, or nil if it is of another version.
      def time(id)
        micros = micros(id)
        micros && Times.time(micros)
      end

      private

      def number_in(value)
        text_to_number(value) if ascii?(value) && !value.match?(/[A-F]/)
      end

      def text_to_number(text)
        text.delete('-').hex if TEXT.match?(text)
      end

      def id_of(number)
        format('%032x', number).sub(/(.{8})(.{4})(.{4})(.{4})/, '\1-\2-\3-\4-')
      end

      def lowest(micros)
        micros / 1000 << 80 | MARKS
      end

      def least
        MARKS
      end

      def greatest
        ((1 << 128) - 1) & ~ALL_MARKS | MARKS
      end

      def micros_of(number)
        (number >> 80) * 1000 if number & ALL_MARKS == MARKS
      end

      def parts_of(number)
        { version: field(number, 76, 4), fraction: field(number, 64, 12), variant: field(number, 62, 2),
          count: field(number, 58, 4), random: field(number, 0, 58) }
      end
    end
  end
end
