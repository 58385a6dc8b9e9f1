"""The timer of sleep as the doctor sees it: registered, as init wrote it, and really asking each hour.

Nothing is lost by a timer that stands still: closes and the server start sleep too. So all of it is advice. Whether it
runs is told by its effect, the newest look that anybody had at whether sleep is due, and by the ledger's newest night.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import config, home, ledger, platform
from holdfast.errors import HoldfastError
from holdfast.health.finding import good, note
from holdfast.hosts import registration
from holdfast.install import crontab, settings_files, systemd_timer, timer
from holdfast.sleep import due, turn
from holdfast.text.layout import age, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.finding import Finding, Place

NAME = "sleep-timer"
LATE = 3 * 3600.0  # seconds without a look, of a timer that looks each hour
AGAIN = "`holdfast init --timer` puts it right, `holdfast init --no-timer` takes it away"


def check_timer(place: Place) -> Iterator[Finding]:
    """The settings of sleep first: a timer of a sleep that is switched off asks for nothing."""
    wanted = due.settings(config.load(home.machine_state(place.env)))
    if wanted.problem:
        yield note(NAME, f"{wanted.problem}; its default holds", "mend [sleep] in .state/config.toml")
    kind = timer.registered(place.env)
    if not kind:
        how = "" if wanted.enabled else ", and sleep is switched off"
        yield good(NAME, f"none: sleep is started after closes and by `serve`{how}")
        return
    trouble = _cron_trouble(place) if kind == timer.CRON else _systemd_trouble(place)
    if trouble:
        yield note(NAME, trouble, AGAIN)
    elif late := _late(place):
        yield note(NAME, late, AGAIN)
    else:
        yield good(NAME, f"{timer.TITLES[kind]}, each hour; {_last(place)}")


def _cron_trouble(place: Place) -> str:
    try:
        data = crontab.read(place.env)
    except HoldfastError as error:
        return f"it is registered in the crontab, which cannot be read: {error}"
    record = settings_files.record_of(place.env, crontab.PLACE)
    found = crontab.ours(data, str(registration.command_path(place.env)))
    if not found:
        return "it is on record, but its line is not in your crontab any more"
    return "" if record and found == record.lines else "its line in your crontab is not as init wrote it"


def _systemd_trouble(place: Place) -> str:
    for one in timer.records(place.env):
        data = registration.read(one.path)
        if settings_files.digest(data) != one.after:
            return f"{one.path} is {'gone' if data is None else 'not as init wrote it'}"
    if not systemd_timer.answers(place.env):
        return "it is registered, but no systemd user manager answers here, so nobody runs it"
    why = systemd_timer.why_idle(place.env)
    return f"{systemd_timer.TIMER} is registered and does not run ({why})" if why else ""


def _late(place: Place) -> str:
    """Nobody has looked for hours, though the machine was up and the timer registered."""
    now, looked = place.clock(), turn.looked(place.state)[0]
    paths = (str(settings_files.file_of(place.env, one.path)) for one in timer.records(place.env))
    since = max(looked, platform.booted_at(now), *(platform.modified(path) for path in paths))
    if now - since < LATE:
        return ""
    last = f"since {when(looked)}" if looked else "ever"
    return f"it is registered, and has not asked whether sleep is due {last}"


def _last(place: Place) -> str:
    """The newest look and the newest night."""
    now, (looked, why) = place.clock(), turn.looked(place.state)
    nights = ledger.newest(place.state, ledger.Wanted(kinds=("sleep",), since=now - 30 * ledger.DAY), 1)
    slept = f"slept {age(now - float(nights[0].get('t', now)))} ago" if nights else "no night in the last 30 days"
    return f"asked {age(now - looked)} ago ({why.rstrip('.')}), {slept}" if looked else f"not asked yet, {slept}"
