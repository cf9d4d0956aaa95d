# kid64 with ActiveRecord: attributes, migrations, schema.rb, and fixtures.
require 'active_record/connection_adapters/postgresql_adapter'
require 'active_record/fixtures'

module PgKid
  # An ID is a String. As with a uuid, what is not an ID becomes nil. No row has that, so find() raises RecordNotFound.
  class Type < ActiveRecord::Type::Value
    def type
      :kid64
    end

    alias serialize deserialize

    def cast_value(value)
      raise ArgumentError, 'compare an ID with a time by "id >= ?::timestamptz"' if value.acts_like?(:time)
      value.to_s[/\A[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]\z/]
    end
  end

  module Adapter
    def initialize_type_map(map = type_map)
      # Before super, which makes the types of arrays from those that it knows.
      map.register_type('kid64', Type.new)
      super
    end
  end

  # As Rails does for a uuid. So neither create_table nor what generators write needs a default.
  module PrimaryKey
    def primary_key(name, type = :primary_key, **options)
      options[:default] = options.fetch(:default) { -> { 'kid_next()' } } if type == :kid64
      super
    end
  end

  # A fixture without an id gets one that is made of its label. It tells a time in 1970.
  module Fixtures
    DIGITS = ['.', *'0'..'9', *'A'..'Z', '_', *'a'..'z'].freeze

    def identify(label, column_type = :integer)
      return super unless column_type == :kid64
      bits = super(label) << 2
      10.downto(0).map { |digit| DIGITS[bits >> 6 * digit & 63] }.join
    end
  end
end

postgresql = ActiveRecord::ConnectionAdapters::PostgreSQL
ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.prepend(PgKid::Adapter)
ActiveRecord::ConnectionAdapters::PostgreSQLAdapter::NATIVE_DATABASE_TYPES[:kid64] = { name: 'kid64' }
[postgresql::TableDefinition, postgresql::Table].each do |table|
  table.prepend(PgKid::PrimaryKey)
  # schema.rb calls t.kid64.
  table.send(:define_column_methods, :kid64)
end
ActiveRecord::FixtureSet.singleton_class.prepend(PgKid::Fixtures)
