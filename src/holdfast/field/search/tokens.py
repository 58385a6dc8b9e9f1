"""The words that a query is looked up by.

Words that every text has are left out, unless nothing else was asked. A name of code is looked up whole and in its
parts: `lease_expires` as the phrase that an index of words makes of it, and as `lease` and `expires`; `leaseExpires`,
`src/queue.py` and `E-1042` likewise. The index has the parts of camelCase from `parts`, since no tokenizer splits it.
In scripts that put no spaces between words, every two signs that stand together are looked up: most words there have
two, and no list of words is needed.
"""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+")
# Letters, digits and the signs that join them in a name: paths, dotted names, options, error codes.
NAME = re.compile(r"[^\W_]+(?:[_./:#-]+[^\W_]+)+")
HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
# Chinese, Japanese and Korean; Thai, Lao, Burmese and Khmer.
SIGNS = (
    "\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff"
    "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff"
)
RUN = re.compile(f"[{SIGNS}]+")
LIGHT = """
a about also an and any are as at be been being but by can could did do does doing for from had has have having he her
hers him his how i if in into is it its just may me might mine must my no not of on or our ours shall she should so some
such than that the their theirs them then there these they this those to too us was we were what when where which who
whom whose why will with would you your yours s t d ll m re ve
"""
STOP = frozenset(LIGHT.split())
MOST = 64  # a pasted page is no question; its first words say what it is about


def parts(word: str) -> list[str]:
    """The words in a name without signs: camelCase, HTTPServer, utf8; nothing where it is but one."""
    found = HUMP.findall(word)
    return [one.lower() for one in found] if len(found) > 1 else []


def pairs(text: str) -> list[str]:
    """Every two signs that stand together in a script without spaces; one that stands alone is itself."""
    runs = RUN.findall(text)
    return [pair for run in runs for pair in ([run[at : at + 2] for at in range(len(run) - 1)] or [run])]


def spaced(text: str) -> list[str]:
    """The words between spaces and signs; what stands beside a script without spaces is a word of its own."""
    return WORD.findall(RUN.sub(" ", text))


def terms(query: str) -> tuple[str, ...]:
    """What to look a query up by: its words, and names of code whole and in parts; each once, in the query's order."""
    words, found = spaced(query), dict.fromkeys(pairs(query))
    bare = [word for word in words if word.lower() not in STOP] or ([] if found else words)
    for word in bare:
        found.setdefault(word.lower())
        for part in parts(word):
            if len(part) > 1 and part not in STOP:
                found.setdefault(part)
    for name in NAME.findall(query):
        found.setdefault(" ".join(WORD.findall(name.lower())))
    return tuple(found)[:MOST]
