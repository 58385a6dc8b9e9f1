"""The meter of calls to models, and its caps."""
