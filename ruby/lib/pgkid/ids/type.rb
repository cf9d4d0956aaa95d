require_relative 'digits'
require_relative 'times'

module PgKid
  # What is raised for a value that is no ID.
  class InvalidId < ArgumentError
    def initialize(type, value)
      super("invalid input syntax for type #{type}: #{value.inspect}")
    end
  end

  module Ids
    # A type of IDs. An ID is a String or, of flake and kid53, an Integer. IDs of one type sort as in the database. A
    # value that is no ID raises InvalidId.
    #
    # A subclass has the methods lowest(micros) and micros_of(number), of which the first one returns the lowest number
    # of a time unit, and parts_of(number).
    class Type
      PREFIX = /\A(?:[a-z](?:[a-z_]{0,61}[a-z])?)?\z/.freeze

      # The name of the type in the database, the bits of an ID, and the bytes of its binary form.
      attr_reader :name, :bits, :size

      # A type keeps nothing of what it is given, so all threads can share it.
      def self.new(*)
        super.freeze
      end

      # `times` has the instants that an ID can have, and `lower_bits` is how many bits are below the time unit.
      def initialize(name, bits:, size:, lower_bits:, times:)
        @name = name
        @bits = bits
        @size = size
        @lower = (1 << lower_bits) - 1
        @times = times
        @base32 = Digits.new('0123456789abcdefghjkmnpqrstvwxyz', bits, pads_at_end: false, any_case: true)
      end

      # Returns whether a value is an ID.
      def valid?(value)
        !number_in(value).nil?
      end

      # Returns the ID of a text: of each that the server reads.
      def from_text(text)
        from_number(ascii?(text) && text_to_number(text) || refuse(text))
      end

      def to_text(id)
        from_number(to_number(id)).to_s
      end

      # Returns the ID of an unsigned number, or of the signed one of a bigint column.
      def from_number(number)
        refuse(number) unless number.is_a?(Integer)
        unsigned = bits == 64 && number.between?(-1 << 63, -1) ? number + (1 << 64) : number
        refuse(number) unless unsigned >= 0 && unsigned < 1 << bits
        id_of(unsigned)
      end

      # Returns the bits of an ID, as an unsigned number.
      def to_number(id)
        number_in(id) || refuse(id)
      end

      # Returns the ID of a binary form, most significant byte first.
      def from_bytes(bytes)
        refuse(bytes) unless bytes.is_a?(String) && bytes.bytesize == size
        from_number(bytes.unpack1('H*').hex)
      end

      def to_bytes(id)
        [format('%0*x', 2 * size, to_number(id))].pack('H*')
      end

      # Returns an ID in base32 after a prefix, as kid_encode() does in the database.
      def encode(id, prefix = '')
        separated(prefix) + @base32.text(to_number(id))
      end

      # Returns the ID of a text that encode() made with this prefix.
      def decode(text, prefix = '')
        before = separated(prefix)
        refuse(text) unless ascii?(text) && text.start_with?(before)
        from_number(@base32.number(text[before.size..]) || refuse(text))
      end

      # Returns the Time when the time unit of an ID begins.
      def time(id)
        Times.time(micros(id))
      end

      # Returns when it begins, in microseconds since 1970, UTC.
      def micros(id)
        micros_of(to_number(id))
      end

      # Returns the lowest ID of the time unit that contains a time, or the least or the greatest of the type.
      def floor(time)
        bound(time, 0)
      end

      # Returns the highest ID of that time unit.
      def ceil(time)
        bound(time, @lower)
      end

      # Returns -1, 0 or 1, as the database orders two IDs.
      def compare(one, other)
        to_number(one) <=> to_number(other)
      end

      # Returns the components of an ID other than its time.
      def parts(id)
        parts_of(to_number(id))
      end

      private

      # Returns what the text of an ID with this prefix begins with.
      def separated(prefix)
        raise ArgumentError, "invalid prefix: #{prefix.inspect}" unless ascii?(prefix) && PREFIX.match?(prefix)
        prefix.empty? ? '' : "#{prefix}_"
      end

      def ascii?(value)
        value.is_a?(String) && value.ascii_only?
      end

      def refuse(value)
        raise InvalidId.new(name, value)
      end

      def bound(time, lower)
        micros = Times.micros(time)
        return id_of(least) if micros < @times.begin
        id_of(micros >= @times.end ? greatest : lowest(micros) | lower)
      end

      # The IDs for times before and after the range of the type.
      def least
        0
      end

      def greatest
        (1 << bits) - 1
      end

      # Returns some bits of a number.
      def field(number, shift, width)
        number >> shift & (1 << width) - 1
      end
    end

    # A type whose IDs are Strings: texts in an alphabet that is in the order of its characters.
    class TextType < Type
      def initialize(name, alphabet:, **layout)
        super(name, **layout)
        @digits = Digits.new(alphabet, bits, pads_at_end: true)
      end

      private

      def number_in(value)
        text_to_number(value) if ascii?(value)
      end

      def text_to_number(text)
        @digits.number(text)
      end

      def id_of(number)
        @digits.text(number)
      end
    end

    # A type whose IDs are Integers.
    class NumberType < Type
      private

      def number_in(value)
        value if value.is_a?(Integer) && value >= 0 && value < 1 << bits
      end

      def text_to_number(text)
        Integer(text, 10) if /\A(?:0|[1-9][0-9]*)\z/.match?(text)
      end

      def id_of(number)
        number
      end
    end

    # What types have whose uppermost bits count time units from the first instant on.
    module Counts
      private

      def lowest(micros)
        (micros - @times.begin) / unit * (@lower + 1)
      end

      def micros_of(number)
        @times.begin + number / (@lower + 1) * unit
      end

      # How many microseconds a time unit has.
      def unit
        1000
      end
    end
  end
end
