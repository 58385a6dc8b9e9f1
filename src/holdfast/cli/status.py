"""`holdfast status`: what is remembered here, what waits, the last handoff, and what memory did this week."""

from __future__ import annotations

import os

from holdfast.capture import home, platform
from holdfast.cli import output
from holdfast.cli.command import Json


def status(json: Json = False) -> None:
    """Show in eight lines what is remembered here, what waits for you, and what memory did in the last seven days."""
    from holdfast.health import status
    from holdfast.health.finding import Place

    cwd = platform.working_folder(os.environ)
    found = status.look(Place(home.vault(os.environ, cwd), cwd, dict(os.environ)))
    output.answer(found.as_record(), (output.plain(line) for line in status.lines(found)), json=json)
