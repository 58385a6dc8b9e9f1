"""The optimization that was written against the one that ran: what sessions, boundaries and closes came to."""
