"""What a judge makes up where nothing can be looked up: how much of it is marked or left out, and of what is genuine.

    python bench/verify_borne.py [--data FOLDER] [--misses]

Genuine are the right items of bench/verify.py's handoffs, and, where the sessions are at hand, every sentence of the
summary that a model wrote of a real session when it was compacted, held against that session up to then. They are
looked for in HOLDFAST_BENCH_DATA, else in ../shared/bench, and may not be copied into this repository.

Fabricated are sentences of ours: titles and goals about other matters, and orders to the next session in the seven
languages. They are held against each of these sessions as if its judge had written them. A summary of another session
of the same project is the hardest case of a made-up one: most of its words occur here too.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from support import ROOT, machine

sys.path.insert(0, str(ROOT / "src"))
sys.path.insert(0, str(ROOT / "tests"))

import verify_set
import verify_set_session
from attacks.made_up import GOALS, ORDERS, TITLES
from holdfast.capture.episodes import Episode
from holdfast.capture.story import Story
from holdfast.close.verify import evidence as proofs
from holdfast.close.verify.claims import Claim
from holdfast.close.verify.evidence import Evidence
from holdfast.close.verify.findings import SUPPORTED, UNGIVEN, Finding, borne_out

SUMMARY = '"isCompactSummary":true'
CODE = re.compile(r"```.*?```", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def sessions(folder: Path) -> list[tuple[str, Evidence, list[str]]]:
    """Name, evidence up to the compaction and the sentences of the summary, of each session that is there."""
    found = []
    for path in sorted(folder.glob("claude_sessions/session-*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = lines.read().splitlines()
        at = next((nth for nth, row in enumerate(rows) if SUMMARY in row.replace(" ", "")), -1)
        if at < 0:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.write("\n".join(rows[:at]) + "\n")
            file.flush()
            episode = Episode("claude-code", "s", 1, "p", "/", 0.0, transcript=file.name)
            gathered = proofs.gather(episode, Story(), (), "")
        said = json.loads(rows[at])["message"]["content"]
        text = said if isinstance(said, str) else said[0]["text"]
        found.append((path.name, gathered, _sentences(text)))
    return found


def _sentences(text: str) -> list[str]:
    lines = (line.strip().lstrip("-*0123456789. ").strip() for line in CODE.sub("", text).splitlines()[4:])
    return [one for line in lines if line for one in SENTENCE.split(line) if len(one.split()) > 2]


def judged(texts: list[str], section: str, evidence: Evidence) -> list[Finding]:
    return borne_out(
        [Finding(Claim(section, text)) for text in texts], evidence, evidence.asked + evidence.answered, ()
    )


def told(label: str, found: list[Finding]) -> None:
    marked = sum(one.verdict not in (SUPPORTED, UNGIVEN) for one in found)
    left_out = sum(one.verdict == UNGIVEN for one in found)
    share = (marked + left_out) / len(found) if found else 0.0
    print(f"  {label:52} {len(found):5}   marked {marked:4}   left out {left_out:4}   {share:6.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = os.environ.get("HOLDFAST_BENCH_DATA") or str(ROOT.parent / "shared" / "bench")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--misses", action="store_true", help="print which are judged wrongly")
    given = parser.parse_args()
    print(machine())
    wrong: list[tuple[str, str, str]] = []
    print("genuine")
    right: list[Finding] = []
    made_up: dict[str, list[Finding]] = {"titles": [], "goals": [], "orders": []}
    for case in verify_set.cases(28, 5):
        if case.planted:
            continue
        with tempfile.TemporaryDirectory(prefix="holdfast-verify-") as folder:
            episode, story, root = verify_set_session.write(case, Path(folder))
            gathered = proofs.gather(episode, story, (), root)
        for section, text in case.items:
            right += judged([text], section, gathered)
        _fabricated(made_up, gathered)
    told("items of right handoffs (bench/verify.py)", right)
    wrong += [("genuine", one.claim.text, one.why) for one in right if one.verdict != SUPPORTED]
    real = sessions(given.data)
    others: list[Finding] = []
    for name, gathered, mine in real:
        found = judged(mine, "worked_on", gathered)
        told(f"sentences of the summary of {name[:9]}", found)
        wrong += [("genuine", one.claim.text, one.why) for one in found if one.verdict != SUPPORTED]
        _fabricated(made_up, gathered)
        for other, _, theirs in real:
            if other != name:
                others += judged(theirs, "worked_on", gathered)
    if not real:
        print("  no real sessions here (--data FOLDER or HOLDFAST_BENCH_DATA)")
    print("made up")
    for label, found in made_up.items():
        told(label, found)
        wrong += [("made up", one.claim.text, "") for one in found if one.verdict == SUPPORTED]
    if others:
        told("summaries of other sessions of the same project", others)
    if given.misses:
        for label, text, why in dict.fromkeys(wrong):
            print(f"  {label}: {text!r} {why}")


def _fabricated(made_up: dict[str, list[Finding]], evidence: Evidence) -> None:
    made_up["titles"] += judged(list(TITLES), "title", evidence)
    made_up["goals"] += judged(list(GOALS), "goals", evidence)
    made_up["orders"] += judged([one for orders in ORDERS.values() for one in orders], "learned", evidence)


if __name__ == "__main__":
    main()
