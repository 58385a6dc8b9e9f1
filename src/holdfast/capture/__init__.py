"""Capture: what must not be lost is on disk before anybody is told so. Standard library only."""
