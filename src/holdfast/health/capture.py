"""Capture and what waits to become memory: switches, settings and the judge, the queue, marks, the ledger of days; and
other memories beside ours.

Everything is read with functions that change nothing: looking for the dead the way a start does would bury them.
"""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

from holdfast.capture import (
    background,
    codec,
    config,
    episodes,
    home,
    ledger,
    log,
    losses,
    marks,
    platform,
    projects,
    queue,
)
from holdfast.capture.ledger import DAY, Wanted
from holdfast.capture.marks import PATIENCE
from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed, UsageError
from holdfast.health import hosts, probe
from holdfast.health.finding import MEND, bad, good, note, reason
from holdfast.health.hosts import at_hand
from holdfast.hosts import KNOWN
from holdfast.hosts.host import registrar
from holdfast.judge import choice
from holdfast.text.layout import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.health.finding import Finding, Place

OTHERS = ("claude-mem", "mempalace", "agentmemory", "memsearch", "basic-memory", "hindsight", "claude-remember")
PLACES = ("hooks", "enabledPlugins", "plugins", "mcpServers", "mcp_servers", "notify")
JUDGE_PATIENCE = 15.0
JUDGE_FIX = "mend what it names, or `holdfast judge verbatim`; until then closes file verbatim"
OWN = {
    "HOLDFAST": "switches capture on and off",
    "HOLDFAST_HOME": "names the vault, for agents too only where they have it",
    background.SWITCH: "off: no close runs by itself; wait: an end waits for it",
    home.CHILD: "hooks of whatever is started here return at once",
}
OLDEST = DAY  # that a flag may wait while closes run by themselves
WEEK = 7 * DAY  # of the ledger that is counted: enough to see a skip, little enough to read at once
CLOSE = "`holdfast close --all` files it now"


def check_off(place: Place) -> list[Finding]:
    """Whether capture is switched off, here or everywhere."""
    off = home.why_off(place.env, place.vault)
    with probe.scratch() as folder:
        # To ask which project a folder is writes it down; in a vault of its own that changes nothing.
        project = projects.find(place.cwd, folder)
    if off:
        return [note("capture", f"{off}: nothing is captured", "`holdfast resume` ends a pause")]
    if project.off:
        return [note("capture", f"{home.PROJECT_OFF}: nothing is captured here")]
    return [good("capture", "on")]


def check_environment(place: Place) -> Iterator[Finding]:
    found = [f"{name}={redact(text)[0]} ({OWN[name]})" for name, text in place.env.items() if text and name in OWN]
    if found:
        yield note("environment", "; ".join(sorted(found)))
    else:
        yield good("environment", "no variable changes what holdfast does")
    trusted = home.trusted_vault(home.own_vault(place.env), place.cwd)
    if trusted and trusted == place.vault:
        yield note("environment", f"this repository's own vault is used, because you trusted it: {trusted}")


def check_config(place: Place) -> list[Finding]:
    """The machine's own settings. The hook passes over what it cannot parse, so somebody has to say so."""
    path = config.path_of(place.state)
    try:
        found = tomllib.loads(platform.read_regular(path, config.LARGEST).decode("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:
        return [bad("config", f"{path} cannot be read ({reason(error)}); the defaults hold", "mend it in an editor")]
    return [good("config", f"{path} sets {', '.join(found) or 'nothing'}")]


def check_queue(place: Place) -> Iterator[Finding]:
    now = place.clock()
    view = queue.read(f"{place.state}/queue", now)
    yield _age(place, [entry for entry in view.entries if entry.state != queue.DEAD], now)
    dead = view.of(queue.DEAD)
    if dead:
        what = f"{many(len(dead), 'flag')} could not be filed; the last error: {dead[-1].error or 'none was kept'}"
        fix = "`holdfast queue` lists them; when the cause is mended, `holdfast queue retry` lets them wait again"
        yield bad("dead-letters", what, fix)
    else:
        yield good("dead-letters", "none")
    yield _broken(place, view)


def _age(place: Place, entries: list[queue.Entry], now: float) -> Finding:
    if not entries:
        return good("queue-age", "nothing waits")
    oldest = now - min(entry.flag.time for entry in entries)
    what = f"{many(len(entries), 'flag')} to be filed, the oldest since {age(oldest)}"
    if oldest <= OLDEST:
        return good("queue-age", what)
    if background.is_off(place.env):
        return note("queue-age", f"{what}, while {background.SWITCH}=off", CLOSE, can_fix=True)
    fix = f"{CLOSE}; what keeps it from being filed is in `holdfast log --kind close`"
    return bad("queue-age", what, fix, can_fix=True)


def _broken(place: Place, view: queue.View) -> Finding:
    damaged = [path for path, found in view.broken if found.what != log.TORN]
    if damaged:
        names = [path.rpartition("/")[2] for path in damaged]
        fix = (
            "`holdfast queue` copies them aside to look at; everything around them is read as ever. "
            "`holdfast queue --set-aside` ends this alarm once you have"
        )
        return bad("queue-damage", f"{many(len(damaged), 'place')} in the queue cannot be read: {first_of(names)}", fix)
    aside = len(platform.names(f"{place.state}/queue/broken"))
    if view.broken or aside:
        what = f"{many(len(view.broken), 'torn end')} of killed writers, {many(aside, 'piece')} set aside"
        return note("queue-damage", what, "`holdfast queue` shows them")
    return good("queue-damage", "none")


def check_marks(place: Place) -> list[Finding]:
    """Sessions that ended or died and are not drained, and those that died unnoticed."""
    now = place.clock()
    left, unreadable = marks_left(place.state)
    late = [record for record in left if now - float(record.get("last", 0)) > PATIENCE]
    dead = [episode.key for episode, seen in in_live(place.state) if not platform.alive(episode.process, seen, now)]
    if unreadable:
        fix = "its flags are in the queue all the same; `holdfast close --all` files them"
        return [bad("marks", f"{many(unreadable, 'mark')} of a session cannot be read", fix)]
    if late:
        names = [str(one.get("episode", "")) for one in late]
        what = f"{many(len(late), 'session')} ended undrained: {first_of(names)}"
        is_old = now - min(float(record.get("last", 0)) for record in late) > OLDEST
        say = bad if is_old and not background.is_off(place.env) else note
        return [say("marks", what, f"the next start closes it; {MEND} does it now", can_fix=True)]
    if dead:
        what = f"{many(len(dead), 'session')} died and no start has noticed yet: {first_of(dead)}"
        return [note("marks", what, f"the next start says so and closes it; {MEND} does it now", can_fix=True)]
    return [good("marks", f"no session ended undrained{f', {len(left)} being closed' if left else ''}")]


def marks_left(state: str) -> tuple[list[dict[str, Any]], int]:
    """The marks as they lie there, and how many are none that can be read."""
    found, unreadable = [], 0
    for name in platform.names(f"{state}/marks"):
        if name.endswith(".tmp"):
            continue
        try:
            record = codec.decode(platform.read_file(f"{state}/marks/{name}"))
            if name.endswith(marks.ASIDE) or not isinstance(record, dict):
                raise ValueError(name)
            found.append(record)
        except FileNotFoundError:
            continue  # drained meanwhile
        except (OSError, ValueError):
            unreadable += 1
    return found, unreadable


def in_live(state: str) -> list[tuple[episodes.Episode, float]]:
    """The episodes that are not known to have ended, with their last moment; nothing is swept on the way."""
    found = []
    for name in platform.names(f"{state}/episodes/live"):
        path = f"{state}/episodes/live/{name}"
        try:
            who = codec.decode(platform.read_file(path))
            episode = episodes.numbered(state, str(who["host"]), str(who["session"]), int(who["ordinal"]))
            if episode:
                found.append((episode, os.stat(path).st_mtime))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # half written, or it has just ended
    return found


def check_ledger(place: Place) -> Iterator[Finding]:
    """Seen = closed = drained, what failed, and when each host was last heard of."""
    seen: set[str] = set()
    closed: set[str] = set()
    last: dict[str, float] = {}
    errors: list[tuple[float, str]] = []
    kinds = ("hook", "episode", "error", "close")
    for record in ledger.read(place.state, Wanted(kinds=kinds, since=place.clock() - WEEK)):
        kind, key, when = record.get("kind"), str(record.get("episode", "")), float(record.get("t", 0))
        if kind == "close":
            errors += [(when, f"a close failed: {record['error']}")] if record.get("error") else []
        elif kind == "error":
            errors.append((when, str(record.get("error", ""))))
        else:
            (closed if kind == "episode" else seen).update([key] if key else [])
            if kind == "hook" and record.get("host"):
                last[str(record["host"])] = when
    yield _sessions(place, seen | closed, closed)
    yield _errors(place, errors)
    for name, (host, _) in at_hand(place).items():
        if last.get(name):
            yield good("last-hook", f"{age(place.clock() - last[name])} ago", name)
        else:
            what = f"no hook of {host.TITLE} in the last 7 days"
            yield note("last-hook", what, "start your agent once, then look again", name)


def _sessions(place: Place, seen: set[str], closed: set[str]) -> Finding:
    living = {episode.key for episode, _ in in_live(place.state)}
    undrained = {str(record.get("episode", "")) for record in marks_left(place.state)[0]}
    ended = {key for key in seen - living if key in closed or is_over(place.state, key)}
    skipped = sorted(seen - living - ended)
    drained = len(ended - undrained)
    what = f"{len(seen)} seen in the last 7 days, {len(seen & living)} open, {len(ended)} closed, {drained} drained"
    if skipped:
        fix = "`holdfast log --session ID` shows what is known of it; its flags are in the queue or in the notes"
        return bad("sessions", f"{what}; no end is known of {first_of(skipped)}", fix)
    return good("sessions", what)


def is_over(state: str, key: str) -> bool:
    """An end that is not in the ledger may still be in the episode's own log, which is synced."""
    found = episodes.of_key(state, key)
    return found is not None and found.state != episodes.OPEN


def _errors(place: Place, errors: list[tuple[float, str]]) -> Finding:
    recent = [(when, what) for when, what in errors if not when or place.clock() - when <= DAY]
    if not recent:
        return good("errors", "none in the last 24 hours")
    newest = max(recent)[1]
    what = f"{many(len(recent), 'error')} in the last 24 hours, the newest: {newest}"
    return note("errors", what, "`holdfast log --kind error` and `holdfast log --kind close` show them all")


def check_acknowledged(place: Place) -> list[Finding]:
    found = losses.account(place.vault, place.clock())
    if found.is_whole:
        return [good("acknowledged", f"{many(found.known, 'flag')} in the ledger, each in the queue or filed")]
    named = f": {first_of(list(found.flags))}" if found.flags else ""
    fix = (
        "put .state/queue and .state/ledger back from a backup of this machine, if there is one; "
        "`holdfast queue --set-aside` notes what stays lost and ends this alarm"
    )
    return [bad("acknowledged", f"{found.sentence()}{named}; everything else is kept", fix)]


def check_judge(place: Place) -> list[Finding]:
    """A judge that cannot be asked loses nothing, but it was asked for, so it is no small matter. Looking spends
    nothing: a list of models, a version, a login, and no question."""
    found = config.load(home.state(home.own_vault(place.env)))  # a repository's vault has no say in it
    try:
        judge = choice.chosen(found, place.env)
        if judge is None:
            return [good("judge", "verbatim: no model is used, flags are filed as they were written")]
        seen = judge.look(JUDGE_PATIENCE)
    except (JudgeFailed, UsageError) as error:
        return [bad("judge", error.in_full if isinstance(error, JudgeFailed) else str(error), JUDGE_FIX)]
    from holdfast.judge import http

    settings = choice.settings(found)
    if settings.url.startswith("http://") and settings.key_env and not http.is_loopback(settings.url):
        return [note("judge", f"{judge.name}: {seen}; its key goes over the network unencrypted", "use https")]
    return [good("judge", f"{judge.name}: {seen}")]


def check_other_memory(place: Place) -> list[Finding]:
    """Two tools that hook the same events both spend the context, and each may store what the other injected."""
    found: dict[str, str] = {}
    for host in KNOWN:
        for one in (*hosts.of_host(host, place), *hosts.there(registrar(host).state_files(place.env))):
            texts = [text.lower() for key in PLACES for text in _texts(one.part(key))]
            for name in (name for name in OTHERS if any(name in text for text in texts)):
                found.setdefault(name, one.path)
    if found:
        said = ", ".join(f"{name} ({path})" for name, path in sorted(found.items()))
        fix = "both work; each costs context at every start, and one may store what the other injected"
        return [note("other-memory", f"another memory tool is hooked too: {said}", fix)]
    return [good("other-memory", "no other memory tool is hooked")]


def check_auto_memory(place: Place) -> Iterator[Finding]:
    """A host's own notes to itself live beside ours; they are never switched off for you."""
    for name in KNOWN:
        if folder := hosts.seen(place, name).memory:
            title = registrar(name).TITLE
            yield note("auto-memory", f"{title} also keeps its own memory in {folder}; both live side by side")


def _texts(value: Any) -> Iterator[str]:
    """Every key and text below a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if inner is not False:  # a plugin that is listed and switched off
                yield str(key)
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
