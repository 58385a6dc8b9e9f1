"""Secrets in a text, by the rules that the sieve's clues name.

Promise: time grows with the length of the text, whatever it holds. Beginnings are located by plain search and
only then matched; every run in a pattern is bounded or cannot be entered twice.

Only the rules of the clues that the sieve reports are compiled, and once. Where spans overlap, the span is their
union and the label that of the more special rule, so that no half of a secret stays behind.
"""

from __future__ import annotations

import re

from holdfast.capture.redaction import PASSWORD_WORDS, PLAIN, SUFFIXES, is_wordy, looks_secret
from holdfast.capture.redaction_rules import ASSIGNED, KNOWN, NAMED, RUNS, TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Span = tuple[int, int, str]

LABELS = frozenset(row[0] for table in (KNOWN, NAMED, TOLD, ASSIGNED) for row in table) | {"url-token", "basic-auth"}
RULES = len(KNOWN) + len(NAMED) + len(TOLD) + len(ASSIGNED)

_ROWS: dict[str, list[tuple[int, str]]] = {}
for _rank, (_, _prefixes, _) in enumerate(KNOWN):
    for _prefix in _prefixes.split():
        _ROWS.setdefault(_prefix.lower(), []).append((_rank, _prefix))

_VENDORS: dict[str, list[tuple[str, str, str]]] = {}
for _label_of_row, _vendors, _shapes in NAMED:
    for _word in _vendors.split():
        _VENDORS.setdefault(_word[:3], []).append((_word, _label_of_row, _shapes))

# A body with a file's ending is the name of a file with a hash in it.
_FIXED_END = r"(?![0-9A-Za-z]|\.(?:png|jpe?g|gif|svg|ico|css|m?js|map|html?|woff2?))"
_compiled: dict[str, re.Pattern[str]] = {}


def find(text: str, clues: list[str]) -> list[Span]:
    """The spans of the secrets, in order of place and without overlap."""
    text = _masked(text)
    ranked: list[tuple[int, int, int, str]] = []
    rows = sorted({row for clue in clues for row in _ROWS.get(clue, ())})
    for rank, prefix in rows:
        ranked += ((start, end, rank, KNOWN[rank][0]) for start, end in _known(text, prefix, KNOWN[rank][2]))
    for rank, (label, clue, pattern) in enumerate(TOLD, len(KNOWN)):
        if clue in clues:
            spans = _told(text, label, pattern) if pattern else _found(text, clue)
            ranked += ((start, end, rank, found) for start, end, found in spans)
    if "=" in clues:
        ranked += ((start, end, RULES, label) for start, end, label in _assignments(text))
    return _united(text, sorted(ranked))


def _masked(text: str) -> str:
    """A text of the same length in which placeholders and escaped line breaks cannot be part of a match."""
    text = text.replace("\0", " ")
    if "\\" in text:
        text = text.replace("\\n", "  ").replace("\\r", "  ").replace("\\t", "  ")
    if "[redacted:" in text:
        text = pattern_of(r"\[redacted:([a-z0-9-]{1,40})\]").sub(
            lambda found: "\0" * len(found[0]) if found[1] in LABELS else found[0], text
        )
    return text


def _united(text: str, ranked: list[tuple[int, int, int, str]]) -> list[Span]:
    spans: list[Span] = []
    best = 0
    for start, end, rank, label in (one for one in ranked if "\0" not in text[one[0] : one[1]]):
        if spans and start < spans[-1][1]:
            kept = spans[-1]
            spans[-1] = (kept[0], max(kept[1], end), label if rank < best else kept[2])
            best = min(best, rank)
        else:
            spans.append((start, end, label))
            best = rank
    return spans


def pattern_of(source: str) -> re.Pattern[str]:
    if source not in _compiled:
        _compiled[source] = re.compile(source, re.ASCII)
    return _compiled[source]


def _shape(shape: str, tail: str = "") -> re.Pattern[str]:
    """The pattern of a shape. An open end swallows the rest of the run, a fixed end must be one."""
    key = f"{shape}\0{tail}"
    if key not in _compiled:
        source = ""
        for piece in re.split(r"(<\w+:[\d+-]+>)", shape):
            if piece[:1] == "<":
                name, _, size = piece[1:-1].partition(":")
                low, dash, high = size.rstrip("+").partition("-")
                source += f"[{RUNS[name]}]{{{low}{',' if dash or size[-1] == '+' else ''}{high}}}"
            else:
                source += re.escape(piece)
        end = tail or (r"[\w-]*={0,2}" if shape.endswith("+>") else _FIXED_END)
        _compiled[key] = re.compile(source + end, re.ASCII)
    return _compiled[key]


def _known(text: str, prefix: str, shape: str) -> Iterator[tuple[int, int]]:
    before, _, after = shape.rpartition("{}")
    body = _shape(after)
    keep = len(prefix) if prefix.endswith("/") else 0
    at = text.find(prefix)
    while at >= 0:
        start, end = at, at + len(prefix)
        matched = body.match(text, end)
        if matched and before:
            lead = _shape(before, r"\Z").search(text, max(0, at - 32), at)
            start = lead.start() if lead else -1
        letter = text[start - 1] if start > 0 else ""
        is_inside_word = letter.isascii() and (letter.isalnum() or letter == "_")
        if matched and start >= 0 and not is_inside_word and not _is_model(matched[0]):
            yield start + keep, matched.end()
            end = matched.end()
        at = text.find(prefix, end)


def _is_model(body: str) -> bool:
    """True if the body is that of a documentation sample."""
    low = body.lower()
    return "example" in low or "xxxx" in body or "XXXX" in body or low[:4] == "your" or low[-4:] == "here"


def _found(text: str, clue: str) -> Iterable[Span]:
    from holdfast.capture.redaction_finders import FINDERS

    return FINDERS[clue](text)


def _told(text: str, label: str, pattern: str) -> Iterator[Span]:
    for found in pattern_of(pattern).finditer(text):
        group = 1 if found.re.groups else 0
        if not _is_model(found[group]):
            yield found.start(group), found.end(group), label


# Words before `key` or `token` that say that the value is no secret.
_HARMLESS = (
    *("public", "pub", "primary", "foreign", "partition", "sort", "cache", "idempotency", "row", "hash", "bucket"),
    *("object", "natural", "schema", "sequence", "unique", "group", "dedup", "page", "next", "continuation", "csrf"),
    *("xsrf", "cancellation", "sync", "eos", "bos", "pad", "unk", "sep", "cls", "mask", "stop", "unexpected"),
    *("design", "lease", "claim", "resume", "publickey", "change", "request", "action", "s3"),
)
_STRONG_KEYS = (
    *("api", "apis", "access", "secret", "private", "encryption", "encrypt", "signing", "sign", "auth", "account"),
    *("master", "app", "application", "service", "license", "licence", "shared", "client", "admin", "server"),
    *("webhook", "hmac", "aes", "jwt", "session", "subscription", "write", "ingest", "root", "storage", "rest"),
    *("role", "integration", "decryption", "cipher", "vault", "seal", "recovery", "sdk", "deploy", "host"),
)
_SHORT_WORDS = frozenset(("pass", "key", "pat", "pw", "auth", "sid", "sig", "cred", "login"))
_ONLY_NAMED = frozenset(("client_id", "clientid", "client-id", "access_id", "accessid", "login"))
# Vendor names that are ordinary words too; before a bare `key` they prove nothing.
_ORDINARY = frozenset(("linear", "segment", "together", "polygon", "steam", "drone", "shortcut", "elastic", "storage"))
_COOKIES = ("j", "php", "asp", "connect.", "laravel_", "_gitlab_", "_rails_", "asp.net_", "cookie: ", "; ")
_NAME = "abcdefghijklmnopqrstuvwxyz0123456789_.-"
_LABEL_OF = {word: label for label, words in ASSIGNED for word in words.split()}
_ASSIGN = (
    r"(?P<word>" + "|".join(sorted(_LABEL_OF, key=len, reverse=True)) + r")"
    r"(?:s|[_-]?(?:\d{1,3}|" + "|".join(SUFFIXES) + r"))?(?![0-9a-z])"
    r"(?P<close>\\?[\"'`]|\*\*)?[\])]?(?:"
    r"[ \t]{0,2}:?[ \t]{1,2}(?P<type>(?!value)[a-z][\w.\[\]|]{0,24})[ \t]{0,2}=[ \t]{0,4}(?=[\"'`])"
    r"|[ \t]{0,8}(?:[:=]{1,4}>?|[?+.!|]{1,2}=|->)[ \t*]{0,8}(?:[|>][-+]?\s{1,20}|\r?\n[ \t]{1,20})?"
    r"|>\s{0,40}"
    r"|[ \t]{0,4}(?P<comma>,)[ \t]{0,4}(?=\\?[\"'`])"
    r"|[ \t]{1,4}(?P<prose>is|was)[ \t:]{1,4}"
    r"|[,\s]{1,12}[\"']?value[\"']?[ \t]{0,4}[:=][ \t]{0,4}"
    r"|(?P<gap>[ \t]{1,4})(?=[\"'`])"
    r"|(?P<flag>[ \t]{1,4})"
    r")(?P<open>\\?[\"'`]{0,3})"
)
_SEGMENT = r"[^\s\"'`,;()\[\]{}<>|\\\0:=]{1,8192}+"
_BARE = rf"{_SEGMENT}(?:[:=]{{1,3}}{_SEGMENT}){{0,4}}={{0,3}}"


def _assignments(text: str) -> Iterator[Span]:
    low = text.encode("ascii", "replace").lower().decode("ascii")
    at = 0
    while found := pattern_of(_ASSIGN).search(low, at):
        at = found.end("word")
        quote = "" if "\\" in found["open"] else found["open"][-1:]
        end = _value_end(text, found.end(), quote) if _gives(low, found) else 0
        label = _label(text, low, found, end) if end else ""
        if label:
            yield found.end(), end, label
            at = end


def _gives(low: str, found: re.Match[str]) -> bool:
    """True if what follows the name gives it a value; a gap, a type or a comma does so only in some places."""
    if found["comma"]:
        # Two of several strings in a row are a list; the first two of a call are a name and its value.
        before = low[max(0, found.start() - 160) : found.start()].rstrip(_NAME + " \"'`")
        return bool(found["close"]) and not before.endswith(",")
    return not (found["close"] and (found["gap"] or found["type"] or found["flag"]))


def _value_end(text: str, start: int, quote: str) -> int:
    """The end of the value; 0 if it is a sentence, a call or an index and not a value."""
    if quote:
        end = text.find(quote, start, start + 8192)
        if end < 0 and len(text) - start < 8192:
            end = len(text)
        return 0 if end < 0 or len(text[start:end].split()) != 1 else end
    found = pattern_of(_BARE).match(text, start)
    if not found:
        return 0
    value = found[0]
    if text[found.end() : found.end() + 1] in ("(", "[") and value.replace(".", "_").isidentifier():
        return 0
    cut = pattern_of(r"&[\w.-]{1,40}=").search(value)
    return start + len((value[: cut.start()] if cut else value).rstrip(".:"))


def _label(text: str, low: str, found: re.Match[str], end: int) -> str:
    word, start = found["word"], found.start()
    plain = text[found.end() : end]
    if word not in PASSWORD_WORDS and plain.islower() and plain.isalpha():
        return ""
    left = low[max(0, start - 48) : start].rsplit("\n", 1)[-1]
    owner = left.rstrip(" _-.'\"`")
    strong = word != "key" or owner.endswith(_STRONG_KEYS)
    camel = text[start].isupper() and text[start - 1 : start].islower()
    if word in _SHORT_WORDS and left[-1:].isalnum() and not camel and not (word == "key" and strong):
        return ""
    label = _vendor(left, plain, strong)
    if label or word in _ONLY_NAMED or (word in ("key", "token") and owner.endswith(_HARMLESS)):
        return label
    return _LABEL_OF[word] if _is_meant(low, found, left, plain) and _fits(found, left, plain, strong) else ""


def _vendor(left: str, plain: str, strong: bool) -> str:
    """The label of the vendor whose word stands before the name and whose shape the value has."""
    if not plain.isdigit() and not looks_secret(plain.encode("ascii", "replace"), password=False):
        return ""
    for at in range(len(left) - 2):
        for vendor, label, shapes in _VENDORS.get(left[at : at + 3], ()):
            named = left.startswith(vendor, at) and (strong or vendor not in _ORDINARY)
            if named and any(_shape(shape).fullmatch(plain) for shape in shapes.split()):
                return label
    return ""


def _is_meant(low: str, found: re.Match[str], left: str, plain: str) -> bool:
    """True if the place is one where a value is given: not in a path of names, and in prose only if it is plain."""
    path = left.rstrip(_NAME)
    if "arn:" in left or path.endswith("::") or ("@" in plain and path.endswith("://")):
        return False
    if found["comma"]:
        return len(plain) > 15 or found["word"] in PASSWORD_WORDS
    if found["flag"]:
        before = low[max(0, found.start() - 160) : found.start()]
        return "--" in before[before.rfind(" ") + 1 :] or "machine " in before or _is_random(plain)
    if found["prose"]:
        words = is_wordy(plain.lower().encode("ascii", "replace")) and not plain.isalnum()
        signs = "!@#$%^" if found["word"] in PASSWORD_WORDS else ""
        return bool(set(plain.rstrip("!*")) & set(signs)) or (not words and bool(set(plain) & set("0123456789")))
    return True


def _fits(found: re.Match[str], left: str, plain: str, strong: bool) -> bool:
    """True if the value is secret, for a name that ends in this word; the vaguer the name, the more is asked."""
    word = found["word"]
    given = strong and word in PLAIN and not (found["comma"] or found["prose"] or found["gap"] or found["flag"])
    if not looks_secret(plain.encode("ascii", "replace"), word in PASSWORD_WORDS, given):
        return False
    if word not in PASSWORD_WORDS and "=" in plain.rstrip("="):
        return False
    if word == "sid" and left[-1:] not in (".", "_", "-"):
        return False
    if word == "key" and not strong:
        return _is_random(plain)
    if _LABEL_OF[word] == "session":
        # A session's identifier is in every log; only what a cookie holds lets its reader in.
        return len(plain) > 15 and (left.endswith(_COOKIES) or (_is_random(plain) and "-" not in plain))
    if _LABEL_OF[word] == "signature":
        return len(plain) > 31 and (left[-1:] in ("?", "&") or left.endswith(("amz-", "access")))
    return True


def _is_random(plain: str) -> bool:
    """True if a value is a secret whatever it is called: long, in mixed case, and no digest or identifier."""
    mixed = not plain.islower() and not plain.isupper()
    return len(plain) > 19 and mixed and not pattern_of(r"[0-9a-fA-F-]+|[^0-9]+").fullmatch(plain)
