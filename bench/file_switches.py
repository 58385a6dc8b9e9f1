"""How many source files a close and a recall pass through, and how often control moves from one file to another.

    python bench/file_switches.py [--before COMMIT] [--files]

One session with flags, a snag and a handoff is played by the real commands; then `close` and `recall` run under
`sys.setprofile`. A file is entered when one of its functions is called; a switch is a call into another file than the
call before it. Imports and the constructors of records do not count. `--before` traces another commit in the same run,
with its own dependencies. Targets: half the switches of 7f81c9e for a close, at most 25 files for a recall.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

from support import ROOT, commit, install, tree_of, user_environment

FLAGS = {
    "decision": "Orders use optimistic locking, see orders.py:12",
    "lesson": "The test database must be migrated before the tests run",
    "fact": "Staging is wiped every night at 02:00 UTC",
}
SAID = {"user": "Lock the orders", "assistant": "Orders lock optimistically now; the invoices are next."}
HANDOFF = "# Locking\n\n## Done\n\n- Orders lock optimistically\n\n## Next steps\n\n- Migrate the invoices\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--before", default="", help="a commit to trace beside this one")
    parser.add_argument("--files", action="store_true", help="list the files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name, ExitStack() as trees:
        measured = {commit(): (sys.executable, ROOT)}
        if options.before:
            tree = trees.enter_context(tree_of(options.before, Path(name)))
            measured[options.before] = (str(install(Path(name), tree) / "python"), tree)
        for which, (python, tree) in measured.items():
            desk = Desk(Path(name, f"of {which}"), python, tree / "src")
            desk.play()
            for words in (["close"], ["recall", "when is staging wiped"]):
                switches, calls = desk.trace(words)
                print(f"{which:24}{words[0]:8}{len(calls):5} files{switches:8,} switches")
                for path, count in calls.most_common() if options.files else ():
                    print(f"    {count:7,}  {path}")


class Desk:
    """A home with one repository, where the commands of one tree are run."""

    def __init__(self, folder: Path, python: str, source: Path) -> None:
        self.folder, self.project, self.python = folder, folder / "shop", python
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        vault = {"HOLDFAST_HOME": str(folder / "vault"), "HOLDFAST_CLOSE": "off"}  # no close beside ours
        self.env = {**user_environment(folder), "PYTHONPATH": str(source), **vault}

    def play(self) -> None:
        """One session from its start to its end, with flags and a handoff."""
        lines = [{"type": who, "message": {"role": who, "content": text}} for who, text in SAID.items()]
        (self.folder / "transcript.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.hook("SessionStart", source="startup")
        self.hook("UserPromptSubmit", prompt=SAID["user"])
        for kind, text in FLAGS.items():
            self.run("flag", "--kind", kind, text)
        self.run("snag", "`make test` ran on the live database", "--better", "run `make test-local`")
        self.run("handoff", "--anyway", stdin=HANDOFF)
        self.hook("SessionEnd", reason="prompt_input_exit")

    def hook(self, event: str, **more: str) -> None:
        given = {"hook_event_name": event, "session_id": "s1", "cwd": str(self.project), **more}
        given["transcript_path"] = str(self.folder / "transcript.jsonl")
        self.run("hook", "claude-code", stdin=json.dumps(given))

    def run(self, *words: str, stdin: str = "", program: tuple[str, ...] = ("-Pm", "holdfast")) -> None:
        line, null = [self.python, *program, *words], subprocess.DEVNULL
        subprocess.run(line, env=self.env, cwd=self.project, input=stdin, text=True, check=True, stdout=null)

    def trace(self, words: list[str]) -> tuple[int, Counter[str]]:
        out = self.folder / "trace.json"
        self.run(*words, program=(__file__, "--child", str(out)))
        found = json.loads(out.read_text())
        return found["switches"], Counter(found["calls"])


def trace(out: str, words: list[str]) -> None:
    """Run one command in this process and write which functions' files it passed through."""
    source, calls = f"{os.environ['PYTHONPATH']}/holdfast/", Counter[str]()
    switches, imports, last = 0, 0, ""

    def seen(frame: FrameType, event: str, _arg: object) -> None:
        nonlocal switches, imports, last
        code = frame.f_code
        path = code.co_filename.removeprefix(source)
        if event not in ("call", "return") or path in (code.co_filename, "__main__.py"):
            return
        if not code.co_flags & 1:  # the body of a module or class: an import
            imports += 1 if event == "call" else -1
        elif event == "call" and not imports and code.co_qualname != "value.<locals>.init":
            calls[path] += 1
            switches += last not in ("", path)
            last = path

    sys.argv, sys.path[:1] = ["holdfast", *words], []
    sys.setprofile(seen)
    with suppress(SystemExit):
        runpy.run_module("holdfast", run_name="__main__", alter_sys=True)
    sys.setprofile(None)
    Path(out).write_text(json.dumps({"switches": switches, "calls": calls}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        trace(sys.argv[2], sys.argv[3:])
    else:
        main()
