"""`python -m holdfast`: the whole command line, or one sentence where the platform has not what durability needs."""

import sys

if __name__ == "__main__":
    try:
        import posix  # noqa: F401
    except ImportError:
        from holdfast.errors import Unsupported

        print(f"holdfast: {Unsupported()}", file=sys.stderr)
        sys.exit(Unsupported.exit_status)
    from holdfast.cli.app import main

    main()
