"""Wednesday: a long task in units is killed and goes on, another project has its turn, and a question is asked."""

from __future__ import annotations

from week_play.parts import MAIN, RECIPES, Part, need
from week_play.session import Session

CONVERT = '''"""Convert one legacy station file to the CSV of the feed: `convert.py 07`."""

import pathlib
import sys

number = sys.argv[1]
lines = pathlib.Path(f"data/legacy/station_{number}.txt").read_text().splitlines()
rows = [line.split() for line in lines if line and not line.startswith("#")]
text = "".join(f"{day}T{hour}:00;{float(level):.2f}\\n" for day, hour, level in rows)
pathlib.Path("data/csv").mkdir(exist_ok=True)
pathlib.Path(f"data/csv/station_{number}.csv").write_text(text)
print(f"station_{number}.csv: {len(rows)} rows")
'''
READ_BACK = (
    'python -c "import pathlib; from tidewatch.readings import parse; '
    "print(len(parse(pathlib.Path('data/csv/station_{}.csv').read_text())), 'rows read back')\""
)


def convert(s: Session, number: int) -> None:
    """One unit, as the agent does each: convert, read back, commit. It never says to anybody how far it is."""
    s.bash(f"python tools/convert.py {number:02}")
    s.bash(READ_BACK.format(f"{number:02}"))
    s.bash(f"git add -A && git commit -q -m 'Convert station file {number:02}'")


def conversion_killed(s: Session) -> None:
    s.user(
        "I've started the task legacy-files: convert data/legacy to data/csv, one file after the other, and read"
        " each back"
        " with the reader before you commit it. Old levels are already metres, don't scale them."
    )
    s.write("tools/convert.py", CONVERT)
    s.says("A small script, so that each file is the same two steps. Starting with 01.")
    for number in range(1, 6):
        convert(s, number)
    s.says("Five of twelve are done, all read back with two rows each. Going on with 06.")
    s.bash("python tools/convert.py 06")
    s.killed_during("python -c 'import time; time.sleep(60)'  # read station_06.csv back")


def conversion_goes_on(s: Session) -> None:
    s.user("the terminal died on me. where were we with the station files? go on please")
    s.bash("git log --oneline -8 && git status --short && ls data/csv")
    s.says("01 to 05 are committed, 06 is converted but was not read back. Reading it back first, then going on.")
    s.bash(READ_BACK.format("06"))
    s.bash("git add -A && git commit -q -m 'Convert station file 06'")
    for number in (7, 8):
        convert(s, number)
    s.user(
        "ok stop here, lunch. the staging feed is wiped every night by the way, so never compare against yesterday's"
    )
    s.answers(
        "Stopped after 08: station files 01 to 08 are converted, read back and committed; 09 to 12 are left. Comparing"
        " with the staging feed only makes sense for data of the same day, then, because it is wiped at night."
    )
    s.ends()


def bread(s: Session) -> None:
    s.user("Scale the bread for two loaves and add the sourdough variant. Always give weights in grams here.")
    s.read("bread.md")
    s.write(
        "bread.md",
        "# Bread\n\nTwo loaves: flour 1000 g, water 700 g, salt 20 g.\n\nSourdough: 200 g starter, water 650 g,"
        " oven at 240 degrees.\n",
    )
    s.bash("git add -A && git commit -q -m 'Two loaves, and a sourdough variant'")
    s.answers("bread.md has two loaves and the sourdough variant now, in grams; oven at 240 degrees.")
    s.ends()


def how_to_run_one_test(s: Session) -> None:
    s.user("how do I run just one unittest again?")
    s.answers(
        "`python -m unittest tests.test_alerts.Alerts.test_a_flood_is_one_alert`, or with -k and a part of the name."
    )
    s.ends()


def conversion_ends(s: Session) -> None:
    s.user("continue with the station files. they're UTC too of course")
    s.bash("ls data/csv | tail -2 && git log --oneline -2")
    for number in range(9, 13):
        convert(s, number)
    s.bash("scripts/check.sh")
    s.bash("python tools/tickets.py close TW-8 --reason 'All twelve station files converted and read back'")
    s.bash(
        "git add -A && git commit -q -m 'All legacy station files are converted' -m 'Closes TW-8. Levels were"
        " metres already.'"
    )
    s.answers(
        "All twelve station files are converted, each read back with two rows, and TW-8 is closed. data/legacy is still"
        " there; I would delete it only after the `warn` command has run once against data/csv."
    )
    s.ends()


WEDNESDAY = (
    Part(
        "2026-11-11 09:07",
        MAIN,
        "The user had started a task of twelve files. The agent converted five of them and the sixth half, never"
        " said how"
        " far it was, and was killed (SIGKILL) in the middle of a call.",
        conversion_killed,
        needs=(
            need("it was killed", "killed|died|ended without|did not end|cut off"),
            need("05 is done", "station file 05|files 01-05|01 to 05|file 05|files 1-5"),
            need("06 was under way", "station_06|file 06|convert.py 06|06 (stopped"),
            need("levels are metres already", "metres"),
            need("how a file is converted", "tools/convert.py"),
        ),
        short=True,
    ),
    Part(
        "2026-11-11 10:15",
        MAIN,
        "The task went on from file 06 to 08 and the user stopped it. They said in passing that staging is wiped every"
        " night.",
        conversion_goes_on,
        needs=(
            need("08 is done", "station file 08|01 to 08|01-08|files 1-8"),
            need("09 is next", "file 09|09 to 12|09-12|file 9"),
        ),
        lasts=(need("fact: staging is wiped every night", "staging", "wiped"),),
        short=True,
    ),
    Part(
        "2026-11-11 13:02",
        RECIPES,
        "A session in another project: bread. Nothing of it belongs here.",
        bread,
        needs=(need("bread is committed", "Two loaves"),),
        short=True,
    ),
    Part(
        "2026-11-11 14:26",
        MAIN,
        "The user asked one question. Nothing was changed.",
        how_to_run_one_test,
        works=False,
        short=True,
    ),
    Part(
        "2026-11-11 15:33",
        MAIN,
        "The last four files were converted, TW-8 was closed. UTC was said a third time.",
        conversion_ends,
        needs=(
            need("all files are converted", "All legacy station files are converted|All twelve"),
            need("TW-8 is closed", "TW-8", "clos"),
            need("data/legacy stays for now", "data/legacy"),
        ),
    ),
)
