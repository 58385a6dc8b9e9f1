"""The things that a clause names: paths, commands, options, packages, settings, each where it stands.

A thing is recognised by its shape (a slash, an ending, backticks, capitals with underscores, a dotted key) or by the
verb that takes it ("install X", "X instead of Y"), never by the subject of the sentence. A word that is wrongly taken
for a package costs little: it would have to be installed or imported for the note to come back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.model import word_set
from holdfast.vault import clause_words as english

PATH, COMMAND, PACKAGE, SETTING, NAME = "path", "command", "package", "setting", "name"
ENDLESS = re.compile(r"\S{300,}")  # no name of anything, and the patterns below need its square in time
TICKED = re.compile(r"`([^`\n]{1,200})`")
TOKEN = re.compile(r"[^\s`\"'()<>|,;]+")
PLACE = re.compile(r":\d+(?:[-:]\d+)?$")
OPTION = re.compile(r"--?[A-Za-z][\w-]*$")
CAPITALS = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+$")
CAMEL = re.compile(r"[a-z]{2,}[a-z0-9]*(?:[A-Z][a-z0-9]+)+$")
DOTTED = re.compile(r"[a-z][\w-]*(?:\.[a-z][\w-]*)+$")
ASSIGNED = re.compile(r"([A-Za-z][\w.-]*)=([\w.:/-]+)$")
HOST = re.compile(r"\b((?:[a-z0-9-]+\.)+(?:com|org|io|net|dev|ai|co|app|cloud|internal|local))\b")
DOMAINS = (".com", ".org", ".io", ".net", ".dev", ".e", ".g", ".i", ".js")
WORDS_OF_TALK = word_set(
    "n/a w/o 24/7 i/o ci/cd tcp/ip either/or true/false and/or he/she read/write client/server input/output yes/no "
    "on/off his/her"
)


@dataclass(frozen=True)
class Thing:
    """`text` names it, `at` is where in the clause; `is_sure` by its shape, not a verb; `is_run`: maybe a program."""

    kind: str
    text: str
    at: int
    is_sure: bool = True
    is_run: bool = True


def things(clause: str) -> list[Thing]:
    """Everything that a clause names, in order, each once."""
    clause = ENDLESS.sub(lambda span: " " * len(span[0]), clause)
    found = [*_phrases(clause), *_spans(clause), *_tokens(clause), *_packages(clause)]
    told = {one.text.split()[0] for one in found if one.kind == COMMAND and " " in one.text}
    found = [one for one in found if one.kind not in (NAME, PACKAGE) or one.text not in told]
    versions = {one.text for one in found if one.kind == PACKAGE and not one.is_run}
    found = [one for one in found if one.kind != COMMAND or one.text not in versions]
    kept: dict[tuple[str, str], Thing] = {}
    for one in sorted(found, key=lambda one: (not one.is_sure, one.at)):
        kept.setdefault((one.kind, one.text), one)
    return sorted(kept.values(), key=lambda one: one.at)


def _phrases(clause: str) -> Iterator[Thing]:
    for pattern, command in english.PHRASES:
        found = re.search(pattern, clause, re.IGNORECASE)
        if found:
            branches = re.findall(english.BRANCHES, clause[found.end() :])
            takes_branch = command.split()[1] in ("push", "rebase")
            on = f" [{'|'.join(dict.fromkeys(branches))}]" if branches and takes_branch else ""
            yield Thing(COMMAND, command + on, found.start())
    for pattern, command in ((english.PUSHES, "git push"), (english.COMMITS, "git commit")):
        found = re.search(pattern + english.BRANCHES, clause, re.IGNORECASE)
        if found:
            yield Thing(COMMAND, f"{command} @{found[1]}", found.start())
            if command == "git commit":
                yield Thing(COMMAND, f"git push @{found[1]}", found.start())
    found = re.search(english.SQL, clause, re.IGNORECASE)
    if found:
        named = [one for one in ("psql", "mysql", "sqlite3") if one in clause]
        yield Thing(COMMAND, f"{named[0] if named else '*'} ~{found[1].lower()}", found.start())


def _spans(clause: str) -> Iterator[Thing]:
    for span in TICKED.finditer(clause):
        words = span[1].split()
        first = words[0] if words else ""
        program = first.rpartition("/")[2].lower()
        if len(words) > 1 and re.fullmatch(r"[a-z0-9_][\w.+-]*", program) and not ASSIGNED.match(first):
            yield Thing(COMMAND, _pattern([program, *words[1:]]), span.start())
        elif len(words) == 1:
            after = clause[span.end() :].split()[:1]
            is_told = after and after[0].strip(".,;:!?").lower() in english.FOLDER_WORDS
            is_folder = is_told and re.fullmatch(r"[\w.-]+", first)
            yield from [Thing(PATH, f"{first}/", span.start())] if is_folder else _single(first, span.start())


def _pattern(words: list[str]) -> str:
    """A command line as what is looked for: program, words and options; values and placeholders are left out."""
    kept = []
    for word in words[1:6]:
        bare = word.partition("=")[0] if word.startswith("-") else word
        if re.fullmatch(r"--?[A-Za-z][\w-]*|[\w][\w.:@/-]*", bare) and not bare.isdecimal():
            kept.append(bare if bare.startswith("-") else bare.lower())
    return " ".join([words[0], *kept])


def _single(word: str, at: int) -> Iterator[Thing]:
    """One word in backticks."""
    assigned = ASSIGNED.match(word)
    if assigned:
        yield Thing(SETTING, f"{assigned[1]}={assigned[2]}", at)
    elif OPTION.match(word):
        yield from _option(word, at)
    elif word.lower() in (english.SINGLE | english.MANY) - english.ALWAYS:
        yield Thing(COMMAND, word.lower(), at)
    elif _is_path(word, "", ""):
        yield Thing(PATH, _folder_or_file(word), at)
    elif CAPITALS.match(word) or SNAKE.match(word) or CAMEL.match(word) or (DOTTED.match(word) and "/" not in word):
        yield Thing(SETTING, word, at)
    elif re.fullmatch(r"@?[A-Za-z][\w./-]*", word) and word.lower() not in english.PLAIN_WORDS:
        yield Thing(NAME, word.lower(), at)


def _option(word: str, at: int) -> Iterator[Thing]:
    program = {"--no-verify": "git commit|push|merge", "--force": "git push", "--amend": "git commit"}.get(word, "*")
    if program != "*" or word.startswith("--"):
        yield Thing(COMMAND, f"{program} {word}", at)


def _tokens(clause: str) -> Iterator[Thing]:
    plain = TICKED.sub(lambda span: " " * len(span[0]), clause)
    found = list(TOKEN.finditer(plain))
    bare = [PLACE.sub("", one[0].rstrip(".:!?")) for one in found]
    for inside in english.FILES_IN.finditer(plain):
        if inside[1].lower() not in english.NO_FOLDERS and not _is_path(inside[1], "", ""):
            yield Thing(PATH, f"{inside[1]}/", inside.start(1))
    for nth, (span, word) in enumerate(zip(found, bare, strict=True)):
        before, after = (bare[nth - 1].lower() if nth else ""), (bare[nth + 1].lower() if nth + 1 < len(bare) else "")
        at = span.start()
        assigned = ASSIGNED.match(word)
        if not word:
            continue
        if assigned and not word.startswith("-"):
            yield Thing(SETTING, f"{assigned[1]}={assigned[2]}", at)
        elif OPTION.match(word) and word.startswith("--"):
            yield from _option(word, at)
        elif word.lower() in english.SINGLE | english.MANY and word.islower():
            yield from _program(word, bare[nth + 1 : nth + 4], plain, at, starter=before)
        elif _is_path(word, before, after) or word in english.FOLDER_NAMES:
            yield Thing(PATH, _folder_or_file(word), at)
        elif (
            after in english.FOLDER_WORDS
            and word.lower() not in english.NO_FOLDERS
            and re.fullmatch(r"[\w.-]{3,}", word)
        ):
            yield Thing(PATH, f"{word}/", at)
        elif CAPITALS.match(word) or SNAKE.match(word) or CAMEL.match(word) or _is_key(word):
            yield Thing(SETTING, word, at)


def _program(word: str, rest: list[str], clause: str, at: int, starter: str) -> Iterator[Thing]:
    """A program in a sentence: with what it is told where that follows; one that does many things not without it, or
    where the clause is about the program itself ("do not use npm")."""
    told: list[str] = []
    for one in rest:
        is_script = re.fullmatch(r"[\w-]+(?::[\w-]+)+", one) or (told[-1:] == ["run"] and re.fullmatch(r"[\w:-]+", one))
        if word in ("npm", "pnpm") and one == "i" and not told:
            told.append("install")
        elif one in english.DOINGS or OPTION.match(one) or is_script:
            told.append(one)
        else:
            break
    host = HOST.search(clause, at)
    more = [f"~{host[1]}"] if host and word in ("curl", "wget") else []
    started = ["sudo", word] if starter == "sudo" else [word]
    if told and not (word in english.ENGLISH and not told[0].startswith("-") and told[0] not in english.DOINGS):
        yield Thing(COMMAND, " ".join([*started, *told, *more]), at)
    elif word in english.SINGLE:
        yield Thing(COMMAND, " ".join([*started, *more]), at)
    elif word not in english.ALWAYS | english.ENGLISH:
        after = clause[at + len(word) :].split()[:1]
        is_subject = not clause[:at].strip() and (not after or after[0] in ("is", "are", "was", "were", "and"))
        if is_subject or english.OBJECT.search(clause[:at]):
            yield Thing(NAME, word, at)


def _is_key(word: str) -> bool:
    is_dotted = len(word) > 4 and DOTTED.match(word) is not None
    return is_dotted and not word.endswith(DOMAINS) and word.rpartition(".")[2] not in english.SUFFIXES


def _is_path(word: str, before: str, after: str) -> bool:
    if "://" in word or ".." in word.split("/") or word.lower() in WORDS_OF_TALK or word.startswith(("-", "@")):
        return False
    if is_file(word) or re.fullmatch(r"\*+\.[\w.]+|[\w./-]*\*[\w.*/-]*", word):
        return True
    if (word.endswith("/") and re.fullmatch(r"[\w./~-]{3,}", word)) or re.fullmatch(r"\.[a-z][a-z0-9._-]{3,}", word):
        return True
    parts = [part for part in word.removeprefix("~").split("/") if part]
    if "/" not in word or not parts or not all(re.fullmatch(r"[\w.-]{2,}", part) for part in parts):
        return False
    if word.startswith(("/", "~/", "./")):
        return len(parts) > 1 or before in ("to", "in", "under", "into", "touch", "from", "below")
    return word.islower() or parts[0].lower() in english.ROOTS or len(parts) > 2 or after in english.FOLDER_WORDS


def is_file(token: str) -> bool:
    """True if a word is a path: a name with a known ending, a known name, or a folder that is written as one."""
    if "://" in token or ".." in token.split("/") or token.lower() in english.PRODUCTS or token.startswith(("-", "@")):
        return False
    name = token.rstrip("/").rpartition("/")[2]
    if name.lower() in english.NAMES:
        return True
    stem, dot, suffix = name.rpartition(".")
    if dot and suffix.lower() in english.SUFFIXES and re.search(r"\w", stem):
        return True
    parts = token.removeprefix("~").strip("/").removeprefix("./").split("/")
    is_folder = token.endswith("/") or token.startswith(("./", "~/", "/"))
    return is_folder and len(parts) > 1 and all(re.fullmatch(r"[\w.-]{2,}", part) for part in parts)


def glob_of(token: str) -> str:
    """A path as a glob: a home is anywhere, and a bracket in a file's name is a letter of it."""
    return token.removeprefix("~/").removeprefix("./").replace("[", "[[]")


def _folder_or_file(word: str) -> str:
    """A glob: what has no ending and no known name is a folder with all that is in it."""
    bare = glob_of(word)
    name = bare.rstrip("/").rpartition("/")[2]
    has_ending = "." in name.lstrip(".") or name.startswith(".") or "*" in name or name.lower() in english.NAMES
    return bare if has_ending or bare.endswith("/") else f"{bare}/"


def _packages(clause: str) -> Iterator[Thing]:
    """Names that a verb takes. A command in backticks is one thing, whatever its words are."""
    plain = TICKED.sub(lambda span: span[0] if len(span[1].split()) == 1 else " " * len(span[0]), clause)
    for pattern in (english.VERSIONED, english.USED, english.GONE, english.BEHIND, english.RANGE):
        for found in pattern.finditer(plain):
            for nth, name in enumerate(found.groups(), 1):
                bare = (name or "").strip("`\"'").lower().partition("@" if name and name[0] != "@" else "\0")[0]
                bare = bare.removesuffix(".js") if "/" not in bare else bare
                if not bare or bare in english.PLAIN_WORDS or _is_path(bare, "", "") or "_" in bare:
                    continue
                is_sure = pattern in (english.BEHIND, english.RANGE) or english.SURE.match(found[0]) is not None
                yield Thing(PACKAGE, bare, found.start(nth), is_sure, is_run=pattern in (english.USED, english.GONE))
