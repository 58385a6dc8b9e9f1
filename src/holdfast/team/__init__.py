"""The team: what this machine shares with others through a PostgreSQL of theirs. Nothing is shared before `share`."""
