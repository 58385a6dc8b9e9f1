"""Ways by which outside text enters a session: every one taints it, and work on the repository's own text does not.

A real repository with tracked, untracked, ignored and vendored files. Each way that fetches or reads something unknown
is tried by itself and within wrappers (env, sudo, sh -c, pipes, substitutions, …); a spread sample goes through whole
hook calls, and what is flagged after it must carry an outside origin. What is own must stay so: a taint that comes with
every `pytest` would make people switch it off.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from hook_support import Home

from holdfast import taint
from holdfast.hosts import claude_code
from holdfast.model import Moment
from holdfast.taint.known_text import Ground

from . import support
from .ways import FETCHES, OWN_COMMANDS, OWN_TOOLS, TOOLS, WRAPPERS, Call

pytestmark = pytest.mark.attacks

TRACKED = (
    "README.md",
    "src/shop/__init__.py",
    "src/shop/orders.py",
    "src/shop/prices.py",
    "tests/test_orders.py",
    "scripts/check.sh",
    "scripts/report.py",
    "docs/guide.md",
    "package.json",
    "Makefile",
    "gradlew",
    ".claude/skills/release/SKILL.md",
    "vendor/lib/notes.md",
    "dist/bundle.js",
)
UNTRACKED = ("page.html", "notes/from-a-friend.md", "downloads/readme.txt")
IGNORED = ("node_modules/left/README.md", "node_modules/.bin/left", ".venv/lib/site-packages/x/doc.md", "secret.log")
SEEDS = (
    "curl x",
    "ls; curl x",
    "echo a; X=curl; $X y",
    'echo "$(curl x)"',
    "for i in 1 2; do curl $i; done",
    "if true; then curl x; fi",
    "env A=1 curl x",
    "sudo timeout 5 curl x",
    "sh -c 'curl x'",
    'bash -c "echo a; curl x"',
    "echo x | xargs curl",
    "sh <<E\ncurl x\nE\necho a",
    "cat <<'E'\ncurl x\nE\necho a",
    "echo 'curl x'",
    'echo "curl x" # curl y',
    "case a in a) curl x;; *) ls;; esac",
    "[[ -n a ]] && curl x",
    "cat <(curl x)",
    "eval 'curl x'",
    "(echo a; curl x) | cat",
    "{ curl x; } > /dev/null",
    "while true; do curl x; break; done",
    "echo a `curl x` b",
    "A=$(curl x) echo b",
    "! curl x",
    "ls && echo curl",
)
PIECES = (
    *(" ", "\n", ";", " && ", " | ", " & ", "$(", ")", "`", "'", '"', "\\", "(", "{ ", "; }", "$X", "${X}", "A=1 "),
    *("env ", "sudo ", "command ", "exec ", "eval ", "if ", "; then ", "; fi", "; done", "$i", "! ", ";; esac", "[[ "),
    *(" ]]", " < /dev/null", " > out", " 2>&1", "<<E\n", "\nE\n", "<<< ", "# ", "<(", "f() { ", "time ", "$'", "{a,b}"),
    *(
        "\\\n",
        "''",
        "trap '",
        "' EXIT",
        "set -- curl x;",
        '"$@"',
        "$1",
        "read X <<< curl;",
        "export ",
        "[ a ] ",
        "((1))",
    ),
)
PLAIN = "'\"`$\\;|<>&{}()*"  # signs that a wrapper would read in its own way


class Place:
    """The repository, and what is known around a session in it."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.root = home.project
        self.other = home.folder / "other"
        self.git("init", "-q", "-b", "main", str(self.root), at=home.folder)
        for path in (*TRACKED, *UNTRACKED, *IGNORED):
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{path}\n")
        (self.root / ".gitignore").write_text("node_modules/\n.venv/\n*.log\n")
        (self.root / "scripts" / "check.sh").write_text("#!/bin/sh\npytest -q\n")
        self.git("add", "-f", *TRACKED, ".gitignore")
        self.git("commit", "-q", "-m", "the shop")
        self.git("branch", "feature")
        self.git("tag", "v1")
        self.head = self.git("rev-parse", "HEAD")
        self.theirs = self.git("commit-tree", self.git("rev-parse", "HEAD^{tree}"), "-m", "do as I say")
        for ref in ("origin/main", "fork/evil"):
            self.git("update-ref", f"refs/remotes/{ref}", self.theirs)
        self.git("worktree", "add", "-q", str(home.folder / "beside"), "feature")
        (home.folder / "notes.md").write_text("x\n")
        (self.root / "docs" / "linked.md").symlink_to(home.folder / "notes.md")
        self.git("add", "docs/linked.md")
        # A package that says of its own folder that it is a work tree of ours.
        (self.root / "node_modules" / "left" / ".git").write_text(f"gitdir: {self.root}/.git\n")
        for folder in (self.other, self.root / "tmp-clone"):
            self.git("init", "-q", str(folder), at=home.folder)
            for name in ("theirs.md", "README.md"):
                (folder / name).write_text("do as I say\n")
            self.git("add", ".", at=folder)

    def git(self, *words: str, at: Path | None = None) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        for who in ("AUTHOR", "COMMITTER"):
            env |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.org"}
        done = subprocess.run(["git", *words], cwd=at or self.root, env=env, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def fill(self, text: str) -> str:
        folder = self.home.folder
        marks = {"root": self.root, "home": folder, "other": self.other, "beside": folder / "beside"}
        for mark, value in {**marks, "vault": self.home.vault, "head": self.head, "theirs": self.theirs}.items():
            text = text.replace(f"{{{mark}}}", str(value))
        return text

    def ground(self) -> Ground:
        folder, vault = str(self.home.folder), str(self.home.vault)
        return Ground(str(self.root), vault, home=folder, session="s1", state=self.home.state)

    def of_command(self, command: str) -> str:
        moment = Moment("claude-code", "after-tool", "s1", str(self.root), tool="Bash", command=self.fill(command))
        return taint.of_call(moment, self.ground(), taint.trust_of({}))[0]

    def of_tool(self, tool: str, given: dict[str, Any], answer: object = None) -> str:
        moment = claude_code.moment(self.payload(tool, given, answer), {})
        return taint.of_call(moment, self.ground(), taint.trust_of({}))[0]

    def payload(self, tool: str, given: dict[str, Any], answer: object, session: str = "s1") -> dict[str, Any]:
        filled = json.loads(self.fill(json.dumps(given)))
        what = {"hook_event_name": "PostToolUse", "session_id": session, "cwd": str(self.root), "tool_name": tool}
        return {**what, "tool_input": filled, "tool_response": answer}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(Home(tmp_path_factory.mktemp("ways") / "home"))


def wrapped() -> list[str]:
    """Each way in within each wrapper, where a shell would read it there as it stands."""
    plain = [way for way in FETCHES if not any(sign in way for sign in PLAIN)]
    return [wrapper.replace("{q}", f"'{way}'").replace("{}", way) for way in plain for wrapper in WRAPPERS]


def test_every_way_in_taints(place: Place) -> None:
    through = [way for way in FETCHES if not place.of_command(way)]
    support.count("ways in: commands", len(FETCHES), len(through))
    assert through == []


def test_no_wrapper_hides_a_way_in(place: Place) -> None:
    ways = support.sample(wrapped(), 1200)
    through = [way for way in ways if not place.of_command(way)]
    support.count("ways in: within wrappers", len(ways), len(through))
    assert through == []


def test_every_tool_that_brings_unknown_text_taints(place: Place) -> None:
    through = [(tool, given) for tool, given, answer in TOOLS if not place.of_tool(tool, given, answer)]
    support.count("ways in: tools", len(TOOLS), len(through))
    assert through == []


def test_what_is_flagged_after_a_way_in_carries_an_outside_origin(place: Place) -> None:
    """Whole hook calls, each in a session of its own."""
    ways = [("Bash", {"command": way}, None) for way in support.sample(FETCHES, 24)] + support.sample(TOOLS, 16)
    through = [way for nth, way in enumerate(ways) if _origin_after(place, f"way-{nth}", way) in ("agent", "user")]
    support.count("ways in: whole hook calls", len(ways), len(through))
    assert through == []


def test_a_session_that_reads_tests_and_commits_its_own_repository_stays_clean(place: Place) -> None:
    """Whole hook calls, all in one session."""
    commands = _joined(OWN_COMMANDS.split("\n\n"))
    ways: list[Call] = [("Bash", {"command": one}, None) for one in support.sample(commands, 24)]
    origins = {_origin_after(place, "clean", way) for way in (*ways, *support.sample(OWN_TOOLS, 16))}
    assert origins == {"agent"}


def _origin_after(place: Place, session: str, way: Call) -> str:
    """The origin of a flag that is heard after a call."""
    home = place.home
    home.reply(place.payload(*way, session))
    text = f"after {session} {len(home.waiting())}"
    line = {"command": f"holdfast flag '{text}'"}
    home.reply(home.event("PreToolUse", session, tool_name="Bash", tool_input=line))
    return next(one.origin for one in home.waiting() if one.text == text)


def test_no_line_that_a_shell_runs_a_program_from_is_called_clean(tmp_path: Path) -> None:
    """Lines changed at random are run by the real shell, where `curl` is a stub that leaves a mark: if it has run, the
    line must have been seen to bring outside text."""
    programs, work = tmp_path / "bin", tmp_path / "work"
    programs.mkdir()
    for name in ("env", "sh", "bash", "xargs", "timeout", "cat", "ls", "nice"):
        (programs / name).symlink_to(str(shutil.which(name)))
    for name, text in (("curl", 'echo ran >> "$MARK"'), ("sudo", 'exec "$@"')):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    ground = Ground(str(work), str(tmp_path / "vault"))
    env = {"PATH": str(programs), "HOME": str(work), "LC_ALL": "C"}
    dice = random.Random(16)
    ran, clean, through = 0, 0, []
    for nth in range(2500 if support.NAME == "full" else 300):
        line = _changed(SEEDS[nth % len(SEEDS)], dice)
        mark = tmp_path / f"ran-{nth}"  # each its own: one that runs on in the background marks no other
        shell = subprocess.Popen(
            ["/bin/bash", "-c", line],
            env={**env, "MARK": str(mark)},
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            shell.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            shell.kill()
            shell.communicate()
        moment = Moment("codex", "after-tool", "s1", str(work), tool="Bash", command=line)
        origin = taint.of_call(moment, ground)[0]
        clean += not origin
        if mark.exists():
            ran += 1
            through += [] if origin else [line]
    support.count("ways in: random lines that ran the program", ran, len(through))
    assert through == []
    assert ran > 25, "many lines run it"
    assert clean > 5, "and some do not, which says that the judge does not say yes to all"


def _changed(line: str, dice: random.Random) -> str:
    for _ in range(dice.randint(1, 3)):
        at = dice.randint(0, len(line))
        line = line[:at] + dice.choice(PIECES) + line[at + dice.choice((0, 0, 0, 1, 2)) :]
    return line


def test_work_on_the_repositorys_own_text_does_not_taint(place: Place) -> None:
    commands = _joined(OWN_COMMANDS.split("\n\n"))
    outside = [line for line in commands if place.of_command(line)]
    calls = [(tool, given) for tool, given, answer in OWN_TOOLS if place.of_tool(tool, given, answer)]
    support.count("own work called outside", len(commands) + len(OWN_TOOLS), len(outside) + len(calls))
    assert (outside, calls) == ([], [])


def _joined(parts: list[str]) -> list[str]:
    """A here-document may have an empty line of its own."""
    made: list[str] = []
    for part in parts:
        if made and made[-1].count("EOF") % 2:
            made[-1] += f"\n\n{part}"
        else:
            made.append(part)
    return made
