"""Finds what stands beside a key in definitions, by the trees in which PostgreSQL stores them."""
