"""One entry point for the events of all hosts. It never hurts the session."""
