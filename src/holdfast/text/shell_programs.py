"""The programs that a command line starts, at a glance: for what is better noticed once too often than missed.

Unlike shell_words this reads any line, and takes what stands in a substitution or behind `sh -c` for a command too.
What stands in quotes otherwise is a word: a commit message about curl fetches nothing. Where a redirection writes to
is no word of the command (`split` gathers it apart), nor is a here-document, unless a shell gets it to read.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ENDS = ";&|\n()`"
BEFORE = frozenset(
    ("sudo", "env", "time", "command", "exec", "nice", "nohup", "timeout", "xargs", "stdbuf", "watch")
    + ("if", "then", "elif", "else", "while", "until", "do", "!")
)
WITH_VALUE = ("-u", "-g", "-I")  # of sudo, env and xargs: the word behind it is its value
SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "eval"))
DEEPEST = 3


def commands(line: str, depth: int = 0, targets: list[str] | None = None) -> Iterator[list[str]]:
    """The words of each, the program first, without its settings and starters; `targets` as in `split`."""
    for words in split(line, targets):
        bare = without_starters(words)
        if not bare:
            continue
        yield bare
        if bare[0].rpartition("/")[2] in SHELLS and depth < DEEPEST:
            told = bare[1:] if bare[0] == "eval" else bare[1:][-1:]
            yield from commands(" ".join(told), depth + 1, targets)


def without_starters(words: list[str]) -> list[str]:
    """A command without its settings and without what it is started by."""
    at = 0
    is_started = False
    while at < len(words):
        word = words[at]
        is_setting = "=" in word and word.partition("=")[0].isidentifier()
        if not is_setting and word not in BEFORE and not (is_started and (word[:1] == "-" or word[:1].isdecimal())):
            break
        at += 2 if is_started and word in WITH_VALUE else 1
        is_started = is_started or not is_setting
    return words[at:]


def split(line: str, targets: list[str] | None = None) -> Iterator[list[str]]:
    """The words of each command with all that stands before its name; `targets` gets where redirections write to."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    is_target = False
    documents: list[str] = []
    around: list[tuple[str, str]] = []  # what closes each open substitution, and the quote that it stands in
    at = 0
    while at <= len(line):
        letter = line[at : at + 1]
        if letter == "<" and not quote and line.startswith("<<", at) and line[at + 2 : at + 3] != "<":
            documents.append(_end_of_document(line, at + 2))
            at += 1
        is_substituted = quote != "'" and (letter == "`" or line.startswith("$(", at))
        if quote and letter and not is_substituted:
            text, at, quote = _in_quotes(line, at, quote)
            word = (word or "") + text
        elif letter in ("'", '"'):
            quote, word = letter, word or ""
        elif letter == "\\":
            at += 1
            word = word if line[at : at + 1] == "\n" else (word or "") + line[at : at + 1]
        elif letter in " \t<>" or letter in ENDS or is_substituted or (letter in "{}" and word is None):
            if word is not None:
                (targets if is_target and targets is not None else [] if is_target else words).append(word)
            is_forced = line[at - 1 : at + 1] == ">|"
            is_target = letter == ">" or (is_target and word is None and (letter in (" ", "&") or is_forced))
            word = None
            if not letter or is_substituted or (letter in ENDS + "{}" and not (is_target and letter in "&|")):
                if letter == "\n":
                    at = _behind(line, at, [] if SHELLS.intersection(without_starters(words)[:1]) else documents)
                    documents = []
                yield words
                words, is_target = [], False
                quote = _crossed(letter, quote, around)
                at += letter == "$"
        else:
            word = (word or "") + letter
        at += 1


def _crossed(letter: str, quote: str, around: list[tuple[str, str]]) -> str:
    """The quote that is open behind a sign that ends a command. A substitution begins without one; behind its end the
    quote that it stands in goes on."""
    if around and letter == around[-1][0]:
        return around.pop()[1]
    if letter in ("`", "$", "("):
        around.append(("`" if letter == "`" else ")", quote))
    return ""


def _in_quotes(line: str, at: int, quote: str) -> tuple[str, int, str]:
    """One character in quotes, where it stands, and the quote that is open after it."""
    if line[at] == "\\" and quote == '"':
        return line[at + 1 : at + 2], at + 1, quote
    return ("", at, "") if line[at] == quote else (line[at], at, quote)


def _end_of_document(line: str, at: int) -> str:
    stop = at + 1 if line[at : at + 1] == "-" else at
    while line[stop : stop + 1] in (" ", "\t"):
        stop += 1
    begin = stop
    while stop < len(line) and line[stop] not in " \t\n;&|<>()":
        stop += 1
    return line[begin:stop].translate({ord(one): None for one in "'\"\\"})


def _behind(line: str, at: int, documents: list[str]) -> int:
    """Where the last line of the last document ends; the whole rest where one never does."""
    for end in documents:
        while True:
            begin, at = at + 1, line.find("\n", at + 1)
            at = at if at >= 0 else len(line)
            if line[begin:at].strip("\t") == end or at == len(line):
                break
    return at


CHANGED = "$`*?{}[]~"
LAST = ("cp", "mv", "install")  # write to their last word
EACH = ("tee", "touch")  # write to every word
OUTPUTS = ("-o", "--output", "--out", "--outfile", "--output-file")
LONGEST = 1 << 14
MOST = 32


def written(command: str) -> list[str]:
    """The files that a command line writes to, in their order, each once: redirections, tee, cp, mv, sed -i and -o."""
    targets: list[str] = []
    named = [path for words in commands(command[:LONGEST], targets=targets) for path in _named(words)]
    into = (one for one in targets if not one.isdecimal() and not one.startswith("/dev/"))
    found = dict.fromkeys((*into, *named))
    return [word for word in found if word and not any(sign in word for sign in CHANGED)][:MOST]


def _named(words: list[str]) -> Iterator[str]:
    program, rest = words[0].rpartition("/")[2], words[1:]
    plain = [word for word in rest if not word.startswith("-")]
    if program in EACH:
        yield from plain
    elif (program in LAST and len(plain) > 1) or (program == "sed" and any(word[:2] == "-i" for word in rest)):
        yield from plain[-1:]
    for at, word in enumerate(rest):
        option, equals, path = word.partition("=")
        if option in OUTPUTS:
            yield path if equals else "".join(rest[at + 1 : at + 2])


NO_COMMIT = ("--dry-run", "--help", "-h", "--short", "--porcelain", "--long")  # the last three only show what would be
VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")  # options of git that a word follows


def is_commit(command: str) -> bool:
    """Whether a command line commits with git: `git commit` as a command of its own, whatever options git takes."""
    return any(_commits(words) for words in commands(command[:LONGEST]))


def _commits(words: list[str]) -> bool:
    rest = words[1:] if words[0].rpartition("/")[2] == "git" else []
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in VALUED else rest[1:]
    return rest[:1] == ["commit"] and not any(word in NO_COMMIT for word in rest)
