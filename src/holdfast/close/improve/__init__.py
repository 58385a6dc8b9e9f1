"""The self-improvement loop: a snag becomes an edit, or says why not."""
