-- kid_span: the type of a range of time that an ID is compared with
--
-- It is a domain, so that kid does not change other comparisons with ranges:
--
--   An operator declared on tstzrange would be an exact match, which PostgreSQL's own anyrange operators never are.
--   With a literal or a parameter on the other side it would win the resolution, or make it ambiguous, and break
--   `during @> '[a,b)'`.
--
--   An operator declared on anyrange would bring in the casts of numbers to IDs, and break `5 <@ int4range(1, 10)`.
--
--   An operator declared on kid_span is never an exact match, because no expression has that type in the resolution.

CREATE DOMAIN kid_span AS tstzrange;
COMMENT ON DOMAIN kid_span IS
    'any tstzrange, as the operand of <@ and @> beside an ID, so that these operators do not compete with those of '
    'ranges';
