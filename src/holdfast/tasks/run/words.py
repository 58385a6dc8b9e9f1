"""Where the prompt stands in the command line of a host, so that a task's memory can be put before it.

Promise: the value of an option is never taken for the prompt. An option that is not known (tasks/run/options) and is
followed by a word could mean either, so nothing is guessed: the caller is asked to write {memory} where it belongs. The
same for every program that is not a host known here, and never where the words would be code (tasks/run/code_words).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import UsageError
from holdfast.tasks.run import code_words
from holdfast.tasks.run.options import CODEX, HOSTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.tasks.run.options import Grammar

PLACEHOLDER = code_words.PLACEHOLDER
STDIN = "-"  # as a prompt: it comes from there


@dataclass(frozen=True)
class Place:
    """Where the memory goes: a word of the command and the letter in it, or, with word 0, before what stdin says."""

    word: int = 0
    at: int = 0


def program(command: Sequence[str]) -> str:
    """What is started, by its name alone."""
    return os.path.basename(command[0])


def place(command: Sequence[str]) -> Place | None:
    """Where the memory goes; None where the caller has said so, with {memory} or by the name of the variable that has
    it. Raises UsageError."""
    if not command or not command[0].strip():
        raise UsageError(
            'There is no command; nothing was started. Try: holdfast task run ID -- claude -p "go on with the task".'
        )
    if any(PLACEHOLDER in word for word in command[1:]):
        code_words.refuse(command)
        return None
    if any(code_words.VARIABLE in word for word in command[1:]):
        return None  # it takes the memory from its environment
    known = HOSTS.get(program(command))
    if known is None:
        raise _asked(f"Where {program(command)} takes its prompt is not known")
    options, words = _scan(command, known)
    if options:
        return options[0]
    words = _behind_commands(command, known, words)
    if not words or command[words[0]] == STDIN:
        return _from_stdin(command)
    if len(words) > 1 and not known.is_wordy:
        raise _asked(f"Which of {len(words)} words is the prompt of {program(command)} cannot be told")
    return Place(words[0])


def put(command: Sequence[str], where: Place | None, memory: str) -> list[str]:
    """The command with the memory in it; as it is where the memory goes to stdin."""
    if where is None:
        return [command[0], *(word.replace(PLACEHOLDER, memory) for word in command[1:])]
    found = list(command)
    if where.word:
        word = found[where.word]
        found[where.word] = f"{word[: where.at]}{memory}\n{word[where.at :]}"
    return found


def _asked(what: str) -> UsageError:
    return UsageError(
        f"{what}; nothing was started. Write {PLACEHOLDER} where the task's memory belongs, "
        f'as in: holdfast task run ID -- PROGRAM "{PLACEHOLDER} Go on with the task.", or take it from '
        f"${code_words.VARIABLE}."
    )


def _scan(command: Sequence[str], known: Grammar) -> tuple[list[Place], list[int]]:
    """The prompts that options have, and the words that belong to no option."""
    options: list[Place] = []
    words: list[int] = []
    nth = 1
    while nth < len(command):
        word = command[nth]
        if word == "--":
            words += range(nth + 1, len(command))
            break
        if not word.startswith("-") or word == STDIN:
            words.append(nth)
            nth += 1
            continue
        name, has_value, _ = word.partition("=")
        if name in known.prompts and (has_value or nth + 1 < len(command)):
            options.append(Place(nth, len(name) + 1) if has_value else Place(nth + 1))
        nth += 1 if has_value else 1 + _values(command, nth, known)
    return options, words


def _values(command: Sequence[str], nth: int, known: Grammar) -> int:
    """How many of the words behind an option are its own."""
    name, rest = command[nth], command[nth + 1 :]
    while not name.startswith("--") and len(name) > 2:  # letters together, or a letter and its value
        head, name = name[:2], f"-{name[2:]}"
        if head not in known.flags:
            return 0
    follow = next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))
    if name in known.takes | known.prompts:
        return min(1, len(rest))
    if name in known.many:
        return follow
    if name in known.maybe:
        return min(1, follow)
    if name not in known.flags and not name.startswith("--no-") and follow:
        raise _asked(
            f'Whether "{rest[0][:60]}" belongs to {name} of {program(command)} or is the prompt cannot be told'
        )
    return 0


def _behind_commands(command: Sequence[str], known: Grammar, words: list[int]) -> list[int]:
    """The words behind those that say what the host shall do."""
    if not known.command:
        return words
    if not words or command[words[0]] not in known.command:
        raise _asked(f"{program(command)} takes a prompt with `{sorted(known.command)[-1]}` alone")
    words = words[1:]
    if known is not CODEX or not words:
        return words
    begin = command[words[0]]
    if begin == "review":
        raise _asked("A review has no prompt that a task's memory could go before")
    if begin == "fork" or (begin == "resume" and "--last" not in command):
        return words[2:]  # the first of them says which session
    return words[1:] if begin == "resume" else words


def _from_stdin(command: Sequence[str]) -> Place:
    """Raises UsageError where what stdin has is no text for people."""
    joined = " ".join(command)
    if "--input-format=stream-json" in joined or "--input-format stream-json" in joined:
        raise _asked(f"What {program(command)} reads from stdin is no plain prompt")
    return Place()
