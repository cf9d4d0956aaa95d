-- What an ID is compared with, beside an instant: a range of time
--
-- A domain, so that kid changes nothing for those who compare ranges with something else. An operator of tstzrange itself would
-- match one exactly, which PostgreSQL's own, of anyrange, never do: it would win, or tie, where the other side is a literal or a
-- parameter, and break `during @> '[a,b)'`. One of anyrange would bring in the casts of numbers to IDs, and break
-- `5 <@ int4range(1, 10)`. An exact match counts for the declared type only, and no expression is of this one.

CREATE DOMAIN kid_span AS tstzrange;
COMMENT ON DOMAIN kid_span IS
    'any tstzrange, as the operand of <@ and @> beside an ID, so that these operators do not compete with those of ranges';
