"""The Markdown memory: notes, the brain, lineage, anchors, check, and its history in git."""
