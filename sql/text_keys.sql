-- A foreign key from text to a column of IDs: PostgreSQL before 18 accepts it, and then cannot delete from the referenced table. PostgreSQL 18 rejects it.
CREATE TABLE parents (id kid64 PRIMARY KEY, c kid96 UNIQUE);
CREATE DOMAIN words AS varchar(20);
CREATE TABLE children (a text REFERENCES parents, "B" varchar REFERENCES parents, c words REFERENCES parents (c));
INSERT INTO parents VALUES ('.6.nef3Mk..', '.6.nef3Mk.......'), ('.6.nef3Mk.3', '.6.nef3Mk......3');
INSERT INTO children VALUES ('.6.nef3Mk..', '.6.nef3Mk..', '.6.nef3Mk.......');
DELETE FROM parents WHERE id = '.6.nef3Mk.3';
SELECT * FROM kid_check('children') WHERE problem LIKE 'foreign key%';
SELECT remedy FROM kid_check('parents') WHERE problem LIKE 'foreign key%' \gexec
SELECT * FROM kid_check('children') WHERE problem LIKE 'foreign key%';
DELETE FROM parents WHERE id = '.6.nef3Mk.3';
DELETE FROM parents;
SELECT * FROM children;
DROP TABLE IF EXISTS children;
DROP TABLE parents;
DROP DOMAIN words;

