"""The close: an episode's flags become notes, its story a handoff, all of it one commit."""
