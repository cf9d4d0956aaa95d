-- Views for the number, the text and the time of a kid64, and for the lowest ID of a time. Micros are microseconds
-- since 1970, UTC. The first view reads a table orders whose column id contains texts. Write the name of your table.
-- The views stay in the database file, so create them once.

-- The rows of orders with the number of each ID.
CREATE VIEW numbered AS
SELECT orders.*, (SELECT sum((instr('.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
                                    substr(orders.id, value, 1)) - 1) << 64 - 6 * value)
                    FROM json_each('[1,2,3,4,5,6,7,8,9,10,11]')) AS number
  FROM orders;

-- The same rows with the time of each ID, as a number and as a text. If your table has a column number instead of
-- texts, write its name in place of numbered.
CREATE VIEW timed AS
SELECT *, strftime('%Y-%m-%d %H:%M:%f', micros / 1000000.0, 'unixepoch') AS created_at
  FROM (SELECT *, ((number >> 44 & 1048575) * 1000000 + (number >> 24 & 1048575)) * 1000000
                  + ((number >> 14 & 1023) << 10) AS micros
          FROM numbered);

-- The lowest ID of each time in the table times, as a number and as a text. The rows since a time are then
--   INSERT INTO times VALUES (strftime('%s', '2026-10-31') * 1000000);
--   SELECT * FROM timed
--    WHERE id >= (SELECT id FROM lowest WHERE micros = strftime('%s', '2026-10-31') * 1000000);
CREATE TABLE times (micros integer PRIMARY KEY);
CREATE VIEW lowest_numbers AS
SELECT micros, (micros / 1000000000000 << 44) + (micros / 1000000 % 1000000 << 24)
               + (micros % 1000000 >> 10 << 14) AS number
  FROM times;

-- If you write a table with a column number in place of lowest_numbers, this view has the texts of its numbers.
CREATE VIEW lowest AS
SELECT *, (WITH RECURSIVE texts(length, text) AS (
             SELECT 0, ''
              UNION ALL
             SELECT length + 1, text || substr('.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
                                               (number >> 58 - 6 * length & 63) + 1, 1)
               FROM texts WHERE length < 11)
           SELECT text FROM texts WHERE length = 11) AS id
  FROM lowest_numbers;
