"""The meter of calls to models, day by day (UTC), on disk, and the caps of a day ([spend] in .state/config.toml).

    spend/<day>.log     the truth: one synced record before each call, one after it
    spend/<day>.json    its sums, and how many bytes of the log they cover
    spend/days.log      one record of sums for each day that is no longer kept whole
    spend/lock          held by whoever writes

A record before a call counts its estimate as spent; the one after it puts the truth in place of that. So a call whose
process died stays counted, and no order of kills counts too little. Sums are read instead of the log: what a call
costs us does not grow with the calls of the day. They are derived: what the log holds beyond them is read from there,
and sums that are lost or do not fit are made anew from the whole of it. Reading needs no lock.
"""

from __future__ import annotations

import datetime
import math
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.capture import codec, ledger, log, platform
from holdfast.capture import config as settings
from holdfast.capture.flags import clean
from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact_record
from holdfast.capture.settle import Lock
from holdfast.judge.seam import SLEEP_JOBS
from holdfast.model import VERSION, replace, value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DAY = 86400.0
KEPT = 7  # days that are kept whole
FARTHEST = 1 << 22  # bytes of days.log that are read: more than ten years
MOST_GROUPS = 200  # of one day: a server that names a new model each time must not make us grow
LARGEST = 1 << 20
DEFAULT_TOKENS = 2_000_000
NO_CAP = "none"
NAMES = ("tokens_per_day", "money_per_day")
SHARE = 0.25  # of the caps, for sleep's calls
SLEEP = "sleep"  # the one stop that closes know nothing of
MOST = 10**12  # tokens or money that anybody can mean; a server may answer with any number


class Group(NamedTuple):
    """The common traits of calls. `host`: whose episodes they were for; `billed`: how they are charged."""

    judge: str = ""
    model: str = ""
    job: str = ""
    host: str = ""
    billed: str = ""


def name_of(text: str) -> str:
    """A name from outside: one short line that steers no terminal and holds no secret."""
    return ledger.short(clean(text)[0], 80)


def host_of(about: str) -> str:
    """The host of the episode that a call is about, by the episode's key; "" where it is about something else."""
    host, _, rest = about.partition("/")
    session, _, ordinal = rest.rpartition("/")
    return name_of(host) if session and ordinal.isdecimal() else ""


@value
class Sums:
    """`open`: calls without an outcome, running or killed. `assumed`: tokens counted as reserved, since nobody said
    what was used. `money` is in millionths."""

    calls: int = 0
    failed: int = 0
    open: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    assumed: int = 0
    money: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out + self.assumed

    def plus(self, other: Sums, sign: int = 1) -> Sums:
        return Sums(*(getattr(self, name) + sign * getattr(other, name) for name in SUMMED))


SUMMED = tuple(Sums.__annotations__)


@value
class Day:
    """One day's sums. `over`: by how many tokens each judge's calls went over what was asked for, at most; `carried`:
    the same of the day before. `stopped`: when each cap was first reached. `broken`: bytes that are no record."""

    day: str
    ident: str = ""
    size: int = 0
    groups: Mapping[Group, Sums] = {}
    over: Mapping[str, int] = {}
    carried: Mapping[str, int] = {}
    stopped: Mapping[str, float] = {}
    broken: int = 0

    @property
    def total(self) -> Sums:
        return total(self.groups.values())

    @property
    def slept(self) -> Sums:
        """The part of it that sleep's calls took."""
        return total(sums for group, sums in self.groups.items() if group.job in SLEEP_JOBS)

    def margin(self, judge: str) -> int:
        """The tokens that a judge's calls may take beyond what is asked for, as far as is known."""
        return max(0, self.over.get(judge, 0), self.carried.get(judge, 0))


def total(sums: Iterable[Sums]) -> Sums:
    found = Sums()
    for one in sums:
        found = found.plus(one)
    return found


def day_of(now: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(now))


def folder_of(state: str) -> str:
    return f"{state}/spend"


def lock(state: str) -> Lock:
    return Lock(folder_of(state))


def load(state: str, day: str) -> Day:
    """A day as it stands: its sums, and what the log holds beyond them."""
    path = f"{folder_of(state)}/{day}"
    try:
        size = os.stat(f"{path}.log").st_size
        try:
            known = from_record(codec.decode(platform.read_file(f"{path}.json", LARGEST)))
        except (OSError, ValueError, KeyError, TypeError):
            known = Day(day)
        if known.day != day or known.size > size:
            known = Day(day)
        return known if known.size == size else _with(known, f"{path}.log")
    except FileNotFoundError:
        return Day(day)


def begin(state: str, day: str) -> Day:
    """A day of which nothing is written yet: what the judges went over by on the last one is expected of them again."""
    before = [one for one in days(state) if one < day]
    last = load(state, before[-1]) if before else Day(day)
    return Day(day, carried={**last.carried, **last.over})


def append(state: str, day: Day, now: float, what: str, *, durable: bool = True, **more: object) -> Day:
    """One more record of a day, and its sums with it. Under the lock. Raises NotSaved."""
    folder = folder_of(state)
    made: list[dict[str, object]] = [{"what": what, **more}]
    if not day.ident:
        made.insert(0, {"what": "began", "id": new_id(now), "carried": dict(day.carried)})
    payloads = [codec.encode(redact_record({"v": VERSION, "t": round(now, 3), **one})[0]) for one in made]
    path = f"{folder}/{day.day}.log"
    log.append(path, payloads, durable=durable)
    known = _with(day, path)
    record = codec.encode({"v": VERSION, "size": known.size, **as_record(known)})
    try:
        platform.write_atomic(f"{folder}/{day.day}.json", record, durable=False)
    except OSError:
        pass  # the log has it, and the next one reads it from there
    return known


def days(state: str) -> list[str]:
    """The days that are kept whole, oldest first."""
    names = platform.names(folder_of(state))
    return sorted(name[:-4] for name in names if name.endswith(".log") and name[:4].isdecimal())


def as_record(day: Day) -> dict[str, object]:
    groups = [[*group, *(getattr(sums, name) for name in SUMMED)] for group, sums in day.groups.items()]
    rest = {"over": dict(day.over), "carried": dict(day.carried), "stopped": dict(day.stopped), "broken": day.broken}
    return {"day": day.day, "id": day.ident, "groups": groups, **rest}


def from_record(record: Mapping[str, Any]) -> Day:
    width = len(Group._fields)
    groups = {Group(*map(str, one[:width])): Sums(*map(int, one[width:])) for one in record["groups"]}
    over, carried = ({str(k): int(v) for k, v in record[name].items()} for name in ("over", "carried"))
    stopped = {str(k): float(v) for k, v in record["stopped"].items()}
    ident, size, broken = str(record["id"]), int(record.get("size", 0)), int(record["broken"])
    return Day(str(record["day"]), ident, size, groups, over, carried, stopped, broken)


def _with(day: Day, path: str) -> Day:
    """A day and what its log holds from there on. What cannot be read counts as broken, and is said."""
    tally = _Tally(day)
    end = day.size
    for found in log.scan_file(path, day.size):
        end = found.end
        if found.what == log.RECORD:
            tally.take(found.payload)
        else:
            tally.broken += (found.end - found.start) * (found.what == log.DAMAGE)
    return replace(tally.day(), size=end)


class _Tally:
    """Sums that records are added to."""

    def __init__(self, day: Day) -> None:
        self.begun = day
        self.ident, self.broken = day.ident, day.broken
        self.groups, self.over = dict(day.groups), dict(day.over)
        self.carried, self.stopped = dict(day.carried), dict(day.stopped)
        self.seen: set[str] = set()  # reservations in what is read now
        self.is_whole = not day.size

    def day(self) -> Day:
        groups = {group: sums for group, sums in self.groups.items() if sums != Sums()}
        return Day(self.begun.day, self.ident, 0, groups, self.over, self.carried, self.stopped, self.broken)

    def take(self, payload: bytes) -> None:
        try:
            record = codec.decode(payload)
            what = record.get("what")
            if what == "reserve":
                self.seen.add(record["id"])
                self._add(_group(record), Sums(1, 0, 1, 0, 0, int(record["tokens"]), int(record["money"])))
            elif what == "settle":
                self._settle(record)
            elif what == "stopped":
                self.stopped.setdefault(str(record["cap"]), float(record["t"]))
            elif what == "began" and not self.ident:
                self.ident = str(record["id"])
                self.carried = {str(judge): int(tokens) for judge, tokens in record["carried"].items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            self.broken += len(payload)

    def _settle(self, record: Mapping[str, Any]) -> None:
        """The truth in place of the estimate. Where damage took the estimate's record, there is nothing to replace."""
        was, now = record["was"], _group(record)
        used = [int(record[name]) for name in ("in", "out", "assumed", "money")]
        if record["id"] in self.seen or not self.is_whole:
            before = now._replace(model=str(was["model"]), billed=str(was["billed"]))
            self._add(before, Sums(-1, 0, -1, 0, 0, -int(was["tokens"]), -int(was["money"])))
        self._add(now, Sums(1, 0 if record["ok"] else 1, 0, *used))
        over = used[0] + used[1] - int(was["asked"])
        if used[0] + used[1]:
            self.over[now.judge] = max(over, self.over.get(now.judge, 0))

    def _add(self, group: Group, sums: Sums) -> None:
        if group not in self.groups and len(self.groups) >= MOST_GROUPS:
            job = group.job if group.job in SLEEP_JOBS else "other"  # else its share would have no end
            group = Group("other", "other", job, "other", group.billed)
        self.groups[group] = self.groups.get(group, Sums()).plus(sums)


def _group(record: Mapping[str, Any]) -> Group:
    return Group(*(str(record[name]) for name in Group._fields))


@value
class Caps:
    """The caps of a day; None is no cap. `money` is in millionths."""

    tokens: int | None = DEFAULT_TOKENS
    money: int | None = None
    problem: str = ""


@value
class Standing:
    """The caps of a day and their rest; None where there is no cap."""

    caps: Caps
    today: Day

    @property
    def tokens_left(self) -> int | None:
        return None if self.caps.tokens is None else max(0, self.caps.tokens - self.today.total.tokens)

    @property
    def money_left(self) -> int | None:
        return None if self.caps.money is None else max(0, self.caps.money - self.today.total.money)


def caps(config: Mapping[str, Any]) -> Caps:
    """The caps that the user set, or the defaults."""
    given = {"tokens_per_day": DEFAULT_TOKENS, "money_per_day": NO_CAP, **settings.section(config, "spend")}
    clear = [
        name for name, one in given.items() if one == NO_CAP or (type(one) in (int, float) and 0 <= one < math.inf)
    ]
    unclear = [name for name in given if name not in NAMES or name not in clear]
    if unclear:
        problem = f"{unclear[0]} under [spend] in config.toml is not understood: {' and '.join(NAMES)} are numbers"
        return Caps(0, 0, f'{problem} from 0 up, or "{NO_CAP}"')
    tokens, money = (None if given[name] == NO_CAP else min(given[name], MOST) for name in NAMES)
    return Caps(None if tokens is None else int(tokens), None if money is None else round(money * 1e6))


def share(config: Mapping[str, Any]) -> tuple[float, str]:
    """The part of each daily cap that sleep's calls may take, and what is wrong with it: then they may take nothing."""
    given = settings.section(config, "sleep").get("share", SHARE)
    if type(given) in (int, float) and 0 <= given <= 1:
        return float(given), ""
    return 0.0, "share under [sleep] in config.toml is not understood: it is a number from 0 to 1"


def standing(state: str, config: Mapping[str, Any], now: float) -> Standing:
    """Today's caps and what was spent so far."""
    return Standing(caps(config), load(state, day_of(now)))


def amount(millionths: int) -> str:
    """Money as people write it; small amounts not as nothing."""
    found = millionths / 1e6
    return f"{found:,.2f}" if not found or found >= 0.995 else f"{found:.4f}"


def fold(state: str, today: str) -> list[str]:
    """Days past their time become one record each; returns them. Under the lock. Raises NotSaved, OSError."""
    folder, done = folder_of(state), []
    yesterday = day_of(began(today) - DAY)
    for day in days(state)[:-KEPT]:
        if day < yesterday:
            _fold(state, load(state, day))
            done.append(day)
    left = {f"{day}.json" for day in days(state)}
    for name in platform.names(folder):
        if name.endswith(".tmp") or (name.endswith(".json") and name not in left):
            platform.remove(f"{folder}/{name}")  # of a writer that was killed
    return done


def _fold(state: str, found: Day) -> None:
    path = f"{folder_of(state)}/{found.day}"
    record = {"v": VERSION, **as_record(found)}
    log.append(f"{folder_of(state)}/days.log", [codec.encode(record)], durable=True)
    for one in log.scan_file(f"{path}.log") if found.broken else ():
        if one.what == log.DAMAGE:
            log.set_aside(f"{folder_of(state)}/broken", f"{found.day}.log", one)
    platform.remove(f"{path}.log")
    platform.remove(f"{path}.json")


def folded(state: str) -> list[Day]:
    """The days that are no longer kept whole. A log that a kill made us fold again is the same one."""
    found: dict[tuple[str, str], Day] = {}
    try:
        for payload in log.records(log.scan_tail(f"{folder_of(state)}/days.log", FARTHEST)):
            try:
                one = from_record(codec.decode(payload))
                found[one.day, one.ident] = one
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # of a newer version, or purged
    except FileNotFoundError:
        pass
    return list(found.values())


def began(day: str) -> float:
    return datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.UTC).timestamp()
