"""Words from a form, as a file should have them.

A form shows a text with LF at the ends of lines, and signs that hide or reorder it as their numbers, so that nobody is
deceived about it. Saving it changes only what was typed: line ends and such signs are put back as the file had them.
"""

from __future__ import annotations

import re

from holdfast.page import frame

NUMBERED = re.compile("\u27e8U\\+([0-9A-F]{4})\u27e9")


def as_file(typed: str, base: str) -> str:
    """A typed text with the line ends and the hidden signs of the text that the form was filled with."""
    text = typed.replace("\r\n", "\n")
    there = set(frame.HIDING.findall(base))
    if there - {"\r"}:
        text = NUMBERED.sub(lambda one: chr(int(one[1], 16)) if chr(int(one[1], 16)) in there else one[0], text)
    is_crlf = "\r\n" in base and "\n" not in base.replace("\r\n", "")
    return text.replace("\n", "\r\n") if is_crlf else text
