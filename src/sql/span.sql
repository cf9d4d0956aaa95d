-- What an ID is compared with, beside an instant: a range of time
--
-- It is a domain so that kid does not change other comparisons with ranges:
--
--   An operator declared on tstzrange would be an exact match, which PostgreSQL's own anyrange operators never are.
--   With a literal or a parameter on the other side it would win the resolution, or make it ambiguous, and break
--   `during @> '[a,b)'`.
--
--   One declared on anyrange would bring in the casts of numbers to IDs, and break `5 <@ int4range(1, 10)`.
--
--   One declared on kid_span is no exact match for any query, because no expression has that type.

CREATE DOMAIN kid_span AS tstzrange;
COMMENT ON DOMAIN kid_span IS
    'any tstzrange, as the operand of <@ and @> beside an ID, so that these operators do not compete with those of '
    'ranges';
