"""`python -m holdfast`: the whole command line, or one sentence where the platform has not what durability needs.

`mcp` alone is served without the rest: a host waits for that start at each of its own, Codex for one second.
"""

import atexit
import gc
import sys

if __name__ == "__main__":
    try:
        import posix  # noqa: F401
    except ImportError:
        from holdfast.errors import Unsupported

        print(f"holdfast: {Unsupported()}", file=sys.stderr)
        sys.exit(Unsupported.exit_status)
    from holdfast.module_loader import install

    install()
    gc.set_threshold(50_000)  # what is imported stays: looking through it again and again is a tenth of a short command
    atexit.register(gc.freeze)  # the same at the end, where the interpreter would look through all of it twice more
    if sys.argv[1:] == ["mcp"]:
        from holdfast.cli.mcp import main
    else:
        from holdfast.cli.app import main

    main()
