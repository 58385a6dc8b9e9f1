"""`holdfast demo`: the main job, watched running in a vault of its own."""

from __future__ import annotations

import typer

from holdfast.install.demo import run


def demo() -> None:
    """Flag a fact in a session, kill the session with -9, and see the next start say so. Touches nothing of yours."""
    run(typer.echo)
