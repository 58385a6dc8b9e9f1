"""Thursday: a long session with a compaction, the second branch goes on, and the model speaks once."""

from __future__ import annotations

from week_play.parts import FEED, MAIN, Part, need
from week_play.session import Session

STATIONS_PY = '''"""The stations, with the levels that the harbour office sets."""

from typing import NamedTuple


class Station(NamedTuple):
    name: str
    warning: float
    alarm: float


STATIONS = {
    "HEL": Station("Helgoland", 5.10, 6.20),
    "CUX": Station("Cuxhaven", 5.00, 6.50),
    "BHV": Station("Bremerhaven", 5.30, 6.90),
}
'''
CLI = '''"""The command line: `python -m tidewatch.cli warn CUX FILE`."""

import argparse
import pathlib
import sys

from tidewatch.alerts import alerts
from tidewatch.readings import parse
from tidewatch.stations import STATIONS


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["warn"])
    parser.add_argument("station", choices=sorted(STATIONS))
    parser.add_argument("file", type=pathlib.Path)
    told = parser.parse_args(argv)
    station = STATIONS[told.station]
    found = alerts(told.station, parse(told.file.read_text()), station.warning, station.alarm)
    for one in found:
        print(f"{one.time:%Y-%m-%d %H:%M} UTC {one.kind} {one.level:.2f} m at {station.name}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''
TEST_CLI = '''"""The command line."""

import io
import pathlib
import tempfile
import unittest
from contextlib import redirect_stdout

from tidewatch.cli import main


def run(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "f.csv")
        path.write_text(text)
        said = io.StringIO()
        with redirect_stdout(said):
            status = main(["warn", "CUX", str(path)])
    return status, said.getvalue()


class Warn(unittest.TestCase):
    def test_a_flood_is_printed_and_the_status_says_so(self):
        status, said = run("2026-11-12T06:00:00;5.20\\n")
        self.assertEqual((status, said), (1, "2026-11-12 06:00 UTC warning 5.20 m at Cuxhaven\\n"))

    def test_without_one_nothing_is_printed(self):
        self.assertEqual(run("2026-11-12T06:00:00;4.20\\n"), (0, ""))
'''
SUMMARY = (
    "The conversation is summarized below:\n"
    "1. Primary Request and Intent: the user wants the `warn` command of the tidewatch CLI (python -m "
    "tidewatch.cli warn STATION FILE). It prints one line per alert and exits with 1 if there was any, so "
    "that cron can mail it. Station levels come from the harbour office's table (HEL, CUX, BHV), kept in "
    "tidewatch/stations.py.\n"
    "2. Key Technical Concepts: pure functions, file reading only in the CLI; UTC everywhere; exit status as "
    "the signal.\n"
    "3. Files: tidewatch/stations.py (new, committed), tidewatch/cli.py (new, not yet committed), "
    "tests/test_cli.py (new, not yet committed).\n"
    "4. Errors and fixes: argparse printed the station choices as a set in random order, fixed with sorted(). "
    "The first draft printed local time because of strftime on an aware time converted with astimezone(); "
    "removed.\n"
    '5. User\'s words: "exit with 1 if there was any alert, I want to put it in cron", "no colours, cron mails '
    'look terrible with them".\n'
    "6. Pending: README section about cron; a --json output was discussed and put off until somebody needs "
    "it.\n"
    "7. Current work: tests/test_cli.py passes; scripts/check.sh has not been run since cli.py was written.\n"
)


def warn_command(s: Session) -> None:
    s.user("Today the warn command. exit with 1 if there was any alert, I want to put it in cron.")
    s.bash("git log --oneline -4 && ls tidewatch tests")
    s.read("tidewatch/alerts.py")
    s.todos(Station_table="in_progress", warn_command="pending", README_section_about_cron="pending")
    s.write("tidewatch/stations.py", STATIONS_PY)
    s.bash(
        "python tools/lint.py && git add -A && git commit -q -m 'The stations and their levels' && git log --oneline -1"
    )
    s.todos(Station_table="completed", warn_command="in_progress", README_section_about_cron="pending")
    s.write(
        "tidewatch/cli.py",
        CLI.replace("{one.time:", "{one.time.astimezone():").replace("sorted(STATIONS)", "set(STATIONS)"),
    )
    s.bash("python -m tidewatch.cli warn CUX data/csv/station_12.csv; echo status $?")
    s.user("no colours, cron mails look terrible with them. and --json can wait until somebody needs it")
    s.write("tests/test_cli.py", TEST_CLI)
    s.bash("python -m unittest -q tests.test_cli")
    s.says(
        "It passes here only because this machine runs on UTC: `astimezone()` would print local time elsewhere. That is"
        " exactly the mistake the reader was careful about. Taking it out; and choices from a set come in random order."
    )
    s.edit("tidewatch/cli.py", "{one.time.astimezone():", "{one.time:")
    s.edit("tidewatch/cli.py", "set(STATIONS)", "sorted(STATIONS)")
    s.bash("python -m unittest -q tests.test_cli")
    s.compacts(SUMMARY)
    s.bash("scripts/check.sh")
    s.edit(
        "README.md",
        "warns.\n",
        "warns.\n\n    python -m tidewatch.cli warn CUX FILE   # status 1 if there was an alert: put it in cron\n",
    )
    s.bash(
        "git add -A && git commit -q -m 'The warn command' -m 'One line per alert in UTC, status 1 if there was any, no"
        " colours: cron mails them.' && git log --oneline -1"
    )
    s.answers(
        "`warn` is committed with its tests and a line in the README. Times are printed in UTC on purpose;"
        " `astimezone()`"
        " had slipped in and only looked right on a UTC machine. --json is put off until somebody needs it. Next: the"
        " levels as floats worry me a little when a reading is exactly at the threshold."
    )
    s.ends()


def feed_nulls(s: Session) -> None:
    s.user("now the nulls in the JSON feed")
    s.edit(
        "tests/test_feed.py",
        "    def test_the_time_has",
        "    def test_a_gauge_that_is_down_is_left_out(self):\n"
        '        down = \'{"values": [{"t": "2026-11-10T06:00:00+00:00", "cm": null}]}\'\n'
        "        self.assertEqual(parse(down), [])\n\n"
        "    def test_the_time_has",
    )
    s.bash("python -m unittest -q tests.test_feed", fails=True)
    s.edit("tidewatch/feed.py", "_reading(row) for row in rows)", '_reading(row) for row in rows if row["cm"])')
    s.bash("python -m unittest -q tests.test_feed")
    s.says(
        'Green, but `if row["cm"]` also drops a level of 0 cm, which is a real level at low water. A test for'
        " that first."
    )
    s.edit(
        "tests/test_feed.py",
        "    def test_the_time_has",
        "    def test_zero_is_a_level(self):\n"
        '        zero = \'{"values": [{"t": "2026-11-10T06:00:00+00:00", "cm": 0}]}\'\n'
        "        self.assertEqual(parse(zero)[0].level, 0.0)\n\n"
        "    def test_the_time_has",
    )
    s.bash("python -m unittest -q tests.test_feed", fails=True)
    s.edit("tidewatch/feed.py", 'if row["cm"])', 'if row["cm"] is not None)')
    s.bash("scripts/check.sh")
    s.bash(
        "git add -A && git commit -q -m 'Leave out gauges that are down' -m 'null is no level, 0 is one: is not"
        " None, not"
        " truth.' && git log --oneline -1"
    )
    s.answers(
        "Nulls are left out on feed-v2, and zero stays a level (`is not None`; the truth test dropped it and a test now"
        " guards that). Before the merge to main somebody has to decide which feed the CLI reads by default."
    )
    s.ends()


def rounding(s: Session) -> None:
    s.user("A reading of exactly 5.00 at Cuxhaven: warning or not? Harbour office says at the level counts.")
    s.bash('python -c "print(5.0 > 5.0, round(4.995, 2), round(5.005, 2))"')
    s.says("So it is >= then. And while looking at rounding: floats near the threshold print as if they were on it.")
    s.bash("holdfast flag --kind rule 'Levels are compared as Decimal, never as float'")
    s.edit(
        "tidewatch/alerts.py",
        'one.level > alarm else "warning" if one.level > warning',
        'one.level >= alarm else "warning" if one.level >= warning',
    )
    s.edit(
        "tests/test_alerts.py",
        "    def test_two_floods",
        "    def test_at_the_level_counts(self):\n"
        '        self.assertEqual(len(alerts("CUX", [R(0, 5.0)], 5.0, 6.0)), 1)\n\n'
        "    def test_two_floods",
    )
    s.bash("scripts/check.sh")
    s.bash("git add -A && git commit -q -m 'A level at the threshold counts' -m 'As the harbour office defines it.'")
    s.answers("At the level counts now (`>=`), with a test, committed. I left the levels as floats.")
    s.ends()


THURSDAY = (
    Part(
        "2026-11-12 09:04",
        MAIN,
        "A long session wrote the `warn` command; the host compacted it in the middle with a summary of its own, and it"
        " was committed afterwards.",
        warn_command,
        needs=(
            need("the warn command is committed", "The warn command"),
            need("status 1 for cron", "cron", "status 1|exit with 1|exits with 1"),
            need("why astimezone was taken out", "astimezone"),
            need("--json is put off", "--json"),
            need("floats at the threshold are next", "float", "threshold"),
            need("the station table has its file", "stations.py"),
        ),
        lasts=(need("order: no colours", "no colours"),),
    ),
    Part(
        "2026-11-12 13:12",
        FEED,
        "In the second work tree nulls were dealt with; the first try dropped zero too, a test found it.",
        feed_nulls,
        needs=(
            need("nulls are committed", "Leave out gauges that are down"),
            need("zero is a level", "zero|0 is", "is not None"),
            need("the default feed is undecided", "by default"),
        ),
        short=True,
    ),
    Part(
        "2026-11-12 16:05",
        MAIN,
        "A threshold bug was mended. The one time the model spoke, it flagged a rule of its own that the user"
        " never gave.",
        rounding,
        needs=(
            need("at the threshold counts", "A level at the threshold counts"),
            need("levels are floats still", "float"),
        ),
        short=True,
    ),
)
