# kid's types with ActiveRecord: attributes, migrations, schema.rb, and fixtures.
require 'active_record/connection_adapters/postgresql_adapter'
require 'active_record/fixtures'
require_relative 'ids'

module PgKid
  # The types that the extension adds. A kid53 is a bigint and a UUID a uuid, which Rails knows.
  COLUMNS = [Kid64, Kid96, Sno, Flake, Flax].to_h { |ids| [ids.name.to_sym, ids] }.freeze

  # An ID is a String, and a flake an Integer. As with a uuid, what is not an ID becomes nil. No row has that, so find()
  # raises RecordNotFound.
  class Type < ActiveRecord::Type::Value
    def initialize(ids)
      @ids = ids
      super()
    end

    def type
      @ids.name.to_sym
    end

    # A text, since SQL has no number for each flake.
    def serialize(value)
      cast(value)&.to_s
    end

    def cast_value(value)
      if value.acts_like?(:time)
        raise ArgumentError, %(compare an ID with floor(time) of its type, or by "id >= ?::timestamptz")
      end
      @ids.from_text(value.to_s)
    rescue InvalidId
      nil
    end
  end

  module Adapter
    def initialize_type_map(map = type_map)
      # Before super, which makes the types of arrays from those that it knows.
      COLUMNS.each { |name, ids| map.register_type(name.to_s, Type.new(ids)) }
      super
    end
  end

  # As Rails does for a uuid. So neither create_table nor what generators write needs a default.
  module PrimaryKey
    def primary_key(name, type = :primary_key, **options)
      if COLUMNS.key?(type)
        options[:default] = options.fetch(:default) { -> { type == :kid64 ? 'kid_next()' : "#{type}_next()" } }
      end
      super
    end
  end

  # A fixture without an id gets one that is made of its label. It tells a time in the first minutes of its type.
  module Fixtures
    def identify(label, column_type = :integer)
      ids = COLUMNS[column_type]
      ids ? ids.from_number(super(label)) : super
    end
  end
end

postgresql = ActiveRecord::ConnectionAdapters::PostgreSQL
ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.prepend(PgKid::Adapter)
PgKid::COLUMNS.each_key do |name|
  ActiveRecord::ConnectionAdapters::PostgreSQLAdapter::NATIVE_DATABASE_TYPES[name] = { name: name.to_s }
end
[postgresql::TableDefinition, postgresql::Table].each do |table|
  table.prepend(PgKid::PrimaryKey)
  # schema.rb calls t.kid64.
  table.send(:define_column_methods, *PgKid::COLUMNS.keys)
end
ActiveRecord::FixtureSet.singleton_class.prepend(PgKid::Fixtures)
