"""`python -m holdfast`: the whole command line, or one sentence where the platform has not what durability needs.

`mcp` alone is served without the rest: a host waits for that start at each of its own, Codex for one second.
"""

import sys

if __name__ == "__main__":
    try:
        import posix  # noqa: F401
    except ImportError:
        from holdfast.errors import Unsupported

        print(f"holdfast: {Unsupported()}", file=sys.stderr)
        sys.exit(Unsupported.exit_status)
    if sys.argv[1:] == ["mcp"]:
        from holdfast.cli.mcp import main
    else:
        from holdfast.cli.app import main

    main()
