"""The ledger: one record for everything that fired, with what it did and how long it took.

It is the proof that the mechanism runs, so it is written at every moment, and it is cheap: one unsynced append to
the file of the day, whatever the ledger already holds. It may lose its last records with the power; nothing that
must survive is only here. Reading and keeping it are in capture/ledger_history.
"""

from __future__ import annotations

import time

from holdfast.capture import codec, log
from holdfast.capture.redaction import redact, redact_record
from holdfast.model import VERSION

KINDS = (
    "hook",
    "nudge",
    "injection",
    "flag",
    "episode",
    "close",
    "vault",
    "model",
    "task",
    "upkeep",
    "purged",
    "error",
)


def append(state: str, kind: str, now: float, **what: object) -> None:
    """Write one record. Raises NotSaved where the ledger cannot be written."""
    append_all(state, kind, now, [what])


def append_all(state: str, kind: str, now: float, records: list[dict[str, object]]) -> None:
    """Write several records of one kind at once."""
    made = [redact_record({"v": VERSION, "t": round(now, 6), "kind": kind, **what})[0] for what in records]
    log.append(day_path(state, now), [codec.encode(record) for record in made], durable=False)


def short(text: str, size: int) -> str:
    """The beginning of an outside text. Secrets go before the cut: half a secret is no longer recognised."""
    return redact(text)[0][:size]


def day_path(state: str, when: float) -> str:
    return f"{state}/ledger/{time.strftime('%Y-%m-%d', time.gmtime(when))}.log"
