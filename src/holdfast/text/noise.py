"""Noise among the exact details of a session: numbers, paths and commands that nobody needs again.

Places in files and in lists, times of day, process ids, digests, progress bars, how long a run took, ports that a
system hands out; paths that a build or a system makes; commands that only look.
"""

from __future__ import annotations

import re

# Before a number that only says where something stands, or which process it was.
WHERE = re.compile(r"(?:\blines?|\bL|\bcol(?:umns?)?|\bpid|\bprocess|[\w\])/-]\.[A-Za-z]\w{0,4}:)\s*$", re.IGNORECASE)
AT_HOST = re.compile(r"(?:\bport|\blocalhost:|\d\.\d+:|\[::1?\]:)\s*$", re.IGNORECASE)
HANDED_OUT = 32768  # ports from here on are a system's own choice
TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}:\d{2}")
WITHIN_TIME = re.compile(r"(?<![.\d])\d{1,2}:$")
LOOPBACK = re.compile(r"127\.\d+\.\d+\.\d+|0\.0\.0\.0")
A_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
BAR = re.compile(r"[█▏▎▍▌▋▊▉━░▓\r]|\d%\||\[[=#>. -]{5,}\]|^\s*\[?\s*\d{1,3}%")
COUNTED = re.compile(r"\d+/\d+")
BEHIND_A_NUMBER = re.compile(r"[.)](?:\s|$)")
# Names of files, as against `module.name`; what a build or a system makes is nobody's detail.
FILES = frozenset(
    (
        "py",
        "js",
        "ts",
        "jsx",
        "tsx",
        "mjs",
        "go",
        "rs",
        "c",
        "h",
        "cc",
        "cpp",
        "java",
        "kt",
        "rb",
        "php",
        "swift",
        "lua",
    )
    + ("md", "txt", "rst", "html", "css", "svg", "png", "jpg", "pdf", "csv", "log", "sql", "sh", "proto", "ipynb")
    + ("toml", "yaml", "yml", "json", "jsonl", "xml", "ini", "cfg", "conf", "env", "lock", "tf")
)
MADE = re.compile(r"^/(?:tmp|dev|proc|sys|var/folders)/|(?:^|/)(?:node_modules|site-packages|__pycache__|\.venv)/")
LOOKING = frozenset(
    (
        "ls",
        "cat",
        "head",
        "tail",
        "less",
        "more",
        "grep",
        "rg",
        "find",
        "fd",
        "tree",
        "wc",
        "sort",
        "uniq",
        "stat",
        "file",
    )
    + (
        "cd",
        "pwd",
        "echo",
        "printf",
        "which",
        "type",
        "date",
        "env",
        "export",
        "set",
        "source",
        "sleep",
        "true",
        "clear",
    )
    + ("holdfast",)
)
LOOKING_AT_GIT = frozenset(("status", "log", "diff", "show", "branch", "remote", "blame", "ls-files", "rev-parse"))
NEAR = 200  # characters of a line that are looked at around a number


def only_looks(words: list[str]) -> bool:
    program = words[0].rpartition("/")[2]
    if program == "git":
        return next((word for word in words[1:] if word[:1] != "-"), "status") in LOOKING_AT_GIT
    return program in LOOKING or (program == "sed" and "-n" in words)


def is_a_path(words: str) -> bool:
    """Whether it names a file, not `and/or`, `read/write` or `module.name`."""
    folder, slash, name = words.rpartition("/")
    if MADE.search(words) or name.isdecimal():
        return False
    stem, dot, ending = name.rpartition(".")
    if dot and stem and ending.lower() in FILES:
        return True
    return bool(slash) and (folder[:1] in ("", "/", "~", ".") or folder.count("/") > 0 or "_" in words)


def is_counting(text: str, match: re.Match[str]) -> bool:
    begin, end = match.span()
    digits = match.group(1).rstrip(".,:_/-")
    before, behind = text[max(0, begin - 24) : begin], text[end : end + 12]
    if behind[:1].isalnum() or behind[:1] == "_":
        return True  # the beginning of a digest or a name
    if WHERE.search(before) or TIME_OF_DAY.search(digits):
        return True
    if LOOPBACK.match(digits) or WITHIN_TIME.search(before):
        return True
    if A_DAY.fullmatch(digits) and TIME_OF_DAY.match(behind.lstrip(" ,T")):
        return True
    if AT_HOST.search(before) and digits.isdecimal() and int(digits) >= HANDED_OUT:
        return True
    if match.group(2) in ("s", "ms", "sec") and "." in digits and before.endswith("in "):
        return True  # how long a run took
    if COUNTED.fullmatch(digits) and before[-1:] in ("[", "(") and behind[:1] in ("]", ")"):
        return True
    return _is_list_number(text, begin) or BAR.search(_line(text, begin)) is not None


def _line(text: str, at: int) -> str:
    """The line around a place, or the part of a long one."""
    begin = max(text.rfind("\n", 0, at) + 1, at - NEAR)
    return text[begin : at + NEAR].partition("\n")[0]


def _is_list_number(text: str, begin: int) -> bool:
    """Whether a number only counts the points of a list, or of a sentence: `2.`, `(2)`."""
    end = begin
    while text[end : end + 1].isdecimal():
        end += 1
    if text[begin - 1 : begin] == "(" and text[end : end + 1] == ")" and end - begin < 3:
        return True
    line_begins = not text[text.rfind("\n", 0, begin) + 1 : begin].strip(" \t#>*-")
    return line_begins and BEHIND_A_NUMBER.match(text, end) is not None
