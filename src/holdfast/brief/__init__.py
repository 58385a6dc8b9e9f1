"""The words a session is given: at its start, at its first prompt and after a compaction."""
