"""`holdfast demo`: a whole life of a memory, watched running in a vault of its own."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.install.demo.story import run


def demo(
    keep: Annotated[bool, Option("--keep", help="Leave the folder it was played in, and say where.")] = False,
) -> None:
    """Play a whole life: sessions, flags, kill -9, warning, heal, notes in git, undo. Touches nothing of yours."""
    run(output.echo, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"), keep=keep)
