# kid64 and kid96: the local and the global ID of the Erlang library uid. A kid96 is a kid64 with a node inserted into
# its seconds: within 2^neighborhood seconds the node sorts before the time.
#
#     kid64   A: 20 bits, megaseconds   B: 20 bits, seconds   C: 10 bits, 1.024 ms   sequence: 14 bits
#     kid96   A   B, its upper 20 - I bits   node: 32 bits   B, its I lowest bits   C   sequence
require_relative 'type'

module PgKid
  module Ids
    # What both have.
    class Uid < TextType
      ALPHABET = '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'.freeze
      MILLION = 1_000_000
      TIMES = (0...(1 << 20) * MILLION * MILLION).freeze

      private

      # Returns the lowest kid64 of a time unit.
      def lowest_local(micros)
        seconds, rest = micros.divmod(MILLION)
        seconds / MILLION << 44 | seconds % MILLION << 24 | rest >> 10 << 14
      end

      # Returns the time of a kid64.
      def micros_of_local(local)
        (field(local, 44, 20) * MILLION + field(local, 24, 20)) * MILLION + (field(local, 14, 10) << 10)
      end
    end

    # kid64
    class Kid64 < Uid
      def initialize
        super('kid64', alphabet: ALPHABET, bits: 64, size: 8, lower_bits: 14, times: TIMES)
      end

      private

      alias lowest lowest_local
      alias micros_of micros_of_local

      def parts_of(number)
        { sequence: field(number, 0, 14) }
      end
    end

    # kid96. Its order is coarse: floor() and ceil() are the bounds of the 2^neighborhood seconds that contain a time.
    class Kid96 < Uid
      def initialize(neighborhood = 8)
        unless neighborhood.is_a?(Integer) && neighborhood.between?(0, 10)
          raise ArgumentError, "invalid neighborhood: #{neighborhood.inspect}"
        end
        @shift = 24 + neighborhood
        super('kid96', alphabet: ALPHABET, bits: 96, size: 12, lower_bits: @shift + 32, times: TIMES)
      end

      # Returns the kid64 in an ID, without the node.
      def local(id)
        Kid64.new.from_number(local_of(to_number(id)))
      end

      private

      def local_of(number)
        number >> @shift + 32 << @shift | field(number, 0, @shift)
      end

      def lowest(micros)
        lowest_local(micros) >> @shift << @shift + 32
      end

      def micros_of(number)
        micros_of_local(local_of(number))
      end

      def parts_of(number)
        { node: field(number, @shift, 32), sequence: field(number, 0, 14) }
      end
    end
  end
end
