-- The number and the time of the texts in orders.id, in microseconds since 1970, UTC.
CREATE VIEW numbered AS
SELECT orders.*, (SELECT sum((instr('.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
                                    substr(orders.id, value, 1)) - 1) << 64 - 6 * value)
                    FROM json_each('[1,2,3,4,5,6,7,8,9,10,11]')) AS number
  FROM orders;
SELECT *, ((number >> 44 & 1048575) * 1000000 + (number >> 24 & 1048575)) * 1000000 + ((number >> 14 & 1023) << 10) AS micros
  FROM numbered;
