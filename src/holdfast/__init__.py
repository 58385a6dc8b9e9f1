"""Holdfast: memory for AI coding agents that writes itself.

Nothing is imported here, because the hook pays for every import at every moment of a session.
"""

__version__ = "0.1.0"
