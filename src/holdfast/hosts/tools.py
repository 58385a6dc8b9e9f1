"""The subject of a tool call, from the input that Claude Code and Codex hand to their hooks in the same shape.

Nothing of a tool's output is kept: what it printed may be anything, and armed notes and boundaries need only what was
asked for. Taint looks at which files a search quotes, and by which name the output of a command is kept that goes on.
"""

from __future__ import annotations

from holdfast.hosts import LONGEST, clean, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

PATH_KEYS = ("file_path", "notebook_path", "path", "paths", "cwd", "workdir")
COMMAND_KEYS = ("command", "cmd", "script")
SHELLS = ("Bash", "shell", "exec_command", "local_shell", "unified_exec", "shell_command", "container.exec")
SEARCHES = ("grep", "rg ", "ag ")
SCHEDULING = ("CronCreate", "ScheduleWakeup", "RemoteTrigger")
PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
PATCH = "*** Begin Patch"
OLD_KEYS, NEW_KEYS = ("old_string", "old_str", "old"), ("new_string", "content", "new_source", "new_str", "file_text")
CHAPTER_TOOLS = ("mark_chapter",)  # that close a chapter unless the user names others
DONE = ("completed", "complete", "done")
MOST_TEXT = 1 << 16
MOST_PATHS = 64
DEPTH = 6


def input_of(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    given = payload.get("tool_input")
    return given if isinstance(given, dict) else {}


def about(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a Moment that say what a tool is asked to do."""
    given = input_of(payload)
    call = text_of(payload, "tool_use_id")
    if not given:
        return {"call": call}
    tool = text_of(payload, "tool_name")
    command = _command(given) if tool in SHELLS else ""
    answer = payload.get("tool_response")
    return {
        "sources": _sources(tool, command, answer) if answer else (),
        "background": text_of(answer, "backgroundTaskId") if isinstance(answer, dict) else "",
        "call": call,
        "command": command,
        "input": clean("\n".join(_texts(given, DEPTH))[:MOST_TEXT]),
        "paths": tuple(_paths(tool, given, command))[:MOST_PATHS],
        "lines": _lines(given) if not command else (),
        "completed": _completed(given),
    }


def scheduled(payload: Mapping[str, Any]) -> str:
    """The prompt that a tool call lets come later, as if the user had typed it."""
    return text_of(input_of(payload), "prompt") if payload.get("tool_name") in SCHEDULING else ""


def changed(payload: Mapping[str, Any], changing: tuple[str, ...]) -> tuple[str, ...]:
    """The files that a tool has just changed."""
    tool, given = payload.get("tool_name"), input_of(payload)
    if tool == "apply_patch":
        return tuple(_patched(given))[:MOST_PATHS]
    if tool not in changing:
        return ()
    return tuple(text for text in (text_of(given, key) for key in PATH_KEYS[:2]) if text)


def _command(given: Mapping[str, Any]) -> str:
    for key in COMMAND_KEYS:
        found = given.get(key)
        if isinstance(found, list):  # an argument list; what matters is what a shell in it is told
            words = [word for word in found if isinstance(word, str)]
            is_shell = len(words) > 1 and words[-2] in ("-c", "-lc")
            return clean(words[-1] if is_shell else " ".join(_quoted(word) for word in words))[:MOST_TEXT]
        if isinstance(found, str):
            return clean(found[:MOST_TEXT])
    return ""


def _quoted(word: str) -> str:
    """A word as a shell would have to be given it."""
    is_plain = word and all(letter.isalnum() or letter in "-_./:=,@%+" for letter in word)
    return word if is_plain else "'" + word.replace("'", "'\\''") + "'"


def _sources(tool: str, command: str, answer: Any) -> tuple[str, ...]:
    """The files that lines of a search's answer are from, as `path:12:line` or `path-12-line` says."""
    if tool != "Grep" and not any(word in command for word in SEARCHES):
        return ()
    if isinstance(answer, dict):
        answer = answer.get("content") if tool == "Grep" else answer.get("stdout")
    if not isinstance(answer, str):
        return ()
    found: dict[str, None] = {}
    for line in answer[:MOST_TEXT].splitlines():
        path = line.partition(":")[0]
        if path == line or " " in path:  # no match but a line beside one
            path = next((line[:at] for at in range(len(line)) if line[at] == "-" and _is_number(line[at + 1 :])), "")
        if path and len(path) < LONGEST and ("/" in path or "." in path):
            found[clean(path)] = None
    return tuple(found)[:MOST_PATHS]


def _is_number(text: str) -> bool:
    return text.partition("-")[0].isdecimal() and "-" in text


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from _texts(one, depth - 1)
    elif depth and isinstance(value, list):
        for one in value[:1000]:
            yield from _texts(one, depth - 1)


def _paths(tool: str, given: Mapping[str, Any], command: str) -> Iterator[str]:
    for key in PATH_KEYS:
        found = given.get(key)
        for one in found if isinstance(found, list) else [found]:
            if isinstance(one, str) and one:
                yield clean(one[:LONGEST])
    if tool == "apply_patch":
        yield from _patched(given)
    # Words of a command that could be paths; a quoted one with spaces in it is not found, and words still are.
    for word in command[:LONGEST].split():
        bare = word.strip("\"'`;&|()<>=,")
        if ("/" in bare or "." in bare) and "://" not in bare and not bare.startswith("-"):
            yield bare


def _patched(given: Mapping[str, Any]) -> Iterator[str]:
    for text in _texts(given, DEPTH):
        for line in text.splitlines():
            for mark in PATCH_LINES:
                if line.startswith(mark):
                    yield clean(line[len(mark) :].strip()[:LONGEST])


def _lines(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The lines that an edit brings, and those that it takes away; lines that both sides have only say where."""
    edits = given.get("edits")
    fresh: list[str] = []
    gone: list[str] = []
    for one in (given, *(edits[:MOST_PATHS] if isinstance(edits, list) else ())):
        if not isinstance(one, dict):
            continue
        texts = [[found for key in keys if isinstance(found := one.get(key), str)] for keys in (OLD_KEYS, NEW_KEYS)]
        old, new = ("".join(found[:1])[:MOST_TEXT].splitlines() for found in texts)
        fresh += [line for line in new if line not in old]
        gone += [line for line in old if line not in new]
    patch = next((text for text in given.values() if isinstance(text, str) and text.startswith(PATCH)), "")
    changes = patch[:MOST_TEXT].splitlines()
    fresh += [line[1:] for line in changes if line.startswith("+")]
    gone += [line[1:] for line in changes if line.startswith("-")]
    return tuple(clean("\n".join(side)[:MOST_TEXT]) for side in (fresh, gone)) if fresh or gone else ()


def _completed(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The items that a list of todos or a plan says are done."""
    for key, words in (("todos", "content"), ("plan", "step")):
        listed = given.get(key)
        if isinstance(listed, list):
            done = [one for one in listed if isinstance(one, dict) and str(one.get("status", "")).lower() in DONE]
            return tuple(text for text in (text_of(one, words) for one in done[:MOST_PATHS]) if text)
    return ()


def short_name(tool: str) -> str:
    """A tool's own name, without the server it comes from: mcp__notes__mark_chapter, notes/mark_chapter."""
    return tool.rpartition("__")[2].rpartition("/")[2].rpartition(".")[2]
