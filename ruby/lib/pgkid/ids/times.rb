require 'date'

module PgKid
  module Ids
    # Times as IDs count them: microseconds since 1970, UTC.
    module Times
      # Before all times of IDs, and after them.
      ENDS = { -Float::INFINITY => -1 << 127, Float::INFINITY => 1 << 127 }.freeze

      module_function

      # Returns the microseconds since 1970 of a Time, a DateTime, or a time of ActiveSupport. An Integer is such a
      # count already. -Float::INFINITY and Float::INFINITY are before and after all times. A Date is ambiguous.
      def micros(time)
        return time if time.is_a?(Integer)
        return ENDS[time] if time.is_a?(Float) && ENDS.key?(time)
        raise ArgumentError, "not a time: #{time.inspect}" unless time.respond_to?(:to_time) && time.respond_to?(:hour)
        (time.to_time.to_r * 1_000_000).floor
      end

      # Returns the Time that is so many microseconds after 1970.
      def time(micros)
        Time.at(0, micros, :microsecond).utc
      end
    end
  end
end
