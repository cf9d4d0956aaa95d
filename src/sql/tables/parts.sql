-- The functions on tables that need to know the types, after common.sql and forms.sql, in the order in which they
-- need each other

\i tables/stored_ids/default_ids.sql

\i tables/partitions/partition_key.sql
\i tables/partitions/partition_bounds.sql
\i tables/partitions/partitions.sql
\i tables/partitions/lock_partitions.sql
\i tables/partitions/missing_partitions.sql
\i tables/partitions/make_partitions.sql
\i tables/partitions/finish_partition.sql
\i tables/partitions/create_partitions.sql
\i tables/partitions/old_partitions.sql
\i tables/partitions/drop_partitions.sql

\i tables/stored_ids/farthest.sql.in
\i tables/stored_ids/id_columns.sql
\i tables/stored_ids/lock_column.sql
\i tables/stored_ids/read_ids.sql
\i tables/stored_ids/read_columns.sql
\i tables/stored_ids/stored_ids.sql
\i tables/stored_ids/observe_all.sql

\i tables/check/check_defaults.sql
\i tables/check/check_foreign_keys.sql
\i tables/check/check_partitions.sql
\i tables/check/check.sql
