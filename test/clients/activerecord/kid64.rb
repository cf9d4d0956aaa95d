# In Rails this is config/initializers/kid64.rb.
require 'active_record/connection_adapters/postgresql_adapter'

module Kid64
  # An ID is a String. As with a uuid, what is not an ID becomes nil, which no row has: find() then raises RecordNotFound.
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
end

postgresql = ActiveRecord::ConnectionAdapters::PostgreSQL
ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.prepend(Kid64::Adapter)
ActiveRecord::ConnectionAdapters::PostgreSQLAdapter::NATIVE_DATABASE_TYPES[:kid64] = { name: 'kid64' }
# schema.rb calls t.kid64.
[postgresql::TableDefinition, postgresql::Table].each { |table| table.send(:define_column_methods, :kid64) }
