"""Words by which a clause forbids, gives a condition, a reason or the means, and verbs that take a package.

They are data for named_calls and named_things: English, chosen by structure and tried on labelled pairs
(bench/armed.py), never on anybody's notes.
"""

from __future__ import annotations

import re


def _any(*parts: str, at_start: bool = False) -> re.Pattern[str]:
    """One of these as whole words, whatever their case."""
    return re.compile(rf"{'^' if at_start else chr(92) + 'b'}(?:{'|'.join(parts)}){chr(92)}b", re.IGNORECASE)


_STRONG = (
    "never",
    "under no circumstances",
    "do not",
    "don['\u2019]?t",
    "must not",
    "mustn['\u2019]?t",
    "may not",
    "not allowed",
    "forbidden",
    "prohibited",
    "off[- ]limits",
    "hands off",
    r"leave \S.*alone",
    "(?:stay|keep) out",
    "keep your hands",
    "frozen",
    "read[- ]only",
)
_WEAK = (
    "does not",
    "doesn['\u2019]?t",
    "should not",
    "shouldn['\u2019]?t",
    "cannot",
    "can['\u2019]?t",
    "no longer",
    "not used",
    "stays? out",
    "avoid",
    "immutable",
    "append-only",
    "no (?:manual )?edits",
    "nobody",
    r"stop \w+ing",
    "refrain",
    "without asking",
    "instead of",
    "rather than",
    "against",
    "(?:ask|check with) (?:me |us )?(?:before|first)",
    "(?:is|are) (?:gone|out)",
    "removed",
    "rejected",
    "dropped",
    "banned",
    "deprecated",
    "off of",
    "moved off",
    "(?:switched|migrated|moved) from",
    "replaced",
    r"stays? (?:as|un)\w*",
    "must stay",
    "overwritten",
    r"no \S+ ever",
)
STRONG = re.compile(rf"\b(?:{'|'.join(_STRONG)})\b|^no\b", re.IGNORECASE)
FORBIDS = re.compile(rf"\b(?:{'|'.join((*_STRONG, *_WEAK))})\b|^(?:no|not|without)\b", re.IGNORECASE)
# What no call shows: a rule with such a condition is recalled, since stopping would be wrong as often as right.
UNSEEN = re.compile(
    r"\b(?:on (?:an? |the )?)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b(?:weekends?|at night|during|while|unless|except|outside (?:of )?|if)\b",
    re.IGNORECASE,
)
PERMISSION = re.compile(
    r"\b(?:without (?:asking|checking|(?:my|our) (?:ok|okay|approval|permission|consent|review))|"
    r"unless (?:i|we) (?:ask|say|told|tell|agree)\w*|(?:ask|check with) (?:me |us )?(?:before|first))",
    re.IGNORECASE,
)
CONDITION = _any(r"(?:and |always |please )*(?:before|after|when|whenever|if|once|every time)", at_start=True)
REASON = _any(
    *(
        "because",
        "since",
        "so that",
        "otherwise",
        "or else",
        "due to",
        "used by",
        "as it",
        "newer",
        "it",
        "they",
        "which",
    ),
    at_start=True,
)
REFERENCE = _any(
    *("see", "cf", "per", "because", "since", "due to", "used by", "depends on", "according to", "documented in"),
    "described in",
)
_BY = (
    *(
        "via",
        "with",
        "using",
        "use",
        "uses",
        "by",
        "through",
        "from",
        "call",
        "calls",
        "run",
        "runs",
        "see",
        "per",
        "like",
    ),
    *("prefer", "chose", "choose", "chosen", "favou?r of", "standardi[sz]ed on", "to", "is our", "is the only"),
)
MEANS = re.compile(rf"\b(?:{'|'.join(_BY)})\s+(?:the |our |a )?[`\"']?$", re.IGNORECASE)
CHOICE = _any("use", "uses", "prefer", "chose", "choose", "standardi[sz]ed on", "is our", "is the only", "only")
CONTRAST = _any("instead of", "rather than", "over")
MOVED = re.compile(r"\b(?:switched|moved|migrated|replaced)\b.*?\b(to|with)\b", re.IGNORECASE)
KEEPS = _any("pin(?:ned)?", "keeps?", "stays?", "remains?", "below", "past", r"upgrad\w+", r"bump\w*", "version")
COMMITTING = _any("commit", "check in", "stage", "add to git")
CHANGING = _any("change", "touch", "alter", "raise", "lower", "modify", "edit", "remove", "reset", "override")
READING = _any("read", "open (?!pull|a pull|PR)", "print", "cat", "show", "log", "look (?:at|into)", "access")
RUNNING = _any("(?:run|execute|invoke|call|start)(?:ning|s)?")
LESS = re.compile(r"\bwithout\s+`?(--?[A-Za-z][\w-]*)`?", re.IGNORECASE)

_A_NAME = r"[`\"']?(@?[A-Za-z][\w./@-]*[\w])[`\"']?"
_BEFORE_NAME = r"(?:the |a |any |using |major version of |newer versions? of |versions? of )*"
_TAKING = (
    *("install", "import", "upgrad", "bump", "downgrad", "pin", "depend(?:ing|s)? on", "reintroduc", "introduc"),
    *("pull(?:ing)? in", "add", "updat", "keep"),
)
_USING = (
    *("use", "uses", "using", "avoid", "avoiding", "drop", "dropped", "remove", "removed", "reject", "rejected"),
    *(
        "replace",
        "replaced",
        "adopt",
        "off",
        "from",
        "against",
        "over",
        "than",
        "of",
        "without",
        "(?:^|and )not",
        "^no",
    ),
)
_GONE = ("gone", "removed", "dropped", "rejected", "banned", "deprecated", "not used", "pinned", "out")
VERSIONED = re.compile(rf"\b(?:{'|'.join(_TAKING)})(?:e|s|ed|ing|ned|ning)? {_BEFORE_NAME}{_A_NAME}", re.IGNORECASE)
USED = re.compile(rf"(?<![\w-])(?:{'|'.join(_USING)}) {_BEFORE_NAME}{_A_NAME}", re.IGNORECASE)
GONE = re.compile(
    rf"{_A_NAME}(?: and {_A_NAME})? (?:is|are|was|were|stays?|remains?) (?:tried and )?(?:{'|'.join(_GONE)})\b",
    re.IGNORECASE,
)
BEHIND = re.compile(rf"{_A_NAME} (?:library|package|dependency|crate|gem|framework)\b", re.IGNORECASE)
RANGE = re.compile(r"\b([a-z][\w-]+)(?:[<>]=?|==|~=|@)[\d^~]")
SURE = re.compile(r"install|upgrad|bump|pin", re.IGNORECASE)
OBJECT = re.compile(
    r"\b(?:use|using|uses|call|calling|run|running|not|no|than|of|avoid|against|over|without|drop|is)\s+[`\"']?$",
    re.IGNORECASE,
)
FILES_IN = re.compile(
    r"\b(?:files?|anything|everything|code|things) (?:in|under|inside|from|below) (?:the |our )?"
    r"([A-Za-z][\w.-]+)(?![\w./-])",
    re.IGNORECASE,
)
