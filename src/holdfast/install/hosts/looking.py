"""Whether a host is on the machine, and which version, without starting it: that would cost half a second each."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.install.hosts import Found

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")


def look(env: Mapping[str, str], program: str, package: str, folder: str) -> Found | None:
    """By its program on PATH or the folder of its settings. `package` is its name on npm."""
    path = shutil.which(program, path=env.get("PATH", os.defpath)) or ""
    if not path and not os.path.isdir(folder):
        return None
    return Found(path, _version(path, package), folder)


def _version(program: str, package: str) -> str:
    """From the package that the program lies in, or from a folder or file named after it."""
    real = Path(os.path.realpath(program)) if program else Path("/")
    for place in (real, *list(real.parents)[:6]):
        if VERSION.fullmatch(place.name):
            return place.name
        try:
            stored = json.loads(platform.read_file(str(place / "package.json")))
        except (OSError, ValueError):
            continue
        if isinstance(stored, dict) and stored.get("name") == package:
            return str(stored.get("version", ""))
    return ""
