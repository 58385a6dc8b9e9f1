"""The hook room: one entry point for all hosts. It never hurts the session."""
