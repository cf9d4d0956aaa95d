-- The parts of kid-uuid, without what begins and ends a module

\i plain/uuid/uuidv7.sql
\i inspect_uuid.sql
\i plain/uuid/clock_uuidv7.sql
\i plain/uuid/horizon_uuidv7.sql
\i plain/uuid/base32_uuid.sql
