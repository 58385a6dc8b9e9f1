"""Holdfast: memory for AI coding agents that writes itself; `from holdfast import Memory` is the library. Nothing is
imported before it is asked for, because the hook pays for every import at every moment of a session."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.memory import Memory as Memory


def __getattr__(name: str) -> object:
    if name == "Memory":
        from holdfast.memory import Memory

        return Memory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
