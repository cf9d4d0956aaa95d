-- The number, the text and the time of a kid64, and the lowest number of a time. Times are microseconds since 1970, UTC:
-- SELECT *, make_timestamptz(kid64_micros(kid64_number(id))) AS created_at FROM 'orders.parquet'.
CREATE OR REPLACE MACRO kid64_digits() AS '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
CREATE OR REPLACE MACRO kid64_number(id) AS
    (list_sum([(instr(kid64_digits(), id[i]) - 1)::HUGEINT << 66 - 6 * i FOR i IN range(1, 12)]) >> 2)::UBIGINT;
CREATE OR REPLACE MACRO kid64_text(number) AS
    list_aggregate([kid64_digits()[((number::HUGEINT & 18446744073709551615) << 2 >> 66 - 6 * i & 63)::INTEGER + 1] FOR i IN range(1, 12)],
        'string_agg', '');
CREATE OR REPLACE MACRO kid64_micros(number) AS
    ((number >> 44 & 1048575)::BIGINT * 1000000 + (number >> 24 & 1048575)::BIGINT) * 1000000 + (number >> 14 & 1023)::BIGINT * 1024;
CREATE OR REPLACE MACRO kid64_floor(micros) AS
    ((micros // 1000000000000)::UBIGINT << 44) + ((micros // 1000000 % 1000000)::UBIGINT << 24)
    + ((micros % 1000000 >> 10)::UBIGINT << 14);

-- The time of a kid53, and the lowest kid53 of a time:
-- SELECT *, make_timestamptz(kid53_micros(id)) AS created_at FROM 'events.parquet'.
CREATE OR REPLACE MACRO kid53_micros(id) AS ((id >> 12) + 1577836800000) * 1000;
CREATE OR REPLACE MACRO kid53_floor(micros) AS (micros // 1000 - 1577836800000) << 12;
