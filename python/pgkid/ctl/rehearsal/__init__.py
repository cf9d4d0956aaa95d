"""The rehearsal of a move on an empty copy of the schema."""
