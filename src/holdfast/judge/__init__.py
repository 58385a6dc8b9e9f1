"""Judges: the seam to cheap models without tools, choosing one, asking it."""
