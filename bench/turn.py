"""What all our hooks cost a one-tool turn of the real Claude Code, against hooks that do nothing, and against none.

    python bench/turn.py [--runs 20] [--before COMMIT]

Homes that differ in their hooks alone: what `holdfast init` registers; `python -I -S -c pass` on the same events, with
the same interpreter; none. One more has the MCP server that init registers too, for whose start `claude -p` waits. Each
turn is one `claude -p` with one Bash call, answered by a scripted model on loopback. The turns are interleaved, and
what a session leaves running in the background is waited for before the next begins. `--before` adds a home with the
hooks of another commit. Target: ours at most 1.15 of hooks that do nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import partial
from pathlib import Path

from support import ROOT, interleaved, machine, median, run_alone

sys.path.insert(0, str(ROOT / "src"))
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tools"))

import agents
from e2e.claude_desk import ClaudeDesk
from e2e.model_server import ModelServer
from e2e.processes import end_all_of, of_home
from e2e.steps import say
from holdfast.hosts.host import registrar
from holdfast.install import launcher

TARGET = 1.15
KINDS = ("none", "nothing", "ours", "served")  # the last with the MCP server that init registers too


def main() -> None:
    options = _options()
    if options.inside:
        measure(Path(options.inside), options.runs, options.before)
    else:
        words = ["--before", options.before] if options.before else []
        run_alone(__file__, "--runs", str(options.runs), *words, before=options.before)


def measure(folder: Path, runs: int, before: str) -> None:
    """With everything installed below `folder`, and nothing to be reached but loopback."""
    with ModelServer() as server:
        desks = {kind: _desk(folder / kind, folder / "venv", server, kind) for kind in KINDS}
        if before:
            desks["before"] = _desk(folder / "other", folder / "before" / "venv", server, "ours")
        try:
            for desk in desks.values():
                _turn(desk)  # the first start of a home sets things up
            times = interleaved({kind: partial(_turn, desk) for kind, desk in desks.items()}, runs)
            hooks = len(desks["ours"].log("--kind", "hook")) / (runs + 1)
        finally:
            end_all_of(folder)
    _print({kind: median(found) for kind, found in times.items()}, hooks, runs)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--before", default="", help="a commit to measure beside this one")
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def _desk(folder: Path, venv: Path, server: ModelServer, kind: str) -> ClaudeDesk:
    desk = ClaudeDesk(folder / "ada", venv, agents.command("claude"), server)
    desk.set_up()
    desk.allow("Bash(echo:*)")
    if kind != "served":
        own = json.loads(desk.own.read_text(encoding="utf-8"))
        own.pop("mcpServers", None)
        desk.own.write_text(json.dumps(own), encoding="utf-8")
    if kind in ("nothing", "none"):
        nothing = {"type": "command", "command": f"{launcher.interpreter()} -I -S -c pass"}
        events = registrar("claude-code").EVENTS if kind == "nothing" else ()
        desk.settings.write_text(json.dumps({"hooks": {event: [{"hooks": [nothing]}] for event in events}}))
    return desk


def _turn(desk: ClaudeDesk) -> float:
    """Seconds of one turn; afterwards nothing of it runs any more."""
    desk.server.play(desk.shell("echo 1"), say("Done."))
    began = time.perf_counter()
    done = desk.run(desk.words("Say one"))
    spent = time.perf_counter() - began
    if done.status or desk.server.unplayed:
        raise SystemExit(f"the turn failed: {done.out[-1000:]}{done.err[-1000:]}")
    deadline = time.monotonic() + 20
    while of_home(desk.home.parent) and time.monotonic() < deadline:
        time.sleep(0.02)
    return spent


def _print(medians: dict[str, float], hooks: float, runs: int) -> None:
    none, nothing, ours, served = (medians[kind] for kind in KINDS)
    print(f"# {machine()}; Claude Code {agents.VERSIONS['claude']}; {runs} turns each, interleaved; medians")
    print(f"{'hooks in a one-tool turn':40}{'seconds':>10}{'ratio':>9}")
    titles = ("none", "python -I -S -c pass", "holdfast", "holdfast, MCP server too")
    for what, spent in zip(titles, (none, nothing, ours, served), strict=True):
        print(f"{what:40}{spent:10.3f}{spent / none:9.3f}")
    if "before" in medians:
        print(f"{'holdfast, the commit before':40}{medians['before']:10.3f}{medians['before'] / none:9.3f}")
        print(f"the commit before to hooks that do nothing: {medians['before'] / nothing:.3f}")
    print(f"{hooks:.1f} of our hooks ran in a turn")
    verdict = "met" if ours / nothing <= TARGET else "MISSED"
    print(f"holdfast to hooks that do nothing: {ours / nothing:.3f} (target {TARGET}: {verdict})")
    sys.exit(ours / nothing > TARGET)


if __name__ == "__main__":
    main()
