"""What is asked about the work of a close, and what comes of the answers."""
