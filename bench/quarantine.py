"""How much of a real session's rules and snags would wait for a person, because outside text had entered by then.

    python bench/quarantine.py [--data FOLDER] [--before COMMIT] [--trust NAME]…

Real Claude Code transcripts are played through the hook, payload by payload; nothing in them is executed. Their
repositories are not here: a path below the session's folder counts as tracked, unless it leads through a folder of
dependencies or build output. Nobody flagged in those sessions, so the flags are supposed: a rule at every boundary that
the hook saw (a commit, a finished todo, a subagent's end), a snag at every call that failed. One that comes after the
first call which brought outside text waits; facts, decisions, lessons and progress never do. `--trust` is a row of its
own: what it would be with these programs or tools in the machine's `trusted_tools`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from support import ROOT, commit, machine, tree_of

DATA = ROOT.parent / "shared" / "bench"
OTHERS = ("node_modules", "vendor", "site-packages", ".venv", "deps", "_build", "dist", "build", "target")
SHOWN = 12
LONGEST = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = os.environ.get("HOLDFAST_BENCH_DATA") or str(DATA)
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--before", default="", help="a commit to measure beside this one")
    parser.add_argument("--trust", action="append", default=[], help="a row with this program or tool trusted")
    parser.add_argument("--play", nargs=2, metavar=("SOURCE", "SESSION"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        print(json.dumps(_played(Path(options.play[0]), Path(options.play[1]), options.trust)))
        return
    sessions = sorted((options.data / "claude_sessions").glob("session-*.jsonl.gz"))
    if not sessions:
        print("There are no real sessions here, so nothing was measured.")
        return
    print(f"{machine()}; commit {commit()}")
    print("tracked: every path below the session's folder but for folders of dependencies and build output")
    with tempfile.TemporaryDirectory(prefix="holdfast-quarantine-") as name, ExitStack() as trees:
        rows: list[tuple[str, Path, list[str]]] = [("now", ROOT / "src", [])]
        if options.trust:
            rows.append((f"now, {', '.join(options.trust)} trusted", ROOT / "src", options.trust))
        if options.before:
            tree = trees.enter_context(tree_of(options.before, Path(name)))
            rows.insert(0, (f"before ({options.before})", tree / "src", []))
        sums: dict[str, Counter[str]] = {}
        causes: dict[str, Counter[str]] = {label: Counter() for label, *_ in rows if label.startswith("now")}
        for path in sessions:
            print(f"\n{path.name.partition('.')[0]}")
            for label, source, trust in rows:
                found = _run(source, path, trust)
                _print(label, found, sums.setdefault(label, Counter()))
                if label in causes:
                    causes[label].update(one["cause"] for one in found["calls"] if one["origin"])
        print("\nall sessions")
        for label, sum_of in sums.items():
            _print_sums(label, sum_of)
        for label, counted in causes.items():
            print(f"\ncalls that bring outside text {label}, by what brings it:")
            for cause, count in counted.most_common(SHOWN):
                print(f"  {count:3}  {cause[:LONGEST]}")


def _run(source: Path, session: Path, trust: list[str]) -> dict[str, Any]:
    """One session played with the code of one tree, in a process of its own."""
    words = [sys.executable, __file__, "--play", str(source), str(session)]
    words += [word for one in trust for word in ("--trust", one)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def _print(label: str, found: dict[str, Any], sum_of: Counter[str]) -> None:
    calls = found["calls"]
    tainting = [nth for nth, one in enumerate(calls) if one["origin"]]
    first = tainting[0] if tainting else len(calls)
    waiting = {what: sum(at > first for at in found[what]) for what in ("boundaries", "failures")}
    counts = {"calls": len(calls), "tainting": len(tainting), "first": first, "of": len(calls)}
    for what in ("boundaries", "failures"):
        counts |= {what: len(found[what]), f"{what}-wait": waiting[what]}
    sum_of.update(counts)
    cause = f' ("{(calls[first]["cause"] or calls[first]["tool"])[:LONGEST]}")' if tainting else ""
    print(
        f"  {label:28} {len(tainting):3} of {len(calls)} calls bring outside text, the first is call {first + 1}"
        f"{cause}; wait: {waiting['boundaries']} of {len(found['boundaries'])} rules, "
        f"{waiting['failures']} of {len(found['failures'])} snags"
    )


def _print_sums(label: str, one: Counter[str]) -> None:
    steering, waiting = one["boundaries"] + one["failures"], one["boundaries-wait"] + one["failures-wait"]
    print(
        f"  {label:28} {one['tainting']:3} of {one['calls']} calls ({_share(one['tainting'], one['calls'])}); clean "
        f"until {_share(one['first'], one['of'])} of the calls; wait: {waiting} of {steering} "
        f"({_share(waiting, steering)})"
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.0f} %"


def _played(source: Path, session: Path, trust: list[str]) -> dict[str, Any]:
    """Each tool call with the origin of what it brought, judged by itself, and where boundaries and failures were."""
    sys.path.insert(0, str(source))
    from holdfast.capture import episodes, home, ledger, once

    lines = [json.loads(line) for line in gzip.decompress(session.read_bytes()).decode("utf-8").splitlines() if line]
    cwd = next(str(one["cwd"]) for one in lines if one.get("cwd"))
    with tempfile.TemporaryDirectory(prefix="holdfast-played-") as name:
        project, vault = Path(name) / "project", Path(name) / "vault"
        moved = json.loads(json.dumps(lines).replace(cwd, str(project)))
        _repository(project, moved)
        session_id = next(str(one["sessionId"]) for one in moved if one.get("sessionId"))
        play = _Play(project, vault, session_id)
        play.hook("SessionStart", source="startup")
        state = home.state(str(vault))
        if trust:
            (Path(state) / "config.toml").write_text(f"[taint]\ntrusted_tools = {json.dumps(trust)}\n")
        calls: list[dict[str, str]] = []
        failures: list[int] = []
        for event, payload, failed in _moments(moved):
            play.hook(event, **payload)
            episode = episodes.latest(state, "claude-code", play.session)
            if event == "PostToolUse" and episode:
                origin = once.read(state, episode.key, once.TAINT) or ""
                cause = once.read(state, episode.key, "tainted-by") or ""
                cause = cause.replace(f"{project}/", "")
                calls.append({"tool": str(payload["tool_name"]), "origin": origin, "cause": cause})
                for one in (once.TAINT, "tainted-by"):
                    once.drop(state, episode.key, one)
                failures += [len(calls) - 1] if failed else []
        told = [one for one in ledger.read(state, ledger.Wanted()) if one.get("event") == "after-tool"]
        boundaries = [nth for nth, one in enumerate(told) if "boundary" in one]
        return {"calls": calls, "boundaries": boundaries, "failures": failures}


class _Play:
    """A session in a home of its own; the hook is called within this process."""

    def __init__(self, project: Path, vault: Path, session: str) -> None:
        self.project, self.vault, self.session = project, vault, session
        self.env = {"HOME": str(vault.parent), "PATH": os.environ["PATH"], "HOLDFAST_HOME": str(vault)}
        self.env["HOLDFAST_CLOSE"] = "off"

    def hook(self, event: str, **more: Any) -> None:
        from holdfast.hook import main as hook_main

        payload = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": event, **more}
        hook_main.answer("claude-code", json.dumps(payload).encode(), self.env, time.time(), time.perf_counter_ns())


def _moments(lines: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any], bool]]:
    """The hook events of a transcript, and whether a call has failed."""
    calls: dict[str, tuple[str, Any]] = {}
    made: list[tuple[str, dict[str, Any], bool]] = []
    for record in lines:
        if record.get("isSidechain") or record.get("isMeta") or record.get("isCompactSummary"):
            continue
        content = (record.get("message") or {}).get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for block in blocks if record.get("type") in ("user", "assistant") else ():
            kind = block.get("type")
            if kind == "tool_use":
                calls[block["id"]] = (block["name"], block["input"])
            elif kind == "tool_result" and block.get("tool_use_id") in calls:
                name, given = calls.pop(block["tool_use_id"])
                answer = record.get("toolUseResult") or {"content": block.get("content")}
                what = {
                    "tool_name": name,
                    "tool_input": given,
                    "tool_response": answer,
                    "tool_use_id": block["tool_use_id"],
                }
                made.append(("PostToolUse", what, bool(block.get("is_error"))))
            elif kind == "text" and record["type"] == "user":
                made.append(("UserPromptSubmit", {"prompt": block["text"]}, False))
    return made


def _repository(project: Path, lines: list[dict[str, Any]]) -> None:
    """A repository that tracks every path which the session names below its folder."""
    project.mkdir(parents=True)
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    for _, payload, _ in _moments(lines):
        given = payload.get("tool_input") or {}
        named = [str(given[key]) for key in ("file_path", "path", "notebook_path") if given.get(key)]
        named += [word.strip("\"'`;&|()") for word in str(given.get("command", "")).split() if "/" in word]
        for one in named:
            path = (project / one).resolve()
            if not path.is_relative_to(project) or path == project or any(sign in one for sign in "*?$:{}<>=\n"):
                continue
            inner = path.relative_to(project)
            if any(part in OTHERS for part in inner.parts):
                continue
            try:
                target = path if path.suffix or path.name[:1].isupper() else path / "any"
                target.parent.mkdir(parents=True, exist_ok=True)
                target.touch()
            except OSError:
                continue
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "start"], check=True)


if __name__ == "__main__":
    main()
