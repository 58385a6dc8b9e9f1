"""Care: whether capture is on, what is wrong and can be mended, what models cost, and how far the memory has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from holdfast.capture import config, home, pause
from holdfast.page import care_health, care_ladder, care_spend, frame, fresh
from holdfast.page.visit import Visits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.page.visit import Visit

router = APIRouter(include_in_schema=False)
HEALTH, SPEND, LADDER = "", "spend", "ladder"
TABS = ((HEALTH, "Health"), (SPEND, "Spend"), (LADDER, "Ladder"))
SECRET = ("dsn", "token", "key", "password", "secret", "url")  # settings of which only is said that they are there
DAYS = (14, 30, 90)


@dataclass(frozen=True)
class Setting:
    name: str
    value: str


@dataclass(frozen=True)
class Capture:
    """`why` is the reason why nothing is captured; `is_paused` that a pause is it, which the page can end."""

    why: str
    is_paused: bool


def _show(visit: Visit, tab: str, template: str, **values: Any) -> Response:
    state = home.machine_state(visit.memory.at.env)
    here = capture(visit)
    return visit.show(
        "care.html",
        tab=tab,
        tabs=[(visit.link(f"care/{path}" if path else "care"), name, path == tab) for path, name in TABS],
        part=template,
        capture=here,
        digest=fresh.digest_of(here),
        settings=settings(config.load(state)),
        settings_path=config.path_of(state),
        **values,
    )


@router.get("/page/care")
def view(visit: Visits) -> Response:
    """Health: the probes run when the view is there, since they take a second or more."""
    return _show(
        visit, HEALTH, "care_wait.html", wait=visit.link("care/health"), words="Every link is being probed\u2026"
    )


@router.get("/page/care/health")
def health(visit: Visits) -> Response:
    return visit.show("care_health.html", health=care_health.look(visit))


@router.post("/page/care/mend")
def mend(visit: Visits, name: str = "") -> Response:
    """Do what `holdfast doctor --fix` does, about one check or about all that it can mend."""
    done, after = care_health.mend(visit, name)
    said = " ".join(f"{one[:1].upper()}{one[1:]}." for one in done) or "Nothing was left to mend."
    kind = frame.BAD if any(one.startswith(care_health.NOT_MENDED) for one in done) else frame.GOOD
    return visit.show("care_health.html", headers=frame.toast(said, kind), health=after)


@router.get("/page/care/spend")
def spend(visit: Visits, days: int = DAYS[0]) -> Response:
    """The meter of calls to models."""
    count = min(max(days, 1), 366)
    return _show(visit, SPEND, "care_spend.html", spend=care_spend.look(visit, count), choices=DAYS, days=count)


@router.get("/page/care/ladder")
def ladder(visit: Visits) -> Response:
    wait = visit.link("care/rungs")
    return _show(visit, LADDER, "care_wait.html", wait=wait, words="The evidence is being gathered\u2026")


@router.get("/page/care/rungs")
def rungs(visit: Visits) -> Response:
    return visit.show("care_ladder.html", ladder=care_ladder.look(visit))


@router.get("/page/care/capture")
def capture_part(visit: Visits, known: str = "") -> Response:
    found = capture(visit)
    return fresh.part(visit, "care_capture.html", known, found, capture=found)


@router.post("/page/care/pause")
def begin_pause(visit: Visits) -> Response:
    """Raises Refused, HoldfastError."""
    at = visit.memory.at
    pause.begin(at.env, visit.server.clock(), by=at.asker())
    words = "Paused: nothing is captured on this machine until you resume."
    return frame.answer("", headers=frame.toast(words, undo=visit.link("care/resume")))


@router.post("/page/care/resume")
def end_pause(visit: Visits) -> Response:
    """Raises HoldfastError."""
    if pause.end(visit.memory.at.env):
        return frame.answer("", headers=frame.toast("Capture goes on.", undo=visit.link("care/pause")))
    return frame.answer("", headers=frame.toast("Nothing was paused."))


def capture(visit: Visit) -> Capture:
    """Whether sessions are heard now."""
    at = visit.memory.at
    is_paused = home.is_paused(at.env, at.vault)
    return Capture(at.why_off(), is_paused)


def settings(found: Mapping[str, Any]) -> list[Setting]:
    """The user's settings, a line each; secrets are not shown."""
    listed = []
    for name, value in _flat(found, ""):
        is_secret = any(word in name.rpartition(".")[2].lower() for word in SECRET)
        listed.append(Setting(name, "set, not shown here" if is_secret else str(value)[:300]))
    return listed


def _flat(found: Mapping[str, Any], above: str) -> list[tuple[str, Any]]:
    listed: list[tuple[str, Any]] = []
    for name, value in found.items():
        listed += _flat(value, f"{above}{name}.") if isinstance(value, dict) else [(f"{above}{name}", value)]
    return listed
