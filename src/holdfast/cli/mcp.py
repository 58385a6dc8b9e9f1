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
    gc.disable()  # what is imported stays: looking through it again and again is a tenth of the start
    try:
        from holdfast.serve.mcp import over_streams, peer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OURS:
            raise
        raise UsageError(
            "The Model Context Protocol needs the extra `mcp`, which is not there; nothing was started. "
            "Install holdfast[mcp]."
        ) from error
    gc.freeze()
    gc.enable()
    over_streams.run(peer.of_process())


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
