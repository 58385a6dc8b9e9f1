"""`holdfast ladder`: how far this memory has come, and what a measured limitation asks for next."""

from __future__ import annotations

import os

from holdfast.capture import home, platform
from holdfast.cli import output
from holdfast.cli.command import Json


def ladder(json: Json = False) -> None:
    """Show how far this memory has come, by evidence, and the next step that a measured limitation asks for."""
    from holdfast.health import ladder
    from holdfast.health.finding import Place

    cwd = platform.working_folder(os.environ)
    found = ladder.climbed(Place(home.vault(os.environ, cwd), cwd, dict(os.environ)))
    output.answer(found.as_record(), ladder.lines(found), json=json)
