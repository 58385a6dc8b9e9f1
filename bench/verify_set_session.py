"""A case of the verify set on disk: its work tree with the edits made, and its transcript in the host's own format.

The transcript begins behind a parent's words, which say other numbers: what is read from before the episode would be
taken for evidence.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast.capture.episodes import ENDED, Episode
from holdfast.capture.story import Story
from verify_set import Case, Step

OPENED = 1_794_800_000.0


def write(case: Case, folder: Path) -> tuple[Episode, Story, str]:
    """The episode, what the hook noted of it, and the root of its tree."""
    root = folder / "tree"
    for name, text in case.world.tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q", "--template=", str(root)], check=True)
    files = [f"{root}/{path}" for step in case.steps for path in _changed(step, case.world.name, root)]
    parent = [Step("user", case.elsewhere), Step("say", f"Done: {case.elsewhere}")]
    head, tail = (_text(case.world.host, steps, root) for steps in (parent, list(case.steps)))
    path = folder / "transcript.jsonl"
    path.write_text(head + tail)
    prompts = tuple(step.text for step in case.steps if step.what == "user")
    episode = Episode(
        host=case.world.host,
        session="s",
        ordinal=2,
        project=case.world.name,
        cwd=str(root),
        opened=OPENED,
        transcript=str(path),
        offset=len(head.encode()),
        state=ENDED,
        closed=OPENED + 3600,
    )
    return episode, Story(prompts, tuple(files)), str(root)


def _changed(step: Step, project: str, root: Path) -> Iterator[str]:
    """Make the edit of a step, and say which file it was."""
    if step.what == "edit" and not step.failed:
        text = (root / step.text).read_text() if (root / step.text).exists() else ""
        old, new = step.given["old_string"], step.given["new_string"]
        (root / step.text).write_text(text.replace(old, new) if old in text else f"{text}{new}\n")
        yield step.text
    elif step.text == "Write":
        path = step.given["file_path"].partition(f"/{project}/")[2]
        (root / path).write_text(step.given["content"])
        yield path


def _text(host: str, steps: list[Step], root: Path) -> str:
    speak = _codex if host == "codex" else _claude
    records = (record for nth, step in enumerate(steps) for record in speak(step, f"{nth:04d}", root))
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


def _claude(step: Step, ident: str, root: Path) -> Iterator[dict[str, Any]]:
    when = f"2026-11-16T03:4{ident[-1]}:47.643Z"
    beside = {"isSidechain": False, "cwd": str(root), "sessionId": "s", "timestamp": when}
    if step.what == "user":
        yield {"type": "queue-operation", "operation": "enqueue", "content": step.text}
        yield {**beside, "type": "user", "message": {"role": "user", "content": step.text}}
        return
    block: dict[str, Any] = {"type": "text", "text": step.text}
    if step.what != "say":
        tool, given = _claude_call(step, root)
        block = {"type": "tool_use", "id": f"toolu_{ident}", "name": tool, "input": given}
    usage = {"input_tokens": 2100, "cache_read_input_tokens": 18000, "output_tokens": 77}
    message = {"role": "assistant", "model": "claude-opus-5-5", "content": [block], "usage": usage}
    yield {**beside, "type": "assistant", "message": message}
    if step.what != "say":
        text = f"Exit code 1\n{step.result}" if step.failed and step.what == "run" else step.result
        if step.what == "read":
            text = "".join(f"{n}\t{line}\n" for n, line in enumerate(text.splitlines(), 1))
        result = {"type": "tool_result", "tool_use_id": f"toolu_{ident}", "content": text, "is_error": step.failed}
        yield {**beside, "type": "user", "message": {"role": "user", "content": [result]}}


def _claude_call(step: Step, root: Path) -> tuple[str, Any]:
    if step.what == "run":
        return "Bash", {"command": step.text, "description": "run it"}
    if step.what == "read":
        return "Read", {"file_path": f"{root}/{step.text}"}
    if step.what == "edit":
        return "Edit", {"file_path": f"{root}/{step.text}", **step.given}
    return step.text, step.given


def _codex(step: Step, ident: str, root: Path) -> Iterator[dict[str, Any]]:
    def item(payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": f"2026-11-16T03:45:5{ident[-1]}.959Z", "type": "response_item", "payload": payload}

    if step.what in ("user", "say"):
        role, kind = ("user", "input_text") if step.what == "user" else ("assistant", "output_text")
        yield item({"type": "message", "role": role, "content": [{"type": kind, "text": step.text}]})
        return
    if step.text == "apply_patch":
        yield item({"type": "custom_tool_call", "name": "apply_patch", "call_id": ident, "input": step.given})
        yield item({"type": "custom_tool_call_output", "call_id": ident, "output": step.result})
        return
    name, given = (
        ("exec_command", {"cmd": step.text, "workdir": str(root)}) if step.what == "run" else (step.text, step.given)
    )
    yield item({"type": "function_call", "name": name, "call_id": ident, "arguments": json.dumps(given)})
    output = step.result
    if step.what == "run":
        head = f"Chunk ID: {ident}\nWall time: 0.2 seconds\nProcess exited with code {int(step.failed)}\nOutput:\n"
        output = f"{head}{output}"
    yield item({"type": "function_call_output", "call_id": ident, "output": output})
