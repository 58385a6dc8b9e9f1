"""Exact details of what was said: quotations, numbers, paths and commands, each once, with its place.

They are what cannot be guessed again. Of anything said twice the newest place is kept; a command whose redirection
alone differs is the same command, a path that ends another is the same path, and a number of the same thing the same
number. Numbers, paths and commands that nobody needs again are left out.

A summary keeps the sense of a quotation and loses its words, and says all the same that they are in it. So each is kept
verbatim, with the few words that introduce it. A quotation is marked as one (by quotation marks, or `>`) and is more
than a term: a block, four words, twenty characters of a sentence, or less behind a colon. Code is none.
"""

from __future__ import annotations

import re

from holdfast.model import value, word_set
from holdfast.text import shell_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
FILES = word_set(
    "py js ts jsx tsx mjs go rs c h cc cpp java kt rb php swift lua md txt rst html css svg png jpg pdf csv log sql "
    "sh proto ipynb toml yaml yml json jsonl xml ini cfg conf env lock tf"
)
MADE = re.compile(r"^/(?:tmp|dev|proc|sys|var/folders)/|(?:^|/)(?:node_modules|site-packages|__pycache__|\.venv)/")
LOOKING = word_set(
    "ls cat head tail less more grep rg find fd tree wc sort uniq stat file cd pwd echo printf which type date env "
    "export set source sleep true clear holdfast"
)
LOOKING_AT_GIT = word_set("status log diff show branch remote blame ls-files rev-parse")
NEAR = 200  # characters of a line that are looked at around a number


def only_looks(words: list[str]) -> bool:
    program = words[0].rpartition("/")[2]
    if program == "git":
        return next((word for word in words[1:] if word[:1] != "-"), "status") in LOOKING_AT_GIT
    return program in LOOKING or (program == "sed" and "-n" in words)


def is_a_path(words: str) -> bool:
    """Whether words name a file, and not `and/or`, `read/write` or `module.name`."""
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
    if WHERE.search(before) or TIME_OF_DAY.search(digits) or LOOPBACK.match(digits) or WITHIN_TIME.search(before):
        return True
    if A_DAY.fullmatch(digits) and TIME_OF_DAY.match(behind.lstrip(" ,T")):
        return True
    if AT_HOST.search(before) and digits.isdecimal() and int(digits) >= HANDED_OUT:
        return True
    if match.group(2) in ("s", "ms", "sec") and "." in digits and before.endswith("in "):
        return True  # how long a run took
    if COUNTED.fullmatch(digits) and before[-1:] in ("[", "(") and behind[:1] in ("]", ")"):
        return True
    line = text[max(text.rfind("\n", 0, begin) + 1, begin - NEAR) : begin + NEAR].partition("\n")[0]
    return _is_list_number(text, begin) or BAR.search(line) is not None


def _is_list_number(text: str, begin: int) -> bool:
    """Whether a number only counts the points of a list, or of a sentence: `2.`, `(2)`."""
    end = next((at for at in range(begin, len(text)) if not text[at].isdecimal()), len(text))
    if text[begin - 1 : begin] == "(" and text[end : end + 1] == ")" and end - begin < 3:
        return True
    line_begins = not text[text.rfind("\n", 0, begin) + 1 : begin].strip(" \t#>*-")
    return line_begins and BEHIND_A_NUMBER.match(text, end) is not None


NUMBER, COMMAND, PATH, QUOTE, CODE = "number", "command", "path", "quote", "code"
MOST = {NUMBER: 16, COMMAND: 12, PATH: 8, QUOTE: 6, CODE: 6}
MOST_IN_ONE = 60  # numbers of one text: a table is no detail
A_NUMBER = re.compile(r"(?<![\w.])[~<>=$€£]{0,2}(\d[\d.,:_/-]*)(?: ?(%|[A-Za-zµ°€$£]{1,7}(?!\w)))?")
A_PATH = re.compile(
    r"(?<![\w/:.@+-])(?:~?/|\.{1,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*\w|(?<![\w/.])[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w.])"
)
CODED = re.compile(r"`([^`\n]{3,160})`")
UNITS = word_set("% s ms min h d B kB KB MB GB TB k M € $ £ px EUR")
A_WORD = re.compile(r"[^\W\d_]{4,}")
# What changes where output goes, not what is run.
REDIRECTED = re.compile(
    r"\s*(?:\d?>>?(?:&\d)?|&>>?)\s*[^\s|;&]*|\s*<\s*/dev/null|\s*\|\s*(?:head|tail|cat|less|more|tee)\b[^|;&]*"
    r"|\s*\|\|\s*true\b|\s*;\s*echo\b.*|^cd \S+ && "
)


@value
class Fact:
    """An exact detail and where it stands."""

    kind: str
    text: str
    place: str


def of_text(text: str, place: str, quoted: Sequence[Quotation]) -> Iterator[Fact]:
    """The details of a text that is already clean, beside its"""
    bare = without_code(text)
    spans = [(one.begin, one.end) for one in quoted]
    yield from (Fact(QUOTE, one.text, place) for one in quoted if one.is_term)
    for match in CODED.finditer(text):
        words = match.group(1).strip()
        is_path = A_PATH.fullmatch(words) is not None
        if words and (not is_path or is_a_path(words)):
            yield Fact(PATH if is_path else CODE, words, place)
    for match in A_PATH.finditer(bare):
        if not _is_within(match.start(), spans) and is_a_path(match.group()):
            spans.append(match.span())
            yield Fact(PATH, match.group(), place)
    shown = 0
    for nth, match in enumerate(A_NUMBER.finditer(bare)):
        if nth > MOST_IN_ONE:
            break
        begin, end = match.span()
        if end > shown and not _is_within(begin, spans) and not is_counting(bare, match):
            words, shown = _around(bare, begin, end)
            yield Fact(NUMBER, words, place)


def of_command(command: str, place: str) -> Iterator[Fact]:
    """A command without where its output goes, unless it only looks."""
    if any(not only_looks(words) for words in shell_programs.commands(command)):
        yield Fact(COMMAND, REDIRECTED.sub("", " ".join(command.split())), place)


def each_once(found: Iterable[Fact], known: Iterable[str] = ()) -> list[Fact]:
    """The first of those that say the same, numbers and commands before names; `known` are texts that are shown."""
    kept: dict[str, list[Fact]] = {kind: [] for kind in MOST}
    seen = _Seen()
    for text in known:
        seen.texts.append(normal(text))
        for match in A_NUMBER.finditer(text):
            seen.numbers.setdefault(_value(match), []).append(_words(text))
    for one in found:
        if len(kept[one.kind]) < MOST[one.kind] and seen.is_new(one):
            kept[one.kind].append(one)
    return [one for facts in kept.values() for one in facts]


class _Seen:
    """Details that were met already."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.keys: set[str] = set()
        self.paths: list[str] = []
        self.numbers: dict[str, list[frozenset[str]]] = {}

    def is_new(self, one: Fact) -> bool:
        """Whether nothing before it said the same; from then on it is known."""
        if one.kind == NUMBER:
            return self._is_new_number(one.text)
        if one.kind == PATH:
            tail = f"/{one.text.removeprefix('./')}"
            if any(path.endswith(tail) or tail.endswith(path) for path in self.paths):
                return False
            self.paths.append(tail)
            return True
        key = normal(one.text)
        if key in self.keys or (one.kind in (QUOTE, CODE) and any(key in text for text in self.texts)):
            return False
        self.keys.add(key)
        return True

    def _is_new_number(self, text: str) -> bool:
        words, is_new = _words(text), False
        for match in A_NUMBER.finditer(text):
            number = _value(match)
            before = self.numbers.setdefault(number, [])
            tells = match.group(2) in UNITS or sum(letter.isdecimal() for letter in number) > 2
            if not any(tells or not words or not other or words & other for other in before):
                is_new = True
                before.append(words)
        return is_new


def _is_within(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(begin <= at < end for begin, end in spans)


def _around(text: str, begin: int, end: int) -> tuple[str, int]:
    """A number with the few words beside it, as alone it says nothing; and where those end."""
    before = text[max(0, begin - 48) : begin].rpartition("\n")[2].split(" ")[-5:]
    ahead = text[end : end + 48].partition("\n")[0].split(" ")
    behind = " ".join(ahead[:5] if len(ahead) > 5 or end + 48 >= len(text) else ahead[:-1])
    return f"{' '.join(before)}{text[begin:end]}{behind}".strip(" ,;.*"), end + len(behind)


def _value(match: re.Match[str]) -> str:
    number = match.group(1).rstrip(".,:_/-").replace(",", "").replace("_", "")
    return f"{number} {match.group(2)}" if match.group(2) in UNITS else number


def _words(text: str) -> frozenset[str]:
    return frozenset(A_WORD.findall(text.casefold()))


LONGEST = 1200
PAIRS = {"“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』"}
# A straight mark opens before a word and closes behind one; behind `name(` and `key=` it is a string in code.
# Single marks are apostrophes as well: they open before a letter and close behind a word that ends there.
OPENING = r"[“„«»「『]|(?<![\w=.,;!?)\]}\"])(?<!\w\()\"(?=[^\s\"])|(?<![\w='\u2019\"(\[{/-])['\u2018\u201a](?=[^\W\d_])"
CLOSING = {
    '"': r"(?<!\s)\"(?=[\s)\]}—\u2013\-:;,.!?…/*_'\u2019”“»]|\Z)",
    "'": r"(?<=[\w.!?…,;)])'(?=[\s)\].,;:!?…—*_]|\Z)",
    "\u2018": r"(?<=[\w.!?…,;)])\u2019(?=[\s)\].,;:!?…—*_]|\Z)",
    "\u201a": r"[\u2018\u2019](?!\w)",
}
SINGLE = "'\u2018\u201a"  # around a term they are mostly code
PLAIN = str.maketrans("“”„«»「」『』\u2018\u2019\u201a\u2039\u203a…", '"' * 9 + "'" * 5 + ".")
MOST_STRAY = 60  # marks of one text that nothing closes
DEEPEST = 6
SPEAKER = 80  # characters that may introduce a quotation or say behind it whose it is
SENTENCE_ENDS = ".!?…"


@value
class Quotation:
    """A quotation with what says whose it is, and its place. A term is too short to be anybody's sentence."""

    text: str
    lead: str
    credit: str
    begin: int
    end: int
    is_term: bool = False


def quotations(text: str) -> Iterator[Quotation]:
    """The quotations in a text that is already clean; one within another is part of it."""
    bare = without_code(text)
    prose = bare
    for begin, end in _blocks(bare):
        words = "\n".join(line.lstrip()[1:].removeprefix(" ") for line in text[begin:end].splitlines()).strip()
        if words:
            words = words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"
            yield Quotation(words, _introduced(text, begin), "", begin, end)
        prose = prose[:begin] + " " * (end - begin) + prose[end:]
    for begin, end in _marked(prose):
        words = text[begin + 1 : end].strip()
        lead, credit = _lead(text, begin), _credit(text, end + 1)
        introduced, parts = text[begin] in "「『" or lead.endswith(":") or bool(credit), words.split()
        whole = len(parts) >= 4 or (len(words) >= 20 and (len(parts) > 1 or not words.isascii()))
        whole = whole or (introduced and (len(parts) > 1 or len(words) >= 8))
        if whole or text[begin] not in SINGLE:
            yield Quotation(words, lead, credit, begin, end + 1, not whole)


def normal(text: str) -> str:
    """The words of a quotation as they are compared: without their lines and the shape of their marks."""
    return " ".join(text.translate(PLAIN).casefold().split()).strip("\"' .")


def without_code(text: str) -> str:
    """The same text with blanks where code stands, so that places in it are places in the text."""
    code = r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|`[^`\n]+`"
    return re.sub(code, lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def _blocks(bare: str) -> Iterator[tuple[int, int]]:
    """Runs of lines that begin with `>`, as Markdown and mail quote."""
    at = begin = 0
    inside = False
    for line in (*bare.splitlines(keepends=True), ""):
        quoted = line.lstrip(" ").startswith(">") and not line.lstrip(" ").startswith((">>>", ">="))
        if quoted and not inside:
            begin, inside = at, True
        elif inside and not quoted:
            inside = False
            yield begin, at
        at += len(line)


def _marked(bare: str) -> Iterator[tuple[int, int]]:
    """Where a mark opens and where its own closes."""
    opening, failed, at = re.compile(OPENING), 0, 0
    while failed < MOST_STRAY and (match := opening.search(bare, at)):
        begin = match.start()
        end = _closing(bare, begin, bare[begin])
        failed += end < 0
        if end > begin + 3:
            yield begin, end
        at = max(begin, end) + 1


def _closing(bare: str, begin: int, mark: str) -> int:
    """The place of the mark that closes one; -1 where none does in time."""
    last = begin + 2 + LONGEST
    if mark in CLOSING:
        broken = bare.find("\n\n", begin, last)
        found = re.compile(CLOSING[mark]).search(bare, begin + 2, broken if broken >= 0 else last)
        return found.start() if found else -1
    end = begin
    for _ in range(DEEPEST):
        closers = [at for closer in PAIRS[mark] if (at := bare.find(closer, end + 1, last)) >= 0]
        if not closers:
            break
        end, inner = min(closers), bare.count(mark, begin + 1, min(closers))
        if not inner or inner == sum(bare.count(closer, begin + 1, end) for closer in PAIRS[mark]):
            return end
    return -1


def _introduced(text: str, begin: int) -> str:
    """The line above a block, where it ends in a colon."""
    above = text[max(0, begin - 3 * SPEAKER) : begin].rstrip().rpartition("\n")[2].strip()
    return above[-SPEAKER:].strip("*_# ") if above.rstrip("*_ ").endswith(":") else ""


def _lead(text: str, begin: int) -> str:
    """The words of the same sentence before a quotation."""
    line = text[max(0, begin - SPEAKER) : begin].rpartition("\n")[2]
    cut = max((line.rfind(f"{mark} ") for mark in SENTENCE_ENDS), default=-1)
    words = line[cut + 1 :].strip(" \t-*_>#(")
    if begin > SPEAKER and len(line) == SPEAKER and cut < 0:
        words = words.partition(" ")[2]
    return words


def _credit(text: str, end: int) -> str:
    """A name behind a quotation: behind a dash, in its line or in the next, or in brackets."""
    behind = text[end : end + SPEAKER].lstrip(" \t.,;")
    if behind.startswith("(") and 0 < (close := behind.find(")")) < SPEAKER - 1:
        return behind[: close + 1]
    behind = behind.removeprefix("\n").lstrip(" \t")
    if not behind.startswith(("—", "\u2013 ", "-- ")):
        return ""
    return behind.partition("\n")[0].partition(". ")[0].strip()
