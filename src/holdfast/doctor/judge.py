"""Whether the chosen judge can be asked. It spends nothing: a list of models, a version, a login, and no question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import config, home
from holdfast.doctor.checks import bad, good, note
from holdfast.errors import JudgeFailed, UsageError
from holdfast.judge import choice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

PATIENCE = 15.0
FIX = "mend what it names, or `holdfast judge verbatim`; until then closes file verbatim"


def check_judge(place: Place) -> Iterator[Check]:
    """A judge that cannot be asked loses nothing, but it was asked for, so it is no small matter."""
    found = config.load(home.state(home.own_vault(place.env)))  # a repository's vault has no say in it
    try:
        judge = choice.chosen(found, place.env)
        if judge is None:
            yield good("judge", "verbatim: no model is used, flags are filed as they were written")
            return
        seen = judge.look(PATIENCE)
    except (JudgeFailed, UsageError) as error:
        yield bad("judge", error.in_full if isinstance(error, JudgeFailed) else str(error), FIX)
        return
    settings = choice.settings(found)
    if settings.url.startswith("http://") and settings.key_env and not _is_local(settings.url):
        yield note("judge", f"{judge.name}: {seen}; its key goes over the network unencrypted", "use https")
        return
    yield good("judge", f"{judge.name}: {seen}")


def _is_local(url: str) -> bool:
    from holdfast.judge import http

    return http.is_loopback(url)
