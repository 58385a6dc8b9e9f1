"""axe-core, which looks for what keeps people out of a page: pinned, installed once from npm into a cache folder.

    python3 tools/axe.py            install it if it is missing, and print where it is

The folder is $HOLDFAST_AXE, else one in the user's cache that is named by the version. Its contents are compared with
the digest below, so what the tests put into a page is what was looked at when it was pinned.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
from pathlib import Path

import agents

VERSION = "4.14.0"
SHA256 = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"


def folder() -> Path:
    named = os.environ.get("HOLDFAST_AXE")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / f"holdfast-axe-{VERSION}"


def script() -> Path:
    return folder() / "package" / "node_modules" / "axe-core" / "axe.min.js"


def install() -> Path:
    """Its script, which is there afterwards."""
    folder().mkdir(parents=True, exist_ok=True)
    with (folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _digest() != SHA256:
            agents.install_package(f"axe-core@{VERSION}", folder() / "package")
    if _digest() != SHA256:
        raise SystemExit(f"axe-core {VERSION} was installed, but it is not the one that was pinned: {_digest()}")
    return script()


def _digest() -> str:
    return hashlib.sha256(script().read_bytes()).hexdigest() if script().is_file() else ""


def main() -> int:
    print(install())
    return 0


if __name__ == "__main__":
    sys.exit(main())
