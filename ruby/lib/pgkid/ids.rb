# IDs of kid without a server: as text, numbers, bytes, base32 and times.
#
#     PgKid::Kid64.time('.6.nef3Mk.3')    # => 2026-11-21 05:51:45.09728 UTC
#
# ids/type.rb     what all types have
# ids/digits.rb   numbers as texts whose digits are in order
# ids/times.rb    microseconds since 1970
# ids/uid.rb      kid64 and kid96
# ids/sno.rb, ids/flax.rb, ids/flake.rb, ids/kid53.rb, ids/uuidv7.rb
require_relative 'ids/flake'
require_relative 'ids/flax'
require_relative 'ids/kid53'
require_relative 'ids/sno'
require_relative 'ids/uid'
require_relative 'ids/uuidv7'

module PgKid
  # How IDs of the default settings of a server are laid out.
  Kid64 = Ids::Kid64.new
  Kid96 = Ids::Kid96.new
  Sno = Ids::Sno.new
  Flake = Ids::Flake.new
  Flax = Ids::Flax.new
  Kid53 = Ids::Kid53.new
  UuidV7 = Ids::UuidV7.new

  # Returns the type kid96 for another kid.neighborhood than 8: 0 to 10 bits. It is not in the ID.
  def self.kid96(neighborhood:)
    Ids::Kid96.new(neighborhood)
  end

  # Returns the type flake for another kid.flake_epoch than 1970: a Time. It is not in the ID.
  def self.flake(epoch:)
    Ids::Flake.new(Ids::Times.micros(epoch))
  end
end
