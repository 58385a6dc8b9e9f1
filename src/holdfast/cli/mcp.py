"""`holdfast mcp`: the tools and the brief for hosts that speak the Model Context Protocol, over standard streams.

Run without the rest of the command line: a host waits for this start at each of its own.
"""

from __future__ import annotations

import gc
import sys

from holdfast.errors import HoldfastError, UsageError

OURS = ("mcp", "mcp_types", "anyio", "pydantic")


def mcp() -> None:
    """Serve the Model Context Protocol on standard input and output, until the client goes."""
    from holdfast.serve.mcp import stdio

    _refuse_without_the_extra()
    begun = stdio.serve(stdio.Wire.claim())
    if begun is None:
        return
    gc.disable()  # what is imported stays: looking through it again and again is a tenth of the start
    from holdfast.serve.mcp import peer, server

    gc.freeze()
    gc.enable()
    server.run(peer.of_process(), begun)


def _refuse_without_the_extra() -> None:
    """Before a host relies on us, though the library is imported later. Raises UsageError."""
    from importlib.util import find_spec

    if not all(find_spec(name) for name in OURS):
        raise UsageError(
            "The Model Context Protocol needs the extra `mcp`, which is not there; nothing was started. "
            "Install holdfast[mcp]."
        )


def main() -> None:
    """The same without the rest of the command line."""
    try:
        mcp()
    except HoldfastError as error:
        print(f"holdfast mcp: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
