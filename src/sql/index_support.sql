-- Support of GiST, BRIN, min and max: it depends on no more than the size of the IDs

--- GiST support
CREATE FUNCTION kid_gist_consistent(internal, "any", smallint, oid, internal) RETURNS boolean;
CREATE FUNCTION kid_gist_union(internal, internal) RETURNS bytea;
CREATE FUNCTION kid_gist_penalty(internal, internal, internal) RETURNS internal;
CREATE FUNCTION kid_gist_picksplit(internal, internal) RETURNS internal;
CREATE FUNCTION kid_gist_same(bytea, bytea, internal) RETURNS internal;
CREATE FUNCTION kid_gist_fetch(internal) RETURNS internal;
CREATE FUNCTION kid_gist_sortsupport(internal) RETURNS void;
CREATE FUNCTION kid_gist_compress_8(internal) RETURNS internal;
CREATE FUNCTION kid_gist_compress_10(internal) RETURNS internal;
CREATE FUNCTION kid_gist_compress_12(internal) RETURNS internal;
--- BRIN multi minmax distance
CREATE FUNCTION kid_brin_distance_8(internal, internal) RETURNS double precision;
CREATE FUNCTION kid_brin_distance_10(internal, internal) RETURNS double precision;
CREATE FUNCTION kid_brin_distance_12(internal, internal) RETURNS double precision;

--- smaller of two IDs
CREATE FUNCTION kid_smaller(anyelement, anyelement) RETURNS anyelement;
--- larger of two IDs
CREATE FUNCTION kid_larger(anyelement, anyelement) RETURNS anyelement;
