"""The name of a variable that holds a key, in sentences.

Some paste the key where its variable's name belongs, and a sentence may end up in a log, a notice, a session. So a name
is only said where it looks like one: words in capitals, joined by underscores. Keys do not.
"""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = re.compile(r"[A-Z]{1,20}[0-9]{0,2}(?:_[A-Z]{1,20}[0-9]{0,2}){1,8}")


def is_name(text: str) -> bool:
    """Whether a variable can be called so."""
    return bool(_NAME.fullmatch(text))


def shown(text: str, otherwise: str) -> str:
    """The name, where it cannot be a key; else other words for it."""
    return text if _PLAIN.fullmatch(text) else otherwise
