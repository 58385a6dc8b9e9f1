"""A process that files flags until its stdin is closed and nothing waits: claim, file by id, acknowledge, archive.

    python -S child_consumer.py SOURCE FOLDER FILED JOURNAL

Each step goes to the journal, one line in one write: "file ID", then "done ID" after the acknowledgement has returned.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

import os
import select

from holdfast.capture import platform, settle


def main(folder: str, filed: str, journal: str) -> None:
    notes = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    settlement = settle.Settlement(folder, tries=1000)
    asked_to_stop = False
    while True:
        claim = settlement.claim(5, 3600.0)
        if claim is None:
            if asked_to_stop:
                break
            asked_to_stop = bool(select.select([0], [], [], 0.002)[0])
            continue
        for flag in claim.flags:
            os.write(notes, f"file {flag.id}\n".encode())
            platform.write_atomic(f"{filed}/{flag.id}", flag.text.encode(), durable=False)
        for ident in settlement.acknowledge(claim, [flag.id for flag in claim.flags]):
            os.write(notes, f"done {ident}\n".encode())
        settlement.archive()
    settlement.archive()


if __name__ == "__main__":
    main(*sys.argv[2:])
