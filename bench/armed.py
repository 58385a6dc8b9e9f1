"""Which tool calls a decision brings itself back at, and how often it stops or reminds where it should not.

    python bench/armed.py [--misses] [--sessions FOLDER]

Labelled pairs (bench/armed_set): notes as people and agents write them, each with calls that should bring it back (+)
and calls that should not (-). `tune.txt` was looked at while the words were chosen, `held.txt` was written before and
is only counted. Each note is compiled as the vault compiles it and each call goes through Claude Code's adapter and the
hook's own matching. A `never` or `ask` of the user has to stop the call, not only to come back.

A line with = names text at which the note is right to come back in any session: it is what the note is about.

Then every tool call of real sessions (evaluation data, never copied here) is tried against the notes of both halves,
which have nothing to do with those sessions, and against rules that any user may have. A stop there is a false stop;
reminders are counted per note and session, as a session sees them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from support import ROOT, interleaved, machine, median, once, user_environment

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture import home
from holdfast.capture.episodes import Scene
from holdfast.hook import armed
from holdfast.hosts import claude_code
from holdfast.install import launcher
from holdfast.model import Project
from holdfast.vault import armed_file, index, notes

SET = ROOT / "bench" / "armed_set"
SESSIONS = ROOT.parents[1] / "shared" / "bench" / "claude_sessions"
# Rules that any user may have, and the text of a call at which a stop is right: it is what the rule is about.
GENERIC = (
    ("never", "Never force-push main", ""),
    ("never", "Never commit .env", ""),
    ("never", "Do not touch migrations/", "/migrations/"),
    ("never", "Never use `git reset --hard`", ""),
    ("never", "Never run `npm publish`", ""),
    ("never", "Don't edit package-lock.json by hand", ""),
    ("never", "Never use --no-verify", ""),
    ("never", "Never run `rm -rf /`", ""),
    ("ask", "Ask me before you run `terraform apply`", ""),
    ("decision", "DO NOT modify config/auth.yaml, it is used by 3 services", ""),
)


@dataclass
class Case:
    """A note, and calls with whether they should bring it back."""

    kind: str
    by: str
    text: str
    right: str = ""  # what a call has in it that the note is right to come back at
    calls: list[tuple[bool, str]] = field(default_factory=list)

    @property
    def stops(self) -> bool:
        return self.kind in ("never", "ask")


def cases(path: Path) -> list[Case]:
    found: list[Case] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith("["):
            kind, _, by = line.strip("[]").partition(" by ")
            found.append(Case(kind, by, ""))
        elif line[:2] in ("+ ", "- "):
            found[-1].calls.append((line[0] == "+", line[2:]))
        elif line.startswith("= "):
            found[-1].right = line[2:]
        elif line.strip():
            found[-1].text = f"{found[-1].text}\n{line}".strip()
    return found


def payload(call: str, cwd: str = "/home/me/shop") -> dict[str, Any]:
    """`$ command`, `Read path`, `Write path | text`, `Edit path | old => new`, `Patch path | lines`."""
    if call.startswith("$ "):
        tool, given = "Bash", {"command": call[2:]}
    else:
        tool, _, rest = call.partition(" ")
        path, _, what = rest.partition(" | ")
        full = path if path.startswith("/") else f"{cwd}/{path}"
        old, _, new = what.partition(" => ")
        given = {
            "Read": {"file_path": full},
            "Write": {"file_path": full, "content": what},
            "Edit": {"file_path": full, "old_string": old, "new_string": new},
            "Patch": {"input": f"*** Begin Patch\n*** Update File: {path}\n@@\n{what}\n*** End Patch"},
        }[tool]
        tool = "apply_patch" if tool == "Patch" else tool
    return {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": given}


def note_text(case: Case) -> tuple[str, str]:
    kind = "rule" if case.stops else "project"
    policy = {"policy": case.kind} if case.stops else {}
    name = notes.title(case.text)
    text = notes.new_text(
        name=name, description=case.text, kind=kind, body=case.text, day="2026-01-01", project=notes.GLOBAL,
        origin=case.by, **policy,
    )  # fmt: skip
    return f"{notes.FOLDERS[kind]}/{notes.slug(name)}.md", text


def compiled(vault: str, given: list[Case]) -> dict[str, Case]:
    """A vault with these notes armed; returns them by path."""
    texts: dict[str, str | None] = {}
    known = {}
    for nth, case in enumerate(given):
        path, text = note_text(case)
        path = f"{path[:-3]}-{nth}.md"
        texts[path], known[path] = text, case
    armed_file.compile_all(vault, index.Index({}, ()).with_texts(texts))
    return known


def matching(vault: str, event: dict[str, Any]) -> list[dict[str, Any]]:
    moment = claude_code.moment(event, {})
    scene = Scene(moment, vault, home.state(vault), Project("p", "p", "", moment.cwd), 0.0, {}, [], True)
    return armed.matching(scene, None)


def pairs(vault: str, given: list[Case]) -> tuple[Counter[str], list[str]]:
    """What became of each pair, and those that went wrong as lines."""
    counts: Counter[str] = Counter()
    wrong = []
    for case in given:
        compiled(vault, [case])
        for should, call in case.calls:
            found = matching(vault, payload(call))
            is_right = any(one["policy"] for one in found) if case.stops else bool(found)
            counts["should"] += should
            counts["caught"] += should and is_right
            counts["others"] += not should
            counts["false"] += not should and bool(found)
            if should and not is_right:
                wrong.append(f"missed {'(only told) ' if found else ''}| {case.text[:70]} | {call}")
            if not should and found:
                wrong.append(f"false {found[0]['policy'] or 'reminder'} | {case.text[:70]} | {call}")
    return counts, wrong


def calls_of(path: Path) -> list[dict[str, Any]]:
    """Every tool call of a transcript as its hook would have seen it."""
    found = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            content = (record.get("message") or {}).get("content") if isinstance(record.get("message"), dict) else None
            for one in content if isinstance(content, list) else ():
                if isinstance(one, dict) and one.get("type") == "tool_use":
                    event = {"hook_event_name": "PreToolUse", "session_id": path.stem, "cwd": record.get("cwd") or ""}
                    found.append({**event, "tool_name": one["name"], "tool_input": one["input"]})
    return found


def real(vault: str, folder: Path, given: list[Case], *, shows: bool) -> Counter[str]:
    """False stops and reminders among the calls of real sessions."""
    known = compiled(vault, given)
    counts: Counter[str] = Counter()
    for path in sorted(folder.glob("session-*.jsonl.gz")):
        told: set[str] = set()
        for event in calls_of(path):
            counts["calls"] += 1
            found = matching(vault, event)
            text = json.dumps(event["tool_input"])
            right = {one["path"] for one in found if known[one["path"]].right and known[one["path"]].right in text}
            counts["right"] += any(one["policy"] and one["path"] in right for one in found)
            found = [one for one in found if one["path"] not in right]
            stopped = [one for one in found if one["policy"]]
            counts["stops"] += bool(stopped)
            fresh = {one["path"] for one in found if not one["policy"]} - told
            counts["reminded"] += bool(fresh)
            counts["reminders"] += len(fresh)
            told |= fresh
            if shows and (stopped or fresh):
                what = str(event["tool_input"].get("command") or event["tool_input"].get("file_path"))[:100]
                for one in [*stopped, *(one for one in found if one["path"] in fresh)]:
                    print(f"    {one['policy'] or 'reminder'} | {known[one['path']].text[:60]} | {what!r}")
        counts["sessions"] += 1
    counts["notes"] = len(given)
    return counts


def many(size: int) -> list[Case]:
    text = "Do not modify services/part{0}/config_{0}.yaml, {0} users depend on it"
    return [Case("decision", "agent", text.format(nth)) for nth in range(size)]


def speed(vault: str) -> dict[str, float]:
    """Microseconds of the match of one call against 10, 100 and 1,000 notes armed by their own words."""
    found = {}
    for size in (10, 100, 1000):
        compiled(vault, many(size))
        event = payload("$ cd src && python -m pytest -q tests/test_api.py 2>&1 | tail -20")
        moments = []
        for _ in range(200):
            began = time.perf_counter()
            matching(vault, event)
            moments.append(time.perf_counter() - began)
        found[f"{size}"] = sorted(moments)[len(moments) // 2] * 1e6
    return found


def processes(folder: Path, runs: int) -> dict[str, float]:
    """Seconds of a whole hook: with no note armed, with 1,000 of which none matches, and with one that does."""
    event = json.dumps(payload("$ python -m pytest -q", str(folder))).encode()
    matched = json.dumps(payload("$ sed -i s/a/b/ services/part7/config_7.yaml", str(folder))).encode()
    candidates = {}
    for name, size, given in (("none", 0, event), ("1,000", 1000, event), ("1,000, one matches", 1000, matched)):
        vault = folder / name.replace(" ", "-")
        home.make_vault(str(vault))
        compiled(str(vault), many(size))
        env = {**user_environment(folder), "HOLDFAST_HOME": str(vault), "HOLDFAST_CLOSE": "off"}
        words = [launcher.interpreter(), "-I", "-S", str(launcher.script_path()), "claude-code"]
        candidates[name] = partial(once, words, env, folder, given)
    return {name: median(times) for name, times in interleaved(candidates, runs).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--misses", action="store_true", help="print what went wrong in the half that may be looked at")
    parser.add_argument("--sessions", type=Path, default=SESSIONS)
    parser.add_argument("--runs", type=int, default=60, help="of a whole hook, for its time")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result: dict[str, Any] = {"machine": machine()}
    print(f"# {result['machine']}")
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as vault:
        halves = {name: cases(SET / f"{name}.txt") for name in ("tune", "second", "third", "held")}
        for name, given in halves.items():
            counts, wrong = pairs(vault, given)
            result[name] = {"notes": len(given), **counts}
            share = counts["caught"] / counts["should"]
            caught = f"caught {counts['caught']} of {counts['should']} ({share:.1%})"
            print(f"{name}: {len(given)} notes, {caught}, false matches {counts['false']} of {counts['others']}")
            if options.misses and name != "held":
                print("\n".join(f"    {line}" for line in wrong))
        generic = [Case(kind, "user", text, right) for kind, text, right in GENERIC]
        if options.sessions.is_dir():
            counts = real(
                vault,
                options.sessions,
                [*(one for some in halves.values() for one in some), *generic],
                shows=options.misses,
            )
            result["real"] = dict(counts)
            print(
                f"real: {counts['calls']} calls of {counts['sessions']} sessions against {counts['notes']} notes: "
                f"false stops {counts['stops']} ({counts['stops'] / counts['calls']:.2%}), calls with a false reminder "
                f"{counts['reminded']} ({counts['reminded'] / counts['calls']:.2%}), reminders {counts['reminders']}; "
                f"stops that are right by the rule's own words {counts['right']}"
            )
        else:
            print("real: no sessions here, so false stops among real calls were not counted")
        result["speed_us"] = speed(vault)
        print("match:", ", ".join(f"{size} notes {us:,.0f} us" for size, us in result["speed_us"].items()))
        result["hook_s"] = processes(Path(vault), options.runs)
        base = result["hook_s"]["none"]
        print("hook:", ", ".join(f"{name} {took / base:.3f}" for name, took in result["hook_s"].items()))
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
