"""Handoffs and notes held against what really happened."""
