"""The store that a team shares, in PostgreSQL with pgvector: the extra `postgres`."""
