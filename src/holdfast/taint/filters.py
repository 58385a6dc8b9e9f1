"""Programs that search, filter and print files: what they read, and whether a script of theirs does more than print.

grep, rg and ag are given a pattern and then files or folders; sed, awk and jq a script and then files. A script that
runs a program, or opens a file by itself, is not looked through.
"""

from __future__ import annotations

import posix

from holdfast.taint.command_line import Outside
from holdfast.taint.known_text import OTHERS, is_others
from holdfast.taint.program_calls import operands
from holdfast.text.shell_simple import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.taint.command_line import Line

GREPS = ("grep", "egrep", "fgrep")
ALWAYS_DEEP = ("rg", "ag", "ack", "ugrep")
PATTERN_OPTIONS = ("-e", "--regexp", "-f", "--file")
DEEP = ("-r", "-R", "--recursive", "--dereference-recursive")
WIDE = ("--no-ignore", "--unrestricted", "--search-zip", "--pre", "--follow", "--ignore-file", "--no-vcs")
SHORT_VALUED = tuple("tTgeABCmMj")  # what is behind these letters is their value
SED_OPTIONS = "nrEisuzl"
SED_LETTERS = "sypPdDnNgGhHxqQl=iacbt:{}"
SED_FLAGS = "gpiImM0123456789"
AWK_BEYOND = ("getline", "system", "|&", "@include", "@load", "ARGV", "/inet")
JQ_BEYOND = ("load(", "load_str(", "import ", "include ")
MORE_FILES = ("--file", "--from-file", "--slurpfile", "--rawfile", "--include", "--load")


def search(line: Line, name: str, rest: list[str]) -> None:
    """Raises Outside for a search beyond the tree. Of a folder the answer says which files, and the caller looks."""
    if any(_is_wide(name, word) for word in rest):
        raise Outside(" ".join((name, *rest[:2])))
    for at, word in enumerate(rest):
        behind = rest[at + 1] if at + 1 < len(rest) else ""
        if word in ("-f", "--file"):
            line.file(behind)
        elif word.startswith(("--glob", "--iglob", "-g")):
            is_apart = word in ("-g", "--glob", "--iglob")
            pattern = behind if is_apart else word.partition("=")[2] or word[2:]
            if not pattern.startswith("!") and is_others(pattern):
                raise Outside(pattern if is_apart else word)
    has_pattern = any(word in PATTERN_OPTIONS or word.startswith(("--regexp=", "--file=")) for word in rest)
    named = operands(name, rest)
    if not has_pattern and not (name == "rg" and "--files" in rest):
        named = named[1:]
    short = [word for word in rest if word[:1] == "-" and word[1:2] not in ("-", "e")]
    is_deep = name in ALWAYS_DEEP or any(one in DEEP for one in rest) or any("r" in one.lower() for one in short)
    for path in named or (["."] if is_deep else []):
        if not is_deep:
            line.file(path)
            continue
        line.folder(path)
        if name not in ALWAYS_DEEP:
            _leaves_out_others(line, path, rest)


def _is_wide(name: str, word: str) -> bool:
    """Whether an option lets a search go beyond the tree's own files, or reads its patterns from a file."""
    if word.startswith("--"):
        return name not in GREPS and word.startswith(WIDE)
    if not word.startswith("-") or word.startswith(tuple(f"-{one}" for one in SHORT_VALUED)) or word in ("-f", "-"):
        return False
    return "f" in word[1:] or (name not in GREPS and any(one in word for one in "uzL"))


def _leaves_out_others(line: Line, path: str, rest: list[str]) -> None:
    """grep -r goes into every folder: one of dependencies right below must be left out by name."""
    try:
        names = posix.listdir(line.ground.whole(path, line.at))
    except (OSError, ValueError):
        return
    left_out = [word.partition("=")[2] for word in rest if word.startswith("--exclude-dir=")]
    left_out += [rest[at + 1] for at, word in enumerate(rest[:-1]) if word == "--exclude-dir"]
    bare = {one.strip("{}/") for word in left_out for one in word.split(",")}
    for name in names:
        if name in OTHERS and name != ".git" and name not in bare:
            raise Outside(f"{path}/{name}")


def filtered(line: Line, name: str, rest: list[str]) -> None:
    """sed, awk, jq. Raises Outside where the script does more than change and print, or a file is not known."""
    scripts: list[str] = []
    named: list[str] = []
    left = list(rest)
    while left:
        word = left.pop(0)
        if word in ("-e", "--expression", "--source"):
            scripts += left[:1]
            left[:1] = []
        elif word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif word in ("-v", "-F", "-l", "--indent"):
            left[:1] = []
        elif word in ("--arg", "--argjson"):
            left[:2] = []
        elif word.startswith("-") and word != "-":
            if _reads_more(name, word):
                raise Outside(f"{name} {word}")
        elif not scripts:
            scripts.append(word)
        elif word != "-":
            named.append(word)
    if not all(_is_plain(name, script) for script in scripts):
        raise Outside(f"{name} {' '.join(scripts)}")
    for path in named:
        line.file(path)


def _reads_more(name: str, option: str) -> bool:
    """Whether an option brings a script or a file in a way that is not looked through."""
    if option.startswith("--"):
        return option.partition("=")[0] in MORE_FILES
    letters = option[1:]
    if name in ("sed", "gsed"):
        plain = letters[:-1] if letters.endswith("e") else letters.partition("i")[0]
        return any(one not in SED_OPTIONS for one in plain)
    if name.endswith("awk"):
        return letters[:1] not in ("F", "v")
    return "f" in letters or "L" in letters


def _is_plain(name: str, script: str) -> bool:
    if UNKNOWN in script:
        return False
    if name in ("sed", "gsed"):
        return is_plain_sed(script)
    if name.endswith("awk"):
        # awk runs what a single bar leads to, outside of quotes and patterns.
        bare = ["".join(part.split("/")[::2]) for part in script.replace("||", "  ").split('"')[::2]]
        return not any(one in script for one in AWK_BEYOND) and not any("|" in part for part in bare)
    return not any(one in script for one in JQ_BEYOND)


def is_plain_sed(script: str) -> bool:
    """Whether a sed script only changes and prints lines: it runs nothing (`e`), reads (`r`) and writes (`w`) none."""
    text: str | None = script
    while text:
        text = _behind_address(text.lstrip("; \n\t}"))
        letter = text[:1]
        if letter == "" or letter in "iac":
            return True  # the rest is text
        if letter not in SED_LETTERS:
            return False
        if letter in "sy":
            text = _behind_substitution(text)
            if text is None:
                return False
        elif letter in "bt:":
            text = text[1:].replace("\n", ";").partition(";")[2]
        else:
            text = text[1:].lstrip("0123456789") if letter in "qQl" else text[1:]
    return True


def _behind_address(text: str) -> str:
    while True:
        before = text
        text = text.lstrip("0123456789$,~+! \t")
        if text[:1] == "/" or (text[:1] == "\\" and len(text) > 1):
            at, sign = (1, "/") if text[0] == "/" else (2, text[1])
            while at < len(text) and text[at] != sign:
                at += 2 if text[at] == "\\" else 1
            text = text[at + 1 :].lstrip("IM")
        if text == before:
            return text


def _behind_substitution(text: str) -> str | None:
    """The script behind `s/…/…/flags`; None where it cannot be told, or a flag does more."""
    sign = text[1:2]
    if not sign or sign in "\\\n":
        return None
    at, seen = 2, 0
    while at < len(text) and seen < 2:
        if text[at] == "\\":
            at += 1
        elif text[at] == sign:
            seen += 1
        at += 1
    if seen < 2:
        return None
    stop = at
    while stop < len(text) and text[stop] not in "; \n}":
        stop += 1
    return text[stop:] if all(one in SED_FLAGS for one in text[at:stop]) else None
