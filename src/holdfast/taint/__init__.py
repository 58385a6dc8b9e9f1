"""The taint room: whether text that enters a session is known, or may be somebody else's words."""
