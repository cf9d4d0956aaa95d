module PgKid
  module Ids
    # Texts of numbers with a fixed count of digits, most significant first. If the digits have more bits than the
    # numbers, the rest is 0, and precedes the number or follows it.
    class Digits
      # `alphabet` has the digits in order. `bits` is how many bits the numbers have.
      def initialize(alphabet, bits, pads_at_end:, any_case: false)
        @digits = alphabet.chars
        @values = @digits.each_with_index.to_h
        @values = @values.merge(@values.transform_keys(&:upcase)) if any_case
        width = @digits.size.bit_length - 1
        @length = (bits + width - 1) / width
        @padding = pads_at_end ? @length * width - bits : 0
        freeze
      end

      # Returns the text of a number.
      def text(number)
        values = (number << @padding).digits(@digits.size)
        values.fill(0, values.size...@length)
        @digits.values_at(*values.reverse).join
      end

      # Returns the number of a text, or nil. It can have bits before those of numbers.
      def number(text)
        return unless text.size == @length
        values = @values.values_at(*text.chars)
        return if values.include?(nil)
        padded = values.reduce(0) { |number, value| number * @digits.size + value }
        number = padded >> @padding
        number if number << @padding == padded
      end
    end
  end
end
