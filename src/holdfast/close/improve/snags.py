"""A snag read out of its flag: what went wrong, the better path, the rule or skill that should learn from it, and the
tool calls that it names, found by rule, so that next time the better path comes back by itself.

The queue's record stays as it is: the name of a rule or skill travels as evidence, so whatever reads flags, older
versions included, carries it along. A snag that was flagged by `holdfast flag --kind snag` has at least its words.

Where a snag comes again, its calls are widened by a step: from a file to its folder or its ending, from a folder to its
parent, from a command to one word less, from one tool of a server to all, but never to calls of every step.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from holdfast.capture import armed_match
from holdfast.capture.flag_words import RULE, SKILL
from holdfast.capture.quoting import shortened
from holdfast.model import Flag, replace
from holdfast.text import shell_programs
from holdfast.vault import armed
from holdfast.vault.clause_words import DOINGS, ENGLISH, EVERYDAY, MANY, SINGLE
from holdfast.vault.named_things import glob_of, is_file

BETTER = re.compile(r"(?:(?<=[.!?;,])\s+|\s+[-\u2013\u2014]\s+|^)(?:better|instead)\s*:\s*", re.IGNORECASE)
OPENING = re.compile(r"^snag\s*:\s*", re.IGNORECASE)
SHORTEST_WRONG = 160  # letters of what went wrong that stay, however long the better path is
SHELL = "Bash"
MOST_WORDS = 3
MOST_PATHS = 3
TOOLS = {"WebFetch", "WebSearch", "NotebookEdit", "TodoWrite"}  # no English, and not at every step
SHORTEST_WORD = 3  # letters
NONSENSE = "zqxkjv"  # what takes this takes every tool
NOWHERE = ("/zq/xk/jv.qx", "/zq", "zq.jv", "zq/xk")  # what takes one of these takes paths whatever their names
COMMON_TOOLS = ("Bash", "Read", "Write", "Edit", "MultiEdit", "Grep", "Glob", "Task", "Agent", "apply_patch", "shell")
MCP = re.compile(r"\bmcp__[A-Za-z0-9_-]+\b")
TICKED = re.compile(r"`([^`\n]{2,200})`")
TOKEN = re.compile(r"[^\s`\"'()<>|,;]+")
OPTION = re.compile(r"--[a-z][a-z0-9-]+")
LINES = re.compile(r":\d+(?:[-:]\d+)?$")
STEPS = 3  # that a second wording may need until it is covered


@dataclass(frozen=True)
class Snag:
    """A wrong path and the better one ("" where its author named none), and the skill or rule that is named."""

    wrong: str
    better: str
    skill: str = ""
    rule: str = ""

    @property
    def line(self) -> str:
        """One line that says both, within what an armed note brings back."""
        ending = "" if self.wrong.endswith((".", "!", "?", "…")) else "."
        whole = f"Snag: {self.wrong}{ending} Better: {self.better}" if self.better else f"Snag: {self.wrong}"
        if len(whole) <= armed.MOST_LETTERS:
            return whole
        if not self.better:
            return shortened(whole, armed.MOST_LETTERS)
        room = armed.MOST_LETTERS - len("Snag:  Better: ")
        wrong = shortened(f"{self.wrong}{ending}", max(SHORTEST_WRONG, room - len(self.better)))
        return f"Snag: {wrong} Better: {shortened(self.better, room - len(wrong))}"

    @property
    def key(self) -> str:
        """A key that is equal for equal snags, whatever its spacing, case and signs."""
        return key_of(self.line)


def key_of(line: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", line.casefold()))


def parsed(flag: Flag) -> Snag:
    """Read a flag of kind snag, whichever command it came from."""
    text = OPENING.sub("", flag.text)
    found = BETTER.search(text)
    wrong, better = (text[: found.start()], text[found.end() :]) if found else (text, "")
    if not wrong.strip():
        wrong, better = text, ""
    return Snag(_half(wrong), _half(better), _named(flag, SKILL), _named(flag, RULE))


def _half(text: str) -> str:
    return " ".join(text.split()).rstrip(".").rstrip() or text.strip()


def _named(flag: Flag, mark: str) -> str:
    return next((one[len(mark) :].strip() for one in flag.evidence if one.startswith(mark)), "")


def plain(flag: Flag) -> Flag:
    """The flag with nothing but proof as its evidence."""
    return replace(flag, evidence=tuple(one for one in flag.evidence if not one.startswith((SKILL, RULE))))


def derived(snag: Snag) -> dict[str, Any] | None:
    """The calls at which the better path should come back; None where the snag names none that differ from others."""
    for half in (snag.wrong, snag.better):
        for look in (_command, _tool, _files):
            found = look(half)
            if found and not armed.problems_of(found):
                return found
    return None


def subject(when: dict[str, Any]) -> str:
    """The subject of a `when` in a few words: the name of the note that has it."""
    if any(when.get(key) for key in armed.DOES):
        return armed.said(when)
    parts = [*when.get("words", ()), *when.get("paths", ()), *([] if when.get("words") else [when.get("tool", "")])]
    return " ".join(str(part) for part in parts if part)


def _command(text: str) -> dict[str, Any] | None:
    ticked = [words for span in TICKED.findall(text) for words in shell_programs.commands(span)]
    for words in ticked:
        found = _told(words)
        if found:
            return {"tool": SHELL, "words": found}
    bare = [token.strip(".:!?").lower() for token in TOKEN.findall(TICKED.sub(" ", text))]
    for at, word in enumerate(bare):
        if word in SINGLE:
            return {"tool": SHELL, "words": [word, *_doings(bare[at + 1 : at + 2])][:MOST_WORDS]}
        if word in MANY - ENGLISH and _doings(bare[at + 1 : at + 2]):
            return {"tool": SHELL, "words": [word, *_doings(bare[at + 1 : at + MOST_WORDS])]}
    return None


def _doings(words: list[str]) -> list[str]:
    """The words directly behind a command that say what it was to do."""
    return list(takewhile(lambda word: word in DOINGS or OPTION.fullmatch(word), words))


def _told(words: list[str]) -> list[str]:
    """The words of a command in backticks that tell it from others; none where it is no command, or an everyday one."""
    program = words[0].rpartition("/")[2].lower()
    rest = [word.lower() for word in words[1:]]
    if not re.fullmatch(r"[a-z0-9_][a-z0-9_.+-]*", program):
        return []
    flags = [word for word in rest if OPTION.fullmatch(word)]
    if program in SINGLE:
        return [program, *_doings(rest)][:MOST_WORDS]
    if program in MANY:
        module = rest[1:2] if rest[:1] == ["-m"] else []
        scripts = [word.rpartition("/")[2] for word in rest[:1] if is_file(word)]
        more = _doings(rest) or [*module, *scripts, *(rest[:1] if program in ENGLISH and _is_word(rest[:1]) else [])]
        return [program, *more][:MOST_WORDS] if more else []
    if "." in program and is_file(program):  # a script, where it is run and not only named
        return [program, *flags][:MOST_WORDS] if rest or "/" in words[0] else []
    more = [word for word in rest if _is_word([word])]
    return [program, *dict.fromkeys((*more, *flags))][:MOST_WORDS] if more or flags else []


def _is_word(words: list[str]) -> bool:
    return bool(words) and bool(re.fullmatch(r"[a-z][a-z0-9_.:-]+", words[0]))


def _tool(text: str) -> dict[str, Any] | None:
    found = MCP.search(text)
    if found:
        return {"tool": found[0]}
    words = {token.strip(".:!?") for token in TOKEN.findall(text)}
    named = sorted(TOOLS & words)
    if named:
        return {"tool": named[0]}
    for tool in COMMON_TOOLS:  # at every step of a session: only together with a file
        if re.search(rf"(?:`{tool}`|\b{tool} tool\b)", text):
            files = _files(text)
            return {"tool": tool, **files} if files else None
    return None


def _files(text: str) -> dict[str, Any] | None:
    tokens = (LINES.sub("", token.rstrip(".:!?")) for token in TOKEN.findall(text.replace("`", " ")))
    found = list(dict.fromkeys(glob_of(token) for token in tokens if is_file(token)))
    return {"paths": found[:MOST_PATHS]} if found else None


def is_everyday(when: dict[str, Any]) -> bool:
    """Whether nothing in a sound `when` tells the call from everyday ones. All that is given must be true of a call, so
    one part that does is enough; of tools and paths any may be, so the widest of them counts."""
    known = armed.read(when)
    common = (NONSENSE, *(one.lower() for one in COMMON_TOOLS))
    if known.tool and not any(armed_match.glob_matches(glob, one) for glob in known.tool for one in common):
        return False
    if known.paths and not any(armed_match.path_matches(glob, one) for glob in known.paths for one in NOWHERE):
        return False
    long = [word for word in known.words if sum(map(str.isalnum, word)) >= SHORTEST_WORD]
    return not long or (len(known.words) == 1 and long[0] in EVERYDAY)


def wider(when: dict[str, Any], other: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """One step wider, or as many as it takes to cover what the later wording names; None where that is every day."""
    made: dict[str, Any] | None = when
    for _ in range(STEPS):
        made = _step(made) if made else None
        if made is None or armed.problems_of(made) or is_everyday(made):
            return None
        if other is None or other == when or _covers(made, other):
            return made
    return made


def _step(when: dict[str, Any]) -> dict[str, Any] | None:
    paths, words, tool = _list(when, "paths"), _list(when, "words"), _list(when, "tool")
    if paths:
        grown = [one for one in (_around(path) for path in paths) if one]
        return {**when, "paths": list(dict.fromkeys(grown))} if len(grown) == len(paths) else None
    if len(words) > 1:
        return {**when, "words": words[:-1]}
    if not words and len(tool) == 1 and tool[0].startswith("mcp__") and not tool[0].endswith("*"):
        return {**when, "tool": f"{tool[0].rpartition('__')[0]}__*"}
    return None


def _list(when: dict[str, Any], key: str) -> list[str]:
    value = when.get(key)
    return [str(one) for one in value] if isinstance(value, list) else [str(value)] if value else []


def _around(path: str) -> str:
    """The folder of a file, the parent of a folder, else all files with the same ending; "" where nothing is left."""
    folder, _, name = path.rstrip("/").rpartition("/")
    if folder and folder not in ("~", "."):
        return f"{folder}/"
    ending = name.rpartition(".")[2] if "." in name.strip(".") else ""
    return f"*.{ending}" if ending and not name.startswith("*.") else ""


def _covers(when: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the files that the later wording names are among those waited for; what names none is covered."""
    theirs = _list(other, "paths")
    ours = armed.read({"paths": _list(when, "paths")})
    return all(bool(ours.paths) and armed.matches(ours, "", "", [one]) for one in theirs)
