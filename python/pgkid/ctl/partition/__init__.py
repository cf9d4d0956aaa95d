"""kidctl partition: a table becomes the first partition of a new one, and its rows can move into partitions by time."""
