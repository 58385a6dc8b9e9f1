"""Thousands of closes with a judge that fails, lies, repeats itself and takes too long, killed and continued.

Each seed is one life of a vault under a clock of its own: several rounds in which sessions flag, end or die, and are
closed in a process of its own that is killed before a random effect (a file made, written, renamed, synced, a git
started), most of the time once, sometimes twice, sometimes not. What the judge answers follows from the seed and the
question alone. At the end every flag is in the vault exactly once or dead, nothing waits, and the same seed gives the
same tree. The failing seed is printed; HOLDFAST_SEED and HOLDFAST_LIFE play it again, and
HOLDFAST_LIVES says how many there are.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from holdfast.capture import episodes, home, marks, queue, story
from holdfast.capture.ids import digest
from holdfast.close import judged, unjudged  # noqa: F401 - loaded before the first blow falls on their effects
from holdfast.close.drain import LEASE, drain
from holdfast.close.judge_pool import Court
from holdfast.errors import JudgeFailed
from holdfast.judge.seam import Judge, Question, Words
from holdfast.model import Flag
from holdfast.vault import index, notes

from .support import NAME, SEED, count
from .support_effects import in_a_child
from .test_drain_kills import Blow

pytestmark = pytest.mark.crash

LIVES = int(os.environ.get("HOLDFAST_LIVES") or {"short": 25, "full": 1000}[NAME])
ROUNDS = 5
EFFECTS = 160  # of one close, about: a blow behind the last of them is none
BEGAN = 1_790_000_000.0
PROJECT = "shop-11111111"
THINGS = ("login form", "shopping cart", "invoice export", "search index", "mail queue", "price table")
KINDS = ("fact", "lesson", "decision", "progress", "snag", "rule", "preference")


class Sudden(Blow):
    """A blow that leaves nothing to chance beyond the seed: git has not begun, or is done."""

    def run(self, command: list[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        is_due = self.is_due()
        if is_due and self.chance.random() < 0.5:
            os.kill(os.getpid(), signal.SIGKILL)
        done = subprocess.run(command, **more)  # noqa: PLW1510 - `check` is among them
        if is_due:
            os.kill(os.getpid(), signal.SIGKILL)
        return done


@dataclass
class Clock:
    now: float = BEGAN

    def __call__(self) -> float:
        return self.now


@dataclass
class Dicey:
    """A judge whose mood follows from the seed and from what it is asked."""

    seed: int
    clock: Clock
    name: str = "dicey"
    model: str = "small"
    calls: int = 0

    def say(self, question: Question[Any], timeout: float) -> Words:
        plain = re.sub(r"data-[0-9a-f]+", "data", question.given)
        self.calls += 1
        chance = random.Random(f"{self.seed} {question.job} {digest(plain, 32)} {len(question.told)}")
        mood = chance.choices(("well", "fails", "late", "garbage", "lies", "refused"), (60, 8, 8, 8, 14, 2))[0]
        if mood == "fails":
            raise JudgeFailed("The model is busy.", again=chance.random() < 0.5, wait=5.0)
        if mood == "late":
            self.clock.now += timeout
            raise JudgeFailed("The model took too long.", again=True, spent=True)
        if mood == "refused":
            raise JudgeFailed("The key was refused.")
        if mood == "garbage":
            return Words(chance.choice(("", "no", "{}", "[1]", '{"decisions": 1}', "<html>", "null")), 10, 10)
        return Words(json.dumps(self._answer(question, chance, is_true=mood == "well")), 10, 10)

    def _answer(self, question: Question[Any], chance: random.Random, *, is_true: bool) -> Any:
        if question.job == "handoff":
            return {"title": "A day", "goals": [{"text": "work", "cites": ["P1" if is_true else "P99"]}]}
        if question.job == "pending":
            return {"items": [{"text": "go on", "state": "next", "cites": ["P1" if is_true else "X"]}]}
        if question.job == "improve":
            return {"target": "knowledge", "name": "A snag", "lines": ["Better: look twice"]}
        if question.job == "verify":
            return {"claims": []}
        flags = dict(re.findall(r'is="FLAG (F\d+)[^"]*">\n(.*?)\n</data-', question.given, re.DOTALL))
        listed = re.findall(r'is="NOTE (N\d+)([^"]*)">\n[^\n]*\n(.*?)\n</data-', question.given, re.DOTALL)
        return {"decisions": list(self._decisions(flags, listed, chance, is_true=is_true))}

    def _decisions(self, flags: dict[str, str], listed: list[Any], chance: random.Random, *, is_true: bool) -> Any:
        own = [(handle, body) for handle, may, body in listed if not may]
        names = list(flags)
        while names:
            some = [names.pop(0) for _ in range(min(len(names), chance.choice((1, 1, 2))))]
            text = "\n".join(flags[one] for one in some)
            action = chance.choice(("new", "new", "merge", "supersede", "discard", "nothing"))
            made: dict[str, Any] = {"flags": some, "action": action, "name": text[:40], "body": text, "reason": "so"}
            if action in ("merge", "supersede"):
                if not own:
                    continue
                made["note"], body = own.pop(0)
                made["body"] = f"{body}\n{text}" if action == "merge" else text
            if action == "nothing":
                continue
            if not is_true:
                lie = chance.choice(("handle", "note", "lose", "twice", "empty"))
                lies: dict[str, dict[str, Any]] = {
                    "handle": {"flags": ["F77"]},
                    "note": {"action": "merge", "note": "../../../etc/passwd"},
                    "lose": {"action": "merge", "note": listed[0][0] if listed else "N9", "body": "other words"},
                    "twice": {"flags": some * 2},
                    "empty": {"body": ""},
                }
                made |= lies[lie]
            yield made
            if not is_true and chance.random() < 0.5:
                yield made


class Free:
    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:  # noqa: ARG002
        return "1"

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:
        pass


@dataclass
class Life:
    seed: int
    base: Path
    clock: Clock = field(default_factory=Clock)
    flags: list[Flag] = field(default_factory=list)
    kills: int = 0
    closes: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(f"life {self.seed}")
        self.vault = str(self.base / "vault")
        self.state = home.state(self.vault)
        home.make_vault(self.vault)

    def session(self, nth: int) -> None:
        """Somebody works, flags, and ends, dies, or goes on."""
        cwd = str(self.base)
        opened = episodes.Episode("h", f"s{nth}", 1, PROJECT, cwd, self.clock())
        key = episodes.open_episode(self.state, opened).key
        if self.chance.random() < 0.7:
            story.add(self.state, key, self.clock(), f"work on the {self.chance.choice(THINGS)}")
        for _ in range(self.chance.randint(0, 6)):
            self.clock.now += 60
            kind = self.chance.choice(KINDS)
            thing = self.chance.choice(THINGS)
            ident = f"{len(self.flags):04d}{digest(f'{self.seed} {len(self.flags)}', 22)}".upper()
            words = f"{thing} {self.chance.choice(('needs', 'has', 'lost'))} point {self.chance.randint(1, 9)}"
            origin = self.chance.choice(("agent", "agent", "agent", "user", "web"))
            made = Flag(ident, self.clock(), "h", key, PROJECT, kind, words, (), origin)
            self.flags.append(made)
            episodes.note_segment(self.state, key, queue.append(f"{self.state}/queue", [made], self.clock(), 2000))
        if self.chance.random() < 0.85:
            episode = episodes.of_key(self.state, key)
            assert episode
            how = self.chance.choice((episodes.ENDED, episodes.DIED))
            self.clock.now += 1
            ended = episodes.end_episode(self.state, episode, how, "", self.clock())
            marks.finish(self.state, ended, self.clock(), self.clock())

    def close(self, blow: Blow | None, *, is_last: bool = False) -> bool:
        """One close in a process of its own; whether it was killed. Its clock goes on where it left off. Some have no
        judge: the cap, or the user's word."""
        told = self.base / "clock"
        verbatim = self.chance.random() < 0.2 and not is_last

        def work() -> None:
            random.seed(f"{self.seed} {self.closes}")  # for the pauses between tries
            index.RACY = (
                1 << 62
            )  # no file's time is believed: whether the index is saved must not depend on the machine
            if blow:
                blow.fall(pytest.MonkeyPatch())
            judge = Dicey(self.seed, self.clock)
            held = Court(judge, Free(), self.state, workers=1, clock=self.clock, wait=self._wait, now=self.clock)
            drain(self.vault, self.clock, project=PROJECT, also_open=True, court=None if verbatim else held)
            told.write_text(str(self.clock.now))

        self.closes += 1
        is_killed = in_a_child(work) == 9
        self.kills += is_killed
        self.clock.now = LEASE + (self.clock.now if is_killed else float(told.read_text()))
        return is_killed

    def _wait(self, seconds: float) -> None:
        self.clock.now += seconds

    def live(self) -> None:
        for nth in range(ROUNDS):
            self.clock.now = BEGAN + 20_000.0 * nth  # whatever the closes before took
            for one in range(self.chance.randint(1, 2)):
                self.session(nth * 10 + one)
            for _ in range(self.chance.choice((0, 1, 1, 1, 2))):
                at = self.chance.randint(1, EFFECTS)
                if not self.close(Sudden(at, random.Random(self.chance.random()))):
                    break
            self.close(None)
        self.close(None, is_last=True)

    def judge(self) -> None:
        """Every flag is exactly once where it belongs, and nothing is left to do."""
        left = queue.read(f"{self.state}/queue", self.clock() + LEASE).entries
        dead = {entry.flag.id for entry in left if entry.state == queue.DEAD}
        assert [entry.flag.id for entry in left if entry.flag.id not in dead] == [], "something waits"
        assert not marks.any_left(self.state), "a mark is left"
        found = list(notes.walk(self.vault))
        assert all(isinstance(one, notes.Note) for one in found), "a note cannot be read"
        known = {note.path: note for note in found if isinstance(note, notes.Note)}
        active: Counter[str] = Counter()
        retired: dict[str, list[notes.Note]] = {}
        for note in known.values():
            if note.status != "superseded":
                active.update(note.sources)
            for source in note.sources if note.status == "superseded" else ():
                retired.setdefault(source, []).append(note)
        left_out = Counter(re.findall(r"\(([0-9A-F]{26}), ", self._discarded()))
        for flag in self.flags:
            places = active[flag.id] + left_out[flag.id]
            is_replaced = any(_is_replaced(note, known) for note in retired.get(flag.id, ()))
            is_once = places == 1 or (places == 0 and is_replaced) or flag.id in dead
            assert is_once, (
                f"{flag} is in {active[flag.id]} notes, retired in {retired.get(flag.id)}, left out {left_out[flag.id]}"
            )
        status = subprocess.run(["git", "-C", self.vault, "status", "--porcelain"], capture_output=True, check=True)
        assert status.stdout == b"", "something is not committed"
        outside = [path for path in self.base.iterdir() if path.name not in ("vault", "clock")]
        assert outside == [], "something was written outside the vault"

    def _discarded(self) -> str:
        return "".join(path.read_text() for path in sorted(Path(self.vault, "discarded").glob("*.md")))

    def tree(self) -> str:
        command = ["git", "-C", self.vault, "rev-parse", "HEAD^{tree}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _is_replaced(note: notes.Note, known: dict[str, notes.Note], depth: int = 0) -> bool:
    """Whether a retired note was left out with a reason, or something that is read today stands in its place."""
    if "left_out" in note.fields:
        return True
    after = [one for one in known.values() if note.path in one.supersedes or set(note.sources) <= set(one.sources)]
    after = [one for one in after if one.path != note.path]
    return any(one.is_active or (depth < 20 and _is_replaced(one, known, depth + 1)) for one in after)


def lived(seed: int, base: Path) -> Life:
    base.mkdir(parents=True)
    life = Life(seed, base)
    try:
        life.live()
        life.judge()
    except BaseException:
        print(f"HOLDFAST_LIFE={seed} plays it again")
        raise
    return life


def seeds() -> list[int]:
    only = os.environ.get("HOLDFAST_LIFE")
    return [int(only)] if only else [SEED + nth for nth in range(LIVES)]


def test_every_flag_is_filed_once_whatever_the_judge_does_and_whenever_the_close_is_killed(memory_path: Path) -> None:
    for nth, seed in enumerate(seeds()):
        life = lived(seed, memory_path / "one" / "life")
        if nth % 10 == 0:
            again = lived(seed, memory_path / "two" / "life")
            assert again.tree() == life.tree(), f"HOLDFAST_LIFE={seed}: the same seed gives another tree"
            shutil.rmtree(memory_path / "two")
        count("closes with a judge", lives=1, closes=life.closes, kills=life.kills, flags=len(life.flags), lost=0)
        shutil.rmtree(memory_path / "one")
