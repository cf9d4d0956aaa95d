-- The tables of keys. A sealed ID is one block of AES-128, as a TypeID. For an ID of type TYPE with the prefix PREFIX:
--
--     subkey = the first 16 bytes of HMAC-SHA-256(key, 'TYPE:PREFIX')
--     block  = the binary form of the ID, then zeros up to 16 bytes
--     text   = PREFIX, '_', base32 of AES-128(subkey, block)
--
-- The zeros are the proof that somebody with the key made the text: encode, then encipher (Bellare and Rogaway,
-- ASIACRYPT 2000). Without the key, a text is valid with probability 2 ^ -(bits of zeros): 64 for kid64, kid53 and
-- flake, 48 for sno, 32 for kid96 and flax. A uuid has no room for zeros.
--
-- The functions run as their owner, in the extension a superuser. So no name may lead them to an object that another
-- role made. Bodies in PL/pgSQL look names up when they run. They name only objects of pg_catalog and of
-- kid_seal_internal, which this script creates, and in which no other role has a right. The schemas of kid and of
-- pgcrypto can be any role's, and can be renamed. So their functions and types are looked up once, below, by bodies in
-- SQL, which keep what they found. There each argument has exactly the type of the parameter, so that no other function
-- fits better. The end of the script checks what was found.
--
-- PL/pgSQL can make a variable a constant of a plan, and any role can have plans printed (debug_print_plan). So bodies
-- in PL/pgSQL read keys from columns of a query, and not from variables. The exception is kid_seal_import_key(), whose
-- parameter `key` is one. That function sets plan_cache_mode to force_generic_plan, so its plans contain the parameter
-- and not its value.

-- The replica identity is random, so that a row is never another server's. It is long and comes first, because an error
-- of COPY shows the first 100 bytes of a row, and dumps in plain SQL have this table. Keys are not updated: a
-- subscriber logs the columns of an update to a row that it does not have (PostgreSQL 18), and here one is the key.

CREATE TABLE kid_seal_internal.keys (
    row_id text PRIMARY KEY DEFAULT concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()),
    n integer NOT NULL UNIQUE,
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    made timestamptz NOT NULL DEFAULT now(),
    seals boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX keys_seals ON kid_seal_internal.keys (seals) WHERE seals;
COMMENT ON TABLE kid_seal_internal.keys IS 'keys of sealed IDs: one seals, all unseal';
COMMENT ON COLUMN kid_seal_internal.keys.key IS 'random, of 256 bits';

-- Without this ANALYZE would copy keys to pg_statistic. From there dumps of statistics take them, even dumps without
-- data, and a forgotten key would stay there until the next ANALYZE.
ALTER TABLE kid_seal_internal.keys ALTER COLUMN key SET STATISTICS 0;

-- The keys that were forgotten, so that an older export does not bring them back. Dumps have this table, which tells
-- nothing about a key. It has no unique column, because a dump of the data alone may be restored over it.
CREATE TABLE kid_seal_internal.forgotten (n integer NOT NULL, mark bytea NOT NULL);
ALTER TABLE kid_seal_internal.forgotten REPLICA IDENTITY FULL;
COMMENT ON TABLE kid_seal_internal.forgotten IS 'keys that kid_seal_forget_key() deleted';
COMMENT ON COLUMN kid_seal_internal.forgotten.mark IS 'an HMAC with the key';
