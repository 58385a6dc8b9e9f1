"""What the next start carries of what the next session needs, with a model that answered no nudge and without a judge.

    python bench/brief.py [--data FOLDER] [--before COMMIT] [--only session-1]

Real Claude Code transcripts are played through the registered hook, payload by payload, as their host would have sent
them; nothing in them is executed. Then a start is asked for: after a clean end and its close; right after kill -9, with
what was kept on the way; after the close of the killed one; just after the compaction; and as the third start, when a
question and a small change came between. Of each text: how many of the facts that a careful reader labelled as needed,
its length, and the share of it that repeats. Beside it the same with an older commit of ours, and a script of thirty
lines that quotes the last answers, commit commands, test output and the host's summary in 8,000 characters.

`--data` holds session-N.jsonl.gz, needed.jsonl and coverage.py; without it the bench says so and ends. Choosing was by
structure, so every session is one that was left out: the table is per session.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from repetition import repetition
from support import ROOT, commit, machine, tree_of

sys.path.insert(0, str(ROOT / "src"))

from holdfast.hosts import registration

DATA = ROOT.parent / "shared" / "bench" / "claude_sessions"
SCRIPT_ROOM = 8000
RUNS = 20
CASES = ("clean end", "killed, very next start", "killed and closed", "after the compaction", "third start after")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--before", default="", help="a commit to measure beside this one")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", type=Path, help="a folder to write every start to")
    options = parser.parse_args()
    if not (options.data / "needed.jsonl").exists():
        print(f"no real sessions in {options.data.name}; this bench measures nothing without them")
        return
    coverage = _coverage(options.data / "coverage.py")
    facts = coverage.load(options.data / "needed.jsonl")
    sessions = sorted(path for path in options.data.glob("session-*.jsonl.gz") if options.only in path.name)
    print(f"{machine()}; commit {commit()}")
    with tempfile.TemporaryDirectory(prefix="holdfast-brief-") as name, ExitStack() as beside:
        folder = Path(name)
        trees = {"now": _installed(folder / "now", ROOT)}
        if options.before:
            trees[options.before] = _installed(folder / "before", beside.enter_context(tree_of(options.before, folder)))
        for path in sessions:
            session = path.name.partition(".")[0]
            needed = [fact for fact in facts if fact["session"] == session]
            lines = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()
            early = coverage.norm(_until_summed(lines))
            known = sum(coverage.find(early, fact["any"]) is not None for fact in needed)
            print(f"    {known} of its facts had been said or seen when it was compacted, the host's summary included")
            for tree, bin_folder in trees.items():
                starts = _starts(folder / f"{session}-{tree}", bin_folder, lines)
                for case, text in starts.items():
                    _print(f"{session}  {tree:8} {case}", text, needed, coverage)
                    if options.show:
                        options.show.mkdir(parents=True, exist_ok=True)
                        (options.show / f"{session}-{tree}-{case.replace(' ', '-')}.txt").write_text(text)
            _print(f"{session}  script   thirty lines", script(lines), needed, coverage)


def _coverage(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("coverage_of_facts", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path.name} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _print(label: str, text: str, needed: list[dict[str, Any]], coverage: Any) -> None:
    plain = coverage.norm(text)
    kinds: dict[str, list[bool]] = {}
    for fact in needed:
        kinds.setdefault(fact["kind"], []).append(coverage.find(plain, fact["any"]) is not None)
    found = sum(sum(one) for one in kinds.values())
    by_kind = ", ".join(f"{kind} {sum(one)}/{len(one)}" for kind, one in kinds.items())
    print(
        f"{label:48} {found:2} of {len(needed)}  {len(text):5,} letters, {repetition(text):4.1%} repeat  ({by_kind})",
        flush=True,
    )


def _until_summed(lines: list[str]) -> str:
    """All texts of a session up to its first compaction, the host's summary included."""
    found: list[str] = []

    def gather(thing: Any) -> None:
        if isinstance(thing, str):
            found.append(thing)
        for one in thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else ():
            gather(one)

    for raw in lines:
        record = json.loads(raw)
        gather((record.get("message") or {}).get("content"))
        if record.get("isCompactSummary"):
            break
    return "\n".join(found)


def _installed(folder: Path, root: Path) -> Path:
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", str(root)]
    subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
    return venv / "bin"


@dataclass
class Play:
    """One session being played in a home of its own, by a host that is a process and can be killed."""

    folder: Path
    bin: Path
    lines: list[str]
    session: str = "0a1b2c3d-0000-4000-8000-000000000001"
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.project = self.folder / "project"
        home = self.folder / "home"
        for one in (self.project, home):
            one.mkdir(parents=True)
        git = ["git", "-C", str(self.project), "-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "start"], check=True)
        self.env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "CLAUDECODE": "1"}
        subprocess.run([self.bin / "holdfast", "init", "--no-mcp"], env=self.env, check=True, stdout=subprocess.DEVNULL)
        self.hook_file = registration.launcher_path(self.env)
        self.begin(self.session)

    def begin(self, session: str) -> None:
        """Another session, of another process."""
        self.session = session
        self.host = subprocess.Popen(["sleep", "86400"], stdout=subprocess.DEVNULL)
        self.transcript = self.folder / f"{session}.jsonl"
        self.transcript.touch()

    def hook(self, event: str, **more: Any) -> str:
        payload = {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.project),
            "hook_event_name": event,
            **more,
        }
        env = {**self.env, "CLAUDE_PID": str(self.host.pid), "HOLDFAST_CLOSE": self.closes}
        done = subprocess.run(
            [str(self.hook_file), "claude-code"],
            input=json.dumps(payload),
            text=True,
            capture_output=True,
            env=env,
            cwd=self.project,
            check=False,
        )
        if not done.stdout.startswith("{"):
            return done.stdout
        return str(json.loads(done.stdout).get("hookSpecificOutput", {}).get("additionalContext", ""))

    answered = ""  # by the model, last in this turn
    closes = ""  # HOLDFAST_CLOSE of the hooks: "" closes in the background

    def play(self) -> str:
        """The whole transcript; returns what the start after its compaction said."""
        self.hook("SessionStart", source="startup")
        calls: dict[str, tuple[str, Any]] = {}
        compacted = ""
        before = next((json.loads(line)["cwd"] for line in self.lines if '"cwd":' in line), "")
        with self.transcript.open("a", encoding="utf-8") as grown:
            for raw in self.lines:
                line = raw.replace(before, str(self.project)) if before else raw
                record = json.loads(line)
                if record.get("isCompactSummary"):
                    self.hook("PreCompact", trigger="auto", custom_instructions="")
                grown.write(line + "\n")
                grown.flush()
                if record.get("isCompactSummary"):
                    compacted = self.hook("SessionStart", source="compact")
                elif not record.get("isSidechain") and not record.get("isMeta"):
                    self._moments(record, calls)
        return compacted

    def _moments(self, record: dict[str, Any], calls: dict[str, tuple[str, Any]]) -> None:
        content = (record.get("message") or {}).get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for block in blocks if record.get("type") in ("user", "assistant") else ():
            kind = block.get("type")
            if kind == "tool_use":
                calls[block["id"]] = (block["name"], block["input"])
            elif kind == "tool_result" and block.get("tool_use_id") in calls:
                name, given = calls.pop(block["tool_use_id"])
                response = record.get("toolUseResult") or {"content": block.get("content")}
                self.hook("PostToolUse", tool_name=name, tool_input=given, tool_response=response, tool_use_id="x")
            elif kind == "text" and record["type"] == "user":
                if self.answered:  # a host says that a turn has ended before the next one begins
                    self.hook("Stop", stop_hook_active=False, last_assistant_message=self.answered)
                self.answered = ""
                self.hook("UserPromptSubmit", prompt=block["text"])
            elif kind == "text":
                self.answered = block["text"]

    def end(self) -> None:
        self.hook("Stop", stop_hook_active=False, last_assistant_message=self.answered)
        self.closes = "off"  # the close is run and waited for, so that the next start finds it done
        self.hook("SessionEnd", reason="other")
        self.kill()
        self.close()
        self.closes = ""

    def kill(self) -> None:
        self.host.send_signal(signal.SIGKILL)
        self.host.wait()

    def close(self) -> None:
        command = [str(self.bin / "holdfast"), "close"]
        subprocess.run(command, env=self.env, cwd=self.project, check=False, capture_output=True)

    def start(self, session: str) -> str:
        self.begin(session)
        return self.hook("SessionStart", source="startup")

    def small(self, session: str, lines: list[dict[str, Any]]) -> None:
        """A short session of a few lines, played and closed."""
        self.begin(session)
        self.lines = [json.dumps(line) for line in lines]
        self.play()
        self.end()


def _starts(folder: Path, bin_folder: Path, lines: list[str]) -> dict[str, str]:
    clean = Play(folder / "clean", bin_folder, lines)
    compacted = clean.play()
    clean.end()
    first = clean.start("0a1b2c3d-0000-4000-8000-000000000002")
    clean.kill()
    killed = Play(folder / "killed", bin_folder, lines)
    killed.play()
    killed.kill()
    killed.closes = "off"
    at_once = killed.start("0a1b2c3d-0000-4000-8000-000000000002")
    _time(killed)
    killed.kill()
    killed.close()
    closed = killed.start("0a1b2c3d-0000-4000-8000-000000000003")
    killed.kill()
    for nth, one in enumerate((QUESTION, CHANGE)):
        clean.small(f"0a1b2c3d-0000-4000-8000-00000000001{nth}", one)
    third = clean.start("0a1b2c3d-0000-4000-8000-000000000020")
    clean.kill()
    return dict(zip(CASES, (first, at_once, closed, compacted, third), strict=True))


def _time(killed: Play) -> None:
    """What telling a killed session's account costs a start: with the account that was kept, and without it."""
    folder = Path(killed.env["HOME"]) / ".holdfast" / ".state" / "episodes" / "account"
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    aside = folder.with_name("account-aside")

    def once(nth: int) -> float:
        killed.session = f"0a1b2c3d-0000-4000-8000-0000000{nth:05d}"
        began = time.perf_counter()
        killed.hook("SessionStart", source="startup")
        return time.perf_counter() - began

    told, untold = [], []
    for nth in range(RUNS):
        told.append(once(2 * nth + 100))
        folder.rename(aside)
        untold.append(once(2 * nth + 101))
        shutil.rmtree(folder, ignore_errors=True)  # a keeper of the killed session may still have been at work
        aside.rename(folder)
    ratio = statistics.median(told) / statistics.median(untold)
    print(f"    a start that tells the account, against one that finds none: {ratio:.2f} x ({RUNS} each, interleaved)")


def _said(text: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


def _asked(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def _used(name: str, given: dict[str, Any], printed: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t-{name}", "name": name, "input": given}
    result = {"type": "tool_result", "tool_use_id": f"t-{name}", "content": printed}
    return [
        {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
        {"type": "user", "message": {"role": "user", "content": [result]}},
    ]


QUESTION = [_asked("which port does the dev server use?"), _said("Port 4000; it is set in `config/dev.exs`.")]
CHANGE = [
    _asked("bump the version to 0.3.1"),
    *_used("Edit", {"file_path": "VERSION", "old_string": "0.3.0", "new_string": "0.3.1"}, "updated"),
    *_used("Bash", {"command": "git commit -qam 'Version 0.3.1'"}, ""),
    _said("The version is 0.3.1 now."),
]


def script(lines: list[str]) -> str:
    """Thirty lines: newest first, the last answers, commit commands, test output, and the host's own summary."""
    texts: list[str] = []
    commits: list[str] = []
    tests: list[str] = []
    summed = ""
    calls: dict[str, str] = {}
    for raw in lines:
        record = json.loads(raw)
        content = (record.get("message") or {}).get("content")
        if record.get("isCompactSummary"):
            summed = str(content).partition("Summary:")[2]
            continue
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "text" and record["type"] == "assistant" and block["text"].strip():
                texts.append(block["text"].strip())
            elif block.get("type") == "tool_use":
                command = str(block["input"].get("command", ""))
                calls[block["id"]] = command
                if "git commit" in command:
                    commits.append(command)
            elif block.get("type") == "tool_result" and re.search(r"\btest\b", calls.get(block["tool_use_id"], "")):
                tests.append(str(block.get("content"))[-300:])
    parts = ["\n".join(texts[::-1][:10])[:2500], "\n".join(commits[::-1])[:2500], tests[-1] if tests else "", summed]
    return "\n".join(part for part in parts if part)[:SCRIPT_ROOM]


if __name__ == "__main__":
    main()
