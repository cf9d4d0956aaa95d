"""kidctl rekey: new keys for the rows of a table, and for the rows that refer to them."""
