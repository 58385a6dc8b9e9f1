"""Monday: the reader is written, somebody asks a question, high water is found."""

from __future__ import annotations

from week_play.parts import MAIN, Part, need
from week_play.session import Session

READINGS = '''"""Readings of a gauge, from the CSV that the gauges send."""

import csv
from datetime import datetime
from typing import NamedTuple


class Reading(NamedTuple):
    time: datetime
    level: float


def parse(text):
    """The readings in a feed, oldest first."""
    rows = csv.reader(text.splitlines(), delimiter=";")
    found = [Reading(datetime.fromisoformat(row[0]), float(row[1])) for row in rows if row]
    return sorted(found)
'''
TEST_READINGS = '''"""The reader."""

import unittest
from datetime import timedelta

from tidewatch.readings import parse

FEED = "2026-11-09T06:10:00;4.31\\n2026-11-09T00:02:00;1.12\\n"


class Reader(unittest.TestCase):
    def test_the_oldest_reading_comes_first(self):
        self.assertEqual([one.level for one in parse(FEED)], [1.12, 4.31])

    def test_times_are_utc(self):
        self.assertEqual(parse(FEED)[0].time.utcoffset(), timedelta(0))

    def test_blank_lines_are_passed_over(self):
        self.assertEqual(len(parse("\\n" + FEED)), 2)
'''
EXTREMES = '''"""High and low water in a row of readings."""


def highs(readings):
    """The readings that are higher than both their neighbours."""
    inner = zip(readings, readings[1:], readings[2:])
    return [here for before, here, after in inner if before.level < here.level > after.level]


def lows(readings):
    inner = zip(readings, readings[1:], readings[2:])
    return [here for before, here, after in inner if before.level > here.level < after.level]
'''
TEST_EXTREMES = '''"""High and low water."""

import unittest
from collections import namedtuple

from tidewatch.extremes import highs, lows

R = namedtuple("R", "time level")


def row(*levels):
    return [R(nth, level) for nth, level in enumerate(levels)]


class Extremes(unittest.TestCase):
    def test_a_peak_is_a_high(self):
        self.assertEqual([one.time for one in highs(row(1, 3, 2))], [1])

    def test_a_plateau_is_one_high_at_its_beginning(self):
        self.assertEqual([one.time for one in highs(row(1, 3, 3, 3, 2))], [1])

    def test_a_step_is_no_high(self):
        self.assertEqual(highs(row(1, 2, 2, 3)), [])

    def test_a_valley_is_a_low(self):
        self.assertEqual([one.time for one in lows(row(3, 1, 2))], [1])
'''


def reader(s: Session) -> None:
    s.user(
        "Hi, let's get the reader of the gauge feed going. The feed is CSV with semicolons, time and level in"
        " metres, and"
        " the gauges send UTC, not local time. Put it in tidewatch/readings.py, with tests. unittest is fine."
    )
    s.says("I'll look at what is there before I write anything.")
    s.bash("git log --oneline && ls -R tidewatch tests tools scripts | head -40")
    s.read("README.md")
    s.write("tidewatch/readings.py", READINGS)
    s.write("tests/test_readings.py", TEST_READINGS)
    s.bash("python -m unittest -q tests.test_readings", "Run the reader's tests", fails=True)
    s.says(
        "One failure, and it is a real one: `fromisoformat` gives a naive datetime when the feed carries no offset, so"
        " `utcoffset()` is None. I'd rather attach UTC in the reader than let every caller guess."
    )
    s.edit("tidewatch/readings.py", "from datetime import datetime\n", "from datetime import UTC, datetime\n")
    s.edit(
        "tidewatch/readings.py", "datetime.fromisoformat(row[0])", "datetime.fromisoformat(row[0]).replace(tzinfo=UTC)"
    )
    s.bash("python -m unittest -q tests.test_readings")
    s.user("good. From now on run tools/lint.py before every commit, please. I keep finding long lines afterwards.")
    s.bash("python tools/lint.py", fails=True)
    s.edit(
        "tidewatch/readings.py",
        "    found = [Reading(datetime.fromisoformat(row[0]).replace(tzinfo=UTC), float(row[1])) for row in rows"
        " if row]\n"
        "    return sorted(found)\n",
        "    return sorted(_reading(*row[:2]) for row in rows if row)\n\n\n"
        "def _reading(time, level):\n"
        '    """The gauges send UTC without saying so."""\n'
        "    return Reading(datetime.fromisoformat(time).replace(tzinfo=UTC), float(level))\n",
    )
    s.bash("python tools/lint.py && python -m unittest -q")
    s.bash(
        "git add -A && git commit -q -m 'Read the gauge feed' -m 'The gauges send UTC without an offset, so the reader"
        " attaches it: a naive time would be taken for local time by whoever compares it.' && git log --oneline -1"
    )
    s.answers(
        "The reader is in and committed. `parse()` in tidewatch/readings.py takes the semicolon CSV, attaches"
        " UTC to the"
        " naive timestamps and sorts by time; three tests, lint clean. Next would be finding high and low water"
        " from the"
        " readings. I have not decided what to do with rows that have no level; at the moment they raise ValueError."
    )
    s.ends()


def what_is_a_threshold(s: Session) -> None:
    s.user("quick one: what's the difference between mean high water and the warning threshold again?")
    s.answers(
        "Mean high water is the long-term average of the high waters at a station; the warning threshold is a"
        " level that"
        " the harbour office sets per station, usually well above it. Only the second one should trigger anything."
    )
    s.ends()


def high_water(s: Session) -> None:
    s.user(
        "Now high and low water: tidewatch/extremes.py. We keep the functions pure, reading files belongs in the CLI."
    )
    s.todos(
        Write_highs_and_lows="in_progress", Handle_plateaus_TW_5="pending", Mention_extremes_in_the_README="pending"
    )
    s.write("tests/test_extremes.py", TEST_EXTREMES)
    s.write("tidewatch/extremes.py", EXTREMES)
    s.bash("python -m unittest -q tests.test_extremes", fails=True)
    s.says(
        "The plateau test fails, as expected with a strict comparison on both sides. My first idea is to drop equal"
        " neighbours only on the right."
    )
    s.edit(
        "tidewatch/extremes.py",
        "if before.level < here.level > after.level]",
        "if before.level < here.level >= after.level]",
    )
    s.bash("python -m unittest -q tests.test_extremes", fails=True)
    s.says(
        "Now a step counts as a high (1, 2, 2, 3): `>=` cannot tell a plateau from a step. The neighbours have"
        " to be the"
        " next *different* levels, so I'll fold runs of equal levels first and keep the first reading of each run."
    )
    s.write(
        "tidewatch/extremes.py",
        '"""High and low water in a row of readings."""\n\n\n'
        "def highs(readings):\n"
        '    """The readings that are higher than what is around them; of a plateau its first."""\n'
        "    inner = _triples(readings)\n"
        "    return [here for before, here, after in inner if before.level < here.level > after.level]\n\n\n"
        "def lows(readings):\n"
        "    inner = _triples(readings)\n"
        "    return [here for before, here, after in inner if before.level > here.level < after.level]\n\n\n"
        "def _triples(readings):\n"
        '    """Each run of equal levels counts once, as its first reading."""\n'
        "    folded = readings[:1]\n"
        "    for one in readings[1:]:\n"
        "        if one.level != folded[-1].level:\n"
        "            folded.append(one)\n"
        "    return zip(folded, folded[1:], folded[2:])\n",
    )
    s.bash("python -m unittest -q tests.test_extremes")
    s.todos(
        Write_highs_and_lows="completed", Handle_plateaus_TW_5="completed", Mention_extremes_in_the_README="pending"
    )
    s.bash("python tools/lint.py")
    s.bash("python -m unittest -q")
    s.user("By hand? Don't we have scripts/check.sh for that?")
    s.bash("scripts/check.sh")
    s.bash("python tools/tickets.py close TW-5 --reason 'Runs of equal levels are folded before the comparison'")
    s.bash(
        "git add -A && git commit -q -m 'Find high and low water' -m 'Runs of equal levels are folded first: with >= on"
        " one side a step counted as a high. Closes TW-5.' && git status --short"
    )
    s.answers(
        "High and low water are found, TW-5 is closed and committed. The thing to remember about plateaus:"
        " comparing with"
        " `>=` looks right and is wrong, because a step then counts as a high; folding runs of equal levels"
        " first is what"
        " made all four tests pass. I used scripts/check.sh for lint and tests. Still open: the README does not mention"
        " extremes yet, and alerts (TW-3) are next."
    )
    s.ends()


MONDAY = (
    Part(
        "2026-11-09 09:10",
        MAIN,
        "The reader of the gauge feed was written, its UTC test failed and was mended, and it was committed. The"
        " user gave"
        " a standing order: the linter before every commit.",
        reader,
        needs=(
            need("the reader is committed", "Read the gauge feed"),
            need("where it is", "tidewatch/readings.py"),
            need("what comes next", "high and low water"),
            need("rows without a level are undecided", "no level", "ValueError|not decided"),
            need("the last test result", "Ran 3 tests|3 tests|three tests"),
        ),
        lasts=(
            need("order: lint before every commit", "tools/lint.py before every commit"),
            need("the gauges send UTC", "send UTC|UTC, not local|are UTC|attaches UTC|in UTC|UTC too"),
        ),
        short=True,
    ),
    Part(
        "2026-11-09 11:32",
        MAIN,
        "The user asked one question. Nothing was changed.",
        what_is_a_threshold,
        works=False,
        short=True,
    ),
    Part(
        "2026-11-09 14:05",
        MAIN,
        "High and low water were written. A plateau test failed, the first idea broke another test, the second passed;"
        " TW-5 was closed. The user said how they want it (pure functions) and corrected the agent with a question.",
        high_water,
        needs=(
            need("high and low water are committed", "Find high and low water"),
            need("TW-5 is closed", "TW-5", "clos"),
            need("why plateaus are folded", "fold", "step"),
            need("open todo", "README", "extremes"),
            need("alerts are next", "TW-3|alerts"),
        ),
        lasts=(
            need("order: pure functions", "keep the functions pure"),
            need("correction: use the check script", "scripts/check.sh"),
        ),
        short=True,
    ),
)
