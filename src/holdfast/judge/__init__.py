"""The seam to models: a cheap one, without tools, that decides."""
