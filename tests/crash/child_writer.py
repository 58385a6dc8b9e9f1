"""A process that appends flags until it is killed, or a given number of them, and says which are saved.

    python -S child_writer.py SOURCE FOLDER NAME BATCH ROLL_AT COUNT

An id goes to stdout after `append` has returned, never before: what the parent has read was acknowledged.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

import os
import random
import time
import zlib

from holdfast.capture import queue
from holdfast.capture.ids import new_id
from holdfast.model import Flag

LETTERS = "abcdefghijklmnopqrstuvwxyz äöü ß € \U0001f6a9 0123456789 \\ \" ' {} [] : , HF1 \\n "
PATTERN = LETTERS * (4000 // len(LETTERS) + 2)


def text_of(writer: str, number: int) -> str:
    """A text of up to 4,000 characters that its first word determines, so that a changed one is seen.

    Most are long: a write of many pages is what a kill can cut. Making one must cost next to nothing, or the writers
    would mostly be killed while making texts.
    """
    name = f"{writer}.{number}"
    chance = zlib.crc32(name.encode())
    length = 3900 if chance & 3 else chance >> 16 & 255
    start = (chance >> 8) % len(LETTERS)
    return f"{name} {PATTERN[start : start + length]}."


def main(folder: str, writer: str, most: int, roll_at: int, wanted: int) -> None:
    chance = random.Random(writer)
    number = 0
    while number < wanted or not wanted:
        size = chance.randint(1, most)
        size = min(size, wanted - number) if wanted else size
        now = time.time()
        flags = [
            Flag(new_id(now, nth), now, "cli", "", "crash", "fact", text_of(writer, number + nth))
            for nth in range(size)
        ]
        number += size
        queue.append(folder, flags, now, roll_at)
        said = "".join(f"{flag.id}\n" for flag in flags).encode()
        while said:
            said = said[os.write(1, said) :]


if __name__ == "__main__":
    main(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6]))
