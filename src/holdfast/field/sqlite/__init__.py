"""The embedded store: one SQLite file with FTS5, and the vectors in a mapped file beside it. Only here is SQL."""
