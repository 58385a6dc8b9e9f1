"""Friday and the Monday after: corrections, a question, a release, work left lying, the first look of a new week."""

from __future__ import annotations

from week_play.parts import MAIN, Part, need
from week_play.session import Session


def units(s: Session) -> None:
    s.user("the reader gives 431.00 for the new stations. fix please")
    s.bash("git log --oneline -3 && head -2 data/csv/station_01.csv")
    s.says("That looks like centimetres in a CSV feed. I'd scale anything above 20 down by a hundred.")
    s.user(
        "no. levels are metres in our code, the office sends centimetres for new stations and says so in a third column"
    )
    s.edit(
        "tests/test_readings.py",
        "    def test_blank_lines",
        "    def test_a_third_column_says_centimetres(self):\n"
        '        self.assertEqual(parse("2026-11-13T06:00:00;431;cm\\n")[0].level, 4.31)\n\n'
        "    def test_blank_lines",
    )
    s.bash("python -m unittest -q tests.test_readings", fails=True)
    s.edit("tidewatch/readings.py", "_reading(*row[:2])", "_reading(*row[:3])")
    s.edit("tidewatch/readings.py", "def _reading(time, level):", 'def _reading(time, level, unit="m"):')
    s.edit(
        "tidewatch/readings.py",
        "    return Reading(datetime.fromisoformat(time).replace(tzinfo=UTC), float(level))",
        '    metres = float(level) / (100 if unit == "cm" else 1)\n'
        "    return Reading(datetime.fromisoformat(time).replace(tzinfo=UTC), metres)",
    )
    s.bash("python -m unittest -q tests.test_readings")
    s.bash("python -m unittest -q")
    s.user("I hate it when a failing test gets skipped just to be green, so thanks for not doing that")
    s.bash(
        "scripts/check.sh && git add -A && git commit -q -m 'Centimetres where the feed says so' && git log"
        " --oneline -1"
    )
    s.answers(
        "Fixed and committed: a third column `cm` is honoured, everything else stays metres, and nothing is"
        " guessed from"
        " the size of a number. The three-column form is covered by a test."
    )
    s.ends()


def which_python(s: Session) -> None:
    s.user("which python version do we need at least?")
    s.bash("grep -rn 'import UTC' tidewatch | head -3")
    s.answers("3.11, because `datetime.UTC` came with it.")
    s.ends()


def release(s: Session) -> None:
    s.user("Make 0.2.0: changelog, version, tag. And again: the linter first, before the commit.")
    s.write("CHANGELOG.md", "# Changelog\n\n## 0.2.0\n\n- reads the gauge feed, finds high and low water, warns\n")
    s.write("tidewatch/__init__.py", '"""Tide gauges."""\n\n__version__ = "0.2.0"   \n')
    s.bash("python tools/lint.py", fails=True)
    s.edit("tidewatch/__init__.py", '"0.2.0"   \n', '"0.2.0"\n')
    s.bash(
        "scripts/check.sh && git add -A && git commit -q -m 'Version 0.2.0' && git tag v0.2.0 && git describe --tags"
    )
    s.answers("v0.2.0 is tagged locally on main, changelog included; the tag is not pushed, there is no remote yet.")
    s.ends()


def wind(s: Session) -> None:
    s.user("Let's try a wind correction, just an experiment: 5 cm per m/s of north-west wind.")
    s.todos(Correction_as_a_function="in_progress", Compare_with_October="pending", Decide_whether_to_keep_it="pending")
    s.write(
        "tidewatch/wind.py",
        '"""An experiment: wind that pushes water up."""\n\nPER_METRE_PER_SECOND = 0.05\n\n\n'
        'def corrected(level, wind):\n    """The level without what the wind adds."""\n'
        "    return level - PER_METRE_PER_SECOND * max(0.0, wind)\n",
    )
    s.bash('python -c "from tidewatch.wind import corrected; print(corrected(5.1, 12))"')
    s.todos(
        Correction_as_a_function="completed", Compare_with_October="in_progress", Decide_whether_to_keep_it="pending"
    )
    s.user("leave it uncommitted over the weekend, I want to compare it with October first")
    s.answers(
        "Left as it is: tidewatch/wind.py is new and uncommitted, no test yet. To compare with October we need"
        " the October"
        " levels in data/csv; after that you decide whether it stays. 0.05 m per m/s is your guess, not a"
        " measured value."
    )
    s.ends()


def monday_again(s: Session) -> None:
    s.user("morning. what was left?")
    s.bash("git status --short && git log --oneline -3")
    s.answers("The wind correction: tidewatch/wind.py is uncommitted, waiting for the comparison with October.")
    s.ends()


FRIDAY = (
    Part(
        "2026-11-13 09:11",
        MAIN,
        "Units were corrected by the user in plain words (metres in the code, centimetres where the feed says so), and"
        " they said what they hate.",
        units,
        needs=(
            need("centimetres are committed", "Centimetres where the feed says so"),
            need("nothing is guessed from size", "third column"),
        ),
        lasts=(
            need("correction: metres in the code", "levels are metres"),
            need("dislike: skipped tests", "skipped"),
        ),
    ),
    Part(
        "2026-11-13 11:25",
        MAIN,
        "The user asked one question; the agent looked, nothing was changed.",
        which_python,
        works=False,
    ),
    Part(
        "2026-11-13 13:36",
        MAIN,
        "Version 0.2.0 was made; lint failed once. The user repeated the order about the linter.",
        release,
        needs=(
            need("the release is tagged", "0.2.0"),
            need("the tag is not pushed", "not pushed"),
        ),
    ),
    Part(
        "2026-11-13 16:08",
        MAIN,
        "A wind correction was tried and left uncommitted on purpose, with todos open.",
        wind,
        needs=(
            need("the experiment lies uncommitted", "tidewatch/wind.py", "uncommitted|not committed|not in a commit"),
            need("open todo", "October"),
            need("the number is a guess", "guess|0.05"),
            need("nothing is decided yet", "Decide whether to keep it|decide whether"),
        ),
        short=True,
    ),
    Part(
        "2026-11-16 08:58",
        MAIN,
        "The user asked what was left, and went.",
        monday_again,
        works=False,
    ),
)
