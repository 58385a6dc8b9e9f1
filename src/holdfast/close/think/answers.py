"""Answers that were paid for and not yet filed: a close that is killed and continued asks nothing twice.

    answers/<question>          the answer, as the judge gave it, until its flags are filed
    answers/unusable/<question> one that broke the shape twice, kept for whoever wants to know why

A question is known by all that was asked and of whom. This is a help, not a promise: without it the judge is asked
again, and filing is idempotent either way. What nobody came back for goes after a week.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.capture import codec, platform
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

    from holdfast.judge.seam import Judge, Question

    T = TypeVar("T", bound=BaseModel)

KEPT_FOR = 7 * 86400.0
MOST_UNUSABLE = 50
LARGEST = 1 << 20


def key_of(judge: Judge, question: Question[Any]) -> str:
    asked = (judge.name, judge.model, question.job, question.told, question.given, question.shape.__name__)
    return digest("\0".join(asked), 32)


def find(state: str, key: str, shape: type[T]) -> T | None:
    """The answer that was given before; None where there is none that can be used."""
    try:
        return shape.model_validate_json(platform.read_file(_path(state, key), LARGEST))
    except (OSError, ValueError):
        return None


def keep(state: str, key: str, answer: BaseModel) -> None:
    try:
        platform.make_folders(f"{state}/answers")
        platform.write_atomic(_path(state, key), answer.model_dump_json().encode("utf-8"), durable=False)
    except OSError:
        return  # then it is asked again


def keep_unusable(state: str, key: str, question: Question[Any], raw: str, now: float) -> str:
    """What nobody could use, whole; the path, or "" where the disk did not take it."""
    path = _path(state, f"unusable/{key}")
    record = {"t": now, "job": question.job, "about": question.about, "answer": redact(raw)[0][:LARGEST]}
    try:
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, codec.encode(record), durable=False)
    except OSError:
        return ""
    return path


def drop(state: str, keys: Iterable[str]) -> None:
    """Their flags are filed."""
    for key in keys:
        platform.remove(_path(state, key))


def sweep(state: str, now: float) -> None:
    """What nobody came back for."""
    for folder, most in ((f"{state}/answers", 10_000), (f"{state}/answers/unusable", MOST_UNUSABLE)):
        aged = []
        for name in platform.names(folder):
            try:
                seen = os.lstat(f"{folder}/{name}")
            except OSError:
                continue
            if not os.path.isdir(f"{folder}/{name}"):
                aged.append((seen.st_mtime, name))
        aged.sort(reverse=True)
        for at, (when, name) in enumerate(aged):
            if at >= most or now - when > KEPT_FOR:
                platform.remove(f"{folder}/{name}")


def _path(state: str, key: str) -> str:
    return f"{state}/answers/{key}"
