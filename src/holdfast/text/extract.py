"""A transcript in short, by rule: calls in a line, open todos, files that calls change.

Everything is cleaned of secrets before it is cut: a secret cut in half is no longer recognised.
"""

from __future__ import annotations

from holdfast.capture.redaction import redact
from holdfast.model import value
from holdfast.text.transcript import CALL, RESULT, Said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

LOOKED_AT = 12_000  # characters of one text; what is behind them is neither searched nor shown
SHELLS = ("Bash", "exec_command", "shell", "shell_command", "local_shell_call", "container.exec")
COMMANDS = ("command", "cmd")
PATHS = ("file_path", "notebook_path", "path", "pattern")
CHANGING = ("Edit", "MultiEdit", "NotebookEdit", "Write")
WHOLE = {"TodoWrite": ("todos", "content"), "update_plan": ("plan", "step")}  # tools that give every todo each time
BESIDE = (*WHOLE, "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "ToolSearch")  # the host's own bookkeeping
DONE = ("completed", "deleted", "cancelled")


@value
class Todos:
    """The open todos, in their order, and how many are done."""

    open: tuple[str, ...] = ()
    done: int = 0


def clean(text: str, longest: int) -> str:
    """The beginning of a text without secrets, marked where it was cut."""
    found = redact(text[:LOOKED_AT])[0]
    return found if len(found) <= longest and len(text) <= LOOKED_AT else found[: longest - 1].rstrip() + "…"


def flat(text: str, longest: int) -> str:
    """The same in one line."""
    return clean(" ".join(text[:LOOKED_AT].split()), longest)


def command_of(call: Said) -> str:
    """The command line of a shell tool; "" for any other tool."""
    if call.tool not in SHELLS or not isinstance(call.given, dict):
        return ""
    found = next((call.given[name] for name in COMMANDS if name in call.given), "")
    return " ".join(map(str, found)) if isinstance(found, list) else str(found)


def call_line(call: Said, result: Said | None) -> str:
    """A tool call in one line: its input, and the head of what came back."""
    command = command_of(call)
    given = call.given if isinstance(call.given, dict) else {}
    path = next((str(given[name]) for name in PATHS if isinstance(given.get(name), str)), "")
    shown = f"$ {command}" if command else path or (call.given if isinstance(call.given, str) else "")
    if not shown and call.given:
        from holdfast.capture import codec

        shown = codec.encode(call.given).decode("utf-8", "replace")
    line = f"{call.tool}: {flat(shown, 240)}"
    if result is None:
        return f"{line} -> no result yet"
    came = "failed: " if result.failed else ""
    head = flat(result.text, 160)
    return f"{line} -> {came}{head}" if head or came else line


def files_of(call: Said) -> Iterator[str]:
    """The files that a call was to change."""
    if call.tool in CHANGING and isinstance(call.given, dict):
        found = (call.given.get(name) for name in PATHS[:2])
        yield from (path for path in found if isinstance(path, str))
    elif call.tool == "apply_patch":
        text = call.given if isinstance(call.given, str) else str(_field(call.given, "input"))
        for line in text.splitlines():
            for mark in ("*** Update File: ", "*** Add File: ", "*** Delete File: "):
                if line.startswith(mark):
                    yield line.removeprefix(mark).strip()


def is_about_todos(call: Said) -> bool:
    return call.role == CALL and (call.tool in WHOLE or call.tool in ("TaskCreate", "TaskUpdate"))


def todos(calls: Iterable[Said], results: Mapping[str, Said]) -> Todos:
    """The newest state of the todos, from the calls that changed them, in their order."""
    known: dict[str, tuple[str, str]] = {}
    for call in calls:
        if call.tool in WHOLE:
            known = dict(_listed(call))
        elif call.tool == "TaskCreate":
            result = results.get(call.call, Said(RESULT, "", 0))
            if not result.failed:
                behind = result.text.partition("#")[2]  # as in "Task #12 created successfully"
                number = behind[: len(behind) - len(behind.lstrip("0123456789"))] or f"new {len(known) + 1}"
                known[number] = (str(_field(call.given, "subject")), "pending")
        else:
            number = str(_field(call.given, "taskId"))
            words, status = known.get(number, (f"task {number}", "pending"))
            status = str(_field(call.given, "status") or status)
            known[number] = (str(_field(call.given, "subject") or words), status)
    still = [(words, status) for words, status in known.values() if status not in DONE]
    lines = (f"{flat(words, 200)}{' (in progress)' if status == 'in_progress' else ''}" for words, status in still)
    return Todos(tuple(lines), sum(1 for _, status in known.values() if status == "completed"))


def _listed(call: Said) -> Iterator[tuple[str, tuple[str, str]]]:
    name, words = WHOLE[call.tool]
    given = _field(call.given, name)
    for number, one in enumerate(given if isinstance(given, list) else ()):
        if isinstance(one, dict) and isinstance(one.get(words), str):
            yield f"listed {number}", (one[words], str(one.get("status", "pending")))


def _field(given: Any, name: str) -> Any:
    return given.get(name, "") if isinstance(given, dict) else ""
