"""Texts as vectors: an embedder is a small Protocol; the default works without a network right after installation."""
