-- kid_ambiguous: the type that keeps operators of IDs away from operands that are not IDs
--
-- Numbers and texts are converted to IDs implicitly, because drivers send parameters as such: see docs/why/casts.md.
-- That alone would give a meaning to expressions that are errors without kid. With one type that takes numbers,
-- expires < now() compares an ID with a time, is true of every number of seconds, and a DELETE takes every row.
--
-- So each operator of IDs has a rival, which is the same with kid_ambiguous in place of the ID, and whatever is
-- converted to an ID implicitly is converted to kid_ambiguous, too:
--
--   An ID is an exact match for the operator of its type. It is not converted to kid_ambiguous.
--
--   An operand that is not an ID fits both operators equally well, so PostgreSQL raises the error that the operator is
--   not unique. This does not depend on how many types of IDs there are.
--
-- The type has no values. All its functions raise an error.

CREATE TYPE kid_ambiguous;

CREATE FUNCTION kid_ambiguous_in(cstring) RETURNS kid_ambiguous
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_ambiguous';
COMMENT ON FUNCTION kid_ambiguous_in(cstring) IS 'I/O';
CREATE FUNCTION kid_ambiguous_out(kid_ambiguous) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_ambiguous';
COMMENT ON FUNCTION kid_ambiguous_out(kid_ambiguous) IS 'I/O';

CREATE TYPE kid_ambiguous (INPUT = kid_ambiguous_in, OUTPUT = kid_ambiguous_out, LIKE = boolean);
COMMENT ON TYPE kid_ambiguous IS
    'has no values; makes an operator ambiguous if no operand is an ID, but one would be converted to an ID';

CREATE CAST (smallint AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (smallint AS kid_ambiguous) IS 'for resolution only';
CREATE CAST (integer AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (integer AS kid_ambiguous) IS 'for resolution only';
CREATE CAST (bigint AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (bigint AS kid_ambiguous) IS 'for resolution only';
CREATE CAST (text AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (text AS kid_ambiguous) IS 'for resolution only';
CREATE CAST (varchar AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (varchar AS kid_ambiguous) IS 'for resolution only';

CREATE FUNCTION kid_ambiguous(kid_ambiguous, kid_ambiguous) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(kid_ambiguous, kid_ambiguous) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous(kid_ambiguous, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(kid_ambiguous, timestamptz) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous(timestamptz, kid_ambiguous) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(timestamptz, kid_ambiguous) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous(kid_ambiguous, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(kid_ambiguous, kid_span) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous(kid_span, kid_ambiguous) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(kid_span, kid_ambiguous) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous_mi(kid_ambiguous, kid_ambiguous) RETURNS interval
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_ambiguous';
COMMENT ON FUNCTION kid_ambiguous_mi(kid_ambiguous, kid_ambiguous) IS
    'implementation of operators that are never called';

CREATE OPERATOR < (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR < (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR <= (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR <= (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR = (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR = (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR <> (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR <> (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR >= (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR >= (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR > (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR > (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR < (LEFTARG = kid_ambiguous, RIGHTARG = timestamptz, FUNCTION = kid_ambiguous);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR < (kid_ambiguous, timestamptz) IS 'for resolution only';
COMMENT ON OPERATOR < (timestamptz, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR <= (LEFTARG = kid_ambiguous, RIGHTARG = timestamptz, FUNCTION = kid_ambiguous);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR <= (kid_ambiguous, timestamptz) IS 'for resolution only';
COMMENT ON OPERATOR <= (timestamptz, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR >= (LEFTARG = kid_ambiguous, RIGHTARG = timestamptz, FUNCTION = kid_ambiguous);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR >= (kid_ambiguous, timestamptz) IS 'for resolution only';
COMMENT ON OPERATOR >= (timestamptz, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR > (LEFTARG = kid_ambiguous, RIGHTARG = timestamptz, FUNCTION = kid_ambiguous);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR > (kid_ambiguous, timestamptz) IS 'for resolution only';
COMMENT ON OPERATOR > (timestamptz, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR - (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous_mi);
CREATE OPERATOR <@ (LEFTARG = kid_ambiguous, RIGHTARG = kid_span, FUNCTION = kid_ambiguous);
CREATE OPERATOR @> (LEFTARG = kid_span, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR - (kid_ambiguous, kid_ambiguous) IS 'for resolution only';
COMMENT ON OPERATOR <@ (kid_ambiguous, kid_span) IS 'for resolution only';
COMMENT ON OPERATOR @> (kid_span, kid_ambiguous) IS 'for resolution only';
