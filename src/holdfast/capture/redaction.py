"""Secrets are replaced by labelled placeholders before any byte is written or sent.

Promise: `redact` never raises, changes nothing but the secrets it names, and finds nothing in its own
output. Text is searched again until a search comes back empty, so the last point holds by construction.

The hook calls this for every line, and almost no line holds a secret. So this module is only the sieve: plain string
operations over one lower-cased copy, no import of `re`, no rule table. A text that passes the sieve loads
`redaction_match`, which judges with care; the sieve may be too generous but never too strict.

Not found are: a password in prose without an assignment ("log in with ..."), a value without any digit or sign, one
that reads as code (`user1.password`), a passphrase with spaces unless a label says that it is a wallet's, and key
material that carries neither a known prefix nor a telling name.
"""

from __future__ import annotations

from holdfast.capture.redaction_tokens import PREFIXES, WEAK_PREFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Signs of the secrets that are told by their surroundings, not by a beginning.
MARKERS = (
    *("private key", "private-lines", "q~", "sha256~", "_mmk", "access_token$", "contribsys__com", "facebook"),
    *("flyv1 ", "==:", "astracs:"),
)
# Commands that read a secret from a pipe, by the word that says so.
PIPES = (
    *("stdin", "--with-token", "chpasswd", "sudo -s", "smbpasswd", "kinit", "passphrase-fd", "password-fd", "key-file"),
)
COMMANDS = ("htpasswd", "openssl")  # with an option
HEADERS = ("bearer", "authorization")
# The words that end a name to which a secret is given, by a stem that most lines do not hold.
PASSWORD_WORDS = frozenset(("password", "passwd", "passphrase", "passcode", "passwort", "pwd", "pw"))
# The words that say so plainly that a value behind `=` or `:` need not look random, only not like a name.
PLAIN = frozenset(("secret", "token", "key"))
WORDS = {
    "pass": ("pass", "password", "passwd", "passphrase", "passcode", "passwort"),
    "pw": ("pw", "pwd"),
    "cred": ("cred", "credential"),
    "sess": ("session", "sessionid", "session_id", "sessid"),
    "sig": ("sig", "signature"),
    "client": ("client_id", "clientid", "client-id"),
    "access": ("access_id", "accessid"),
    **{word: (word,) for word in ("key", "token", "secret", "auth", "pat", "sid", "cookie", "login")},
}
# Endings that may stand between such a word and the sign that gives it a value.
SUFFIXES = ("base", "b64", "value", "string", "str", "raw", "prod", "dev", "test", "staging", "live")
LOGIN_FLAGS = (" -u", " -p", " -a", " --user")
LOGIN_COMMANDS = ("curl", "sshpass", "mysql", "docker login", "podman login", "redis-cli", "mongo")

_LETTERS, _DIGITS = b"abcdefghijklmnopqrstuvwxyz", b"0123456789"
# A second search almost always comes back empty; the bound is for texts made to go on for ever.
_PASSES = 12


def _blank_all_but(kept: bytes) -> bytes:
    table = bytearray(b" " * 256)
    for code in kept:
        table[code] = code
    return bytes(table)


_RUNS = _blank_all_but(_LETTERS + _DIGITS + b"_./+=%-")
_PARTS = _blank_all_but(_LETTERS + _DIGITS + b"_")
_ATOMS = _blank_all_but(_LETTERS + _DIGITS + b"?")
_VALUES = bytes.maketrans(b"\t\r\n\"'`,;()[]{}<>|\\\0", b" " * 19)

# No secret is made of these alone: it has a digit, a capital or a sign.
_DULL = _LETTERS + b" \t\r\n_-.,:;=/?\"'`()[]{}<>|+~\\\0"

_HEADS: dict[bytes, list[bytes]] = {}
for _prefix in PREFIXES:
    # A beginning is looked up by at most four characters of its first run: one lookup a word serves all rules.
    _HEADS.setdefault(_prefix.translate(_PARTS).split()[0][:4], []).append(_prefix)

_STAND_INS = (
    *("xxxx", "****", "...", "placeholder", "changeme", "change-me", "change_me", "changeit", "redacted", "://"),
    *("&lt;", "abcdefghijklmnopqrstuvwxyz"),
)
# In the middle of a word these prove nothing: Xk29fooBar7 is a password.
_STAND_IN_WORDS = (
    *("example", "your-", "your_", "yourtoken", "yourkey", "yourapi", "yourpass", "yoursecret", "dummy"),
    *("insert-", "insert_", "replace-", "replace_", "replaceme", "foobar", "my-secret", "mysecret"),
)
_ECHOES = ("password", "passwd", "pwd", "passphrase", "secret", "token")
_PART_NAMES = b"token jwt key secret auth header payload sign config setting env".split()
_TERMS = frozenset(
    b"argon2 argon2i argon2id base64 base64url base32 sha256 sha512 sha-256 hs256 rs256 es256 ed25519 x25519 pbkdf2"
    b" utf-8 oauth2 oauth2.0 aes256 aes-256 aes128 secp256k1 curve25519 pkcs12 required!".split()
)


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with each secret replaced by `[redacted:LABEL]`, and the labels found, in order of place."""
    marks: list[tuple[int, int, str]] = []
    for _ in range(_PASSES):
        clues = _clues(text)
        if not clues:
            break
        from holdfast.capture.redaction_match import find

        spans = find(text, clues)
        if not spans:
            break
        text, marks = _replace(text, sorted(spans + marks))
    return text, tuple(label for _, _, label in marks)


def redact_record(record: dict[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    """The same for every string value of a JSON-like record; the record itself if nothing was found."""
    labels: list[str] = []
    clean = {key: _redact_value(item, labels) for key, item in record.items()}
    return (clean if labels else record), tuple(labels)


def _redact_value(value: object, labels: list[str]) -> object:
    if isinstance(value, str):
        clean, found = redact(value)
        labels.extend(found)
        return clean
    before = len(labels)
    copy: object = value
    if isinstance(value, dict):
        copy = {key: _redact_value(item, labels) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        items = [_redact_value(item, labels) for item in value]
        copy = items if isinstance(value, list) else tuple(items)
    return value if len(labels) == before else copy


def _replace(text: str, spans: list[tuple[int, int, str]]) -> tuple[str, list[tuple[int, int, str]]]:
    """The spans replaced, and where their placeholders now stand; a standing placeholder replaces itself."""
    out: list[str] = []
    marks: list[tuple[int, int, str]] = []
    size = done = 0
    for start, end, label in spans:
        size += start - done
        placeholder = f"[redacted:{label}]"
        out += (text[done:start], placeholder)
        marks.append((size, size + len(placeholder), label))
        size += len(placeholder)
        done = end
    out.append(text[done:])
    return "".join(out), marks


def _clues(text: str) -> list[str]:
    """The signs of secrets in a text; none, for almost every line."""
    plain = text.encode("ascii", "replace")
    if b"\\" in plain:
        # In quoted JSON a line break is a backslash and a letter, and that letter is no part of a word.
        plain = plain.replace(b"\\n", b"  ").replace(b"\\r", b"  ").replace(b"\\t", b"  ")
    raw = plain.lower()
    low = raw.decode("ascii")
    clues = [marker for marker in MARKERS if marker in low]
    clues += [header for header in HEADERS if header in low and _presented(plain, low, header)]
    runs = [run for run in raw.translate(_RUNS).split() if len(run) > 14]
    if runs:
        clues += _beginnings(runs)
        if any(len(run) > 49 and run.count(b".") > 1 for run in runs):
            clues.append("a.b.c")
    if "://" in low and "@" in low and _login_in_url(low):
        clues.append("://")
    if " -" in low:
        clues += [command for command in COMMANDS if command in low]
        if any(_login_after(low, flag) for flag in LOGIN_FLAGS if flag in low):
            clues.append("-u")
    if ("|" in low or "<<<" in low) and any(word in low for word in PIPES) and _is_handed_over(low):
        clues.append("stdin")
    if ("cookie" in low or " -b" in low) and _holds_cookie(plain, low):
        clues.append("cookie")
    if ("seed" in low or "phrase" in low or "mnemonic" in low or "words" in low) and _has_many_words(plain):
        clues.append("seed words")
    if "kind:" in low and "secret" in low and "data:" in low:
        clues.append("kind:")
    if any(_assigned(plain, low, word) for stem, words in WORDS.items() if stem in low for word in words):
        clues.append("=")
    return clues


def _beginnings(runs: list[bytes]) -> list[str]:
    parts = b" ".join(runs).translate(_PARTS).split()
    heads = {part[:size] for part in parts for size in (4, 3, 2) if part[:size] in _HEADS}
    return [
        prefix.decode()
        for head in heads
        for prefix in _HEADS[head]
        if any(_body_after(run, prefix) for run in runs if prefix in run)
    ]


def _body_after(run: bytes, prefix: bytes) -> bool:
    # A name such as npm_config_registry goes on in words, a token has digits or long parts.
    rests = [rest[:80] for rest in run.split(prefix)[1:]]
    if prefix in WEAK_PREFIXES:
        return not all(is_wordy(rest) for rest in rests)
    return prefix[-1:] == b"/" or any(
        rest.strip(_LETTERS + b"_./+=%-") or max(map(len, rest.translate(_ATOMS).split()), default=0) > 11
        for rest in rests
    )


def _ends(low: str, word: str) -> Iterator[int]:
    """The places behind each occurrence of a word."""
    at = low.find(word)
    while at >= 0:
        at += len(word)
        yield at
        at = low.find(word, at)


def _is_handed_over(low: str) -> bool:
    """True if a command is given a word to pass on, and not a variable."""
    words = (low[end : end + 40] for mark in ("echo ", "printf ", "<<<") for end in _ends(low, mark))
    return any(word.lstrip(" -'\"")[:1] not in ("", "$", "`") for word in words)


def _holds_cookie(plain: bytes, low: str) -> bool:
    """True if a header or an option gives cookies that hold something: a name alone, or prose, does not."""
    at = low.find("cookie" if "cookie" in low else " -b")
    return b"=" in plain[at : at + 400] and bool(plain[at + 6 : at + 4000].translate(None, _DULL))


def _has_many_words(plain: bytes) -> bool:
    """True if twelve small words in lower case stand together, numbers between them aside."""
    count = 0
    for word in plain.translate(_VALUES).translate(None, _DIGITS + b".:=").split():
        count = count + 1 if 2 < len(word) < 9 and word.islower() and word.isalpha() else 0
        if count == 12:
            return True
    return False


def _login_in_url(low: str) -> bool:
    users = (low[end : end + 317].split("/", 1)[0].rpartition("@")[0] for end in _ends(low, "://"))
    return any(":" in user or len(user) > 19 for user in users)


def _login_after(low: str, flag: str) -> bool:
    words = low[low.find(flag) + len(flag) :][:80].split()
    return bool(words) and words[0][0] != "$" and any(command in low for command in LOGIN_COMMANDS)


def _presented(plain: bytes, low: str, header: str) -> bool:
    windows = (plain[end : end + 200].translate(_VALUES).split()[:4] for end in _ends(low, header))
    values = (value.lstrip(b":=") for window in windows for value in window)
    return any(_is_credential(value) or is_dotted(value.lower()) for value in values)


def _is_credential(value: bytes) -> bool:
    low = value.lower()
    wordy = value[1:].islower() and is_wordy(value) and not _is_no_name(low)
    return len(value) > 7 and not wordy and not is_stand_in(low)


def is_dotted(low: bytes) -> bool:
    """True if a value in lower case has the three parts of a token; header.payload.signature only says so."""
    parts = low.translate(None, b"_-").rstrip(b".").split(b".")
    if len(parts) != 3 or len(low) < 16 or not all(len(part) > 2 and part.isalnum() for part in parts):
        return False
    return not any(word in low for word in _PART_NAMES) and not is_stand_in(low)


def _assigned(plain: bytes, low: str, word: str) -> bool:
    """True if a name that ends in the word is given a value; in prose it is not, and a few slices say so."""
    password = word in PASSWORD_WORDS
    for end in _ends(low, word):
        window = plain[end : end + 200]
        if window.translate(None, _DULL) and _takes_value(low, end - len(word), end):
            near = low[end : end + 40]
            given = word in PLAIN and ("=" in near or ":" in near or ">" in near[:10])
            values = [value for value in window.translate(_VALUES).split() if len(value) > 5]
            if any(_worth_a_look(value.lstrip(b"=:?+!.*-"), password, given) for value in values[:4]):
                return True
    return False


def _takes_value(low: str, start: int, end: int) -> bool:
    first, second = low[end : end + 1], low[end + 1 : end + 2]
    if (first.isalpha() and (first != "s" or second.isalpha())) or (first in ("_", "-") and second.isalpha()):
        return low[end : end + 16].lstrip("_-").startswith(SUFFIXES)
    near = low[end : end + 40]
    rest = near.lstrip(" \t\r\n\"'`*])\\s_0123456789")
    if rest[:1] in "=:>,?+!.|-" or near.lstrip(" \t")[:1] in "\"'`":
        return True
    if "=" in rest[:28] or rest.startswith(("is ", "was ", "value")) or (first == " " and " " not in near[1:21]):
        return True
    before = low[max(0, start - 160) : start]
    return "--" in before[-40:] or "machine " in before


def _worth_a_look(value: bytes, password: bool, given: bool) -> bool:
    # A few vendors' identifiers are digits only; whether one of them is named is for the rules to say.
    if looks_secret(value, password, given) or (len(value) > 14 and value.isdigit()):
        return True
    return b"&" in value and looks_secret(value.partition(b"&")[0], password, given)


def looks_secret(value: bytes, password: bool, given: bool = False) -> bool:
    """True if the value of a telling name is a secret, no word, variable or code; if plainly `given`, less will do."""
    if len(value) < (6 if password else 8 if given else 10):
        return False
    low = value.lower()
    digits = len(low.translate(None, _DIGITS)) < len(low)
    letters = len(low.translate(None, _LETTERS)) < len(low)
    if password:
        telling = digits or (len(low) > 7 and len(low.translate(None, b"!@#$%^&*")) < len(low))
        path = low[:1] in b"/@~" and is_wordy(low)
        number = len(value) > 7 and value.isdigit()
        return (number or (letters and telling)) and not path and not _echoes(value) and not _is_harmless(low)
    words = is_wordy(low) and not (given and _is_no_name(low))
    if value in (low, value.upper()):
        secret = digits and letters and not words
    else:
        name, chance = _read(value)
        secret = (chance and len(value) > 11) or (digits and letters and not name and not words)
    return secret and len(set(low)) > 4 and not _is_harmless(low)


def _is_harmless(low: bytes) -> bool:
    return low in _TERMS or low.endswith((b".pem", b".crt", b".pub", b".p12")) or is_stand_in(low) or _is_code(low)


def _is_no_name(low: bytes) -> bool:
    """True if letters and digits in lower case are neither a name, a version nor a year: `abcd1234`, `x29!foo`."""
    if not low.isalnum():
        return b"/" not in low and len(low.translate(None, b"!#$%^")) < len(low)
    tail = low[len(low.rstrip(_DIGITS)) :]
    year = len(tail) == 4 and tail[:2] in (b"19", b"20")
    return (len(tail) > 2 and not year) or (low[:3].isdigit() and len(low.lstrip(_DIGITS)) > 3)


def _echoes(value: bytes) -> bool:
    """True if the value is a name that says what it would hold, `db_password2`; `hunter2supersecret` is none."""
    text = value.decode("ascii").rstrip("!").replace("-", "_")
    if not text.isupper() and not text[:1].isupper():
        text = "".join(f"_{letter}" if letter.isupper() else letter for letter in text)
    words = [word.rstrip("0123456789") for word in text.split("_")]
    plain = all(word.isalpha() or not word for word in words) and not text[-3:].isdigit()
    return plain and any(word.lower() in _ECHOES for word in words)


def _read(value: bytes) -> tuple[bool, bool]:
    """True if a value in mixed case reads as a name, EC2ReadOnlyAccess, or as chance; digits prove neither."""
    letters = words = numbers = last = before = 0
    for code in value[:80]:
        kind = 1 if 65 <= code <= 90 else 2 if 97 <= code <= 122 else 3 if 48 <= code <= 57 else 0
        letters += kind in (1, 2)
        numbers += kind == 3 != last
        # A word begins after a sign or a digit, at a capital after a small letter, and at the S of HTTPServer.
        words += (kind == 1 != last) or (kind == 2 and (last in (0, 3) or last == 1 == before))
        before, last = last, kind
    name = letters >= (4 if len(value) > 11 else 3) * words and 2 * numbers <= words
    return name, letters < 2.9 * words


def is_stand_in(low: bytes) -> bool:
    """True if a value in lower case only stands where a secret would: a variable, a mask, a documentation word."""
    is_digest = low.startswith((b"sha1:", b"sha256:", b"sha512:", b"md5:", b"sha256-", b"sha512-", b"arn:"))
    is_variable = low[:1] in b"$%@" and low[1:].translate(None, b"_.:%@" + _DIGITS).isalpha()
    is_mask = low[:1] in b"<{[(*^" or low[-1:] == b">" or low[:2] in (b"${", b"$(", b"%(", b"./", b"~/")
    is_small = len(set(low)) < 4 or (low[:2] == b"0x" and len(low) < 40)
    if is_digest or is_variable or is_mask or is_small:
        return True
    text = low.decode("ascii")
    if any(part in text for part in _STAND_INS) or (len(text) > 31 and "example" in text):
        return True
    found = (text.find(word) for word in _STAND_IN_WORDS if word in text)
    return any(at == 0 or text[at - 1] in "-_./: " for at in found)


def is_wordy(low: bytes) -> bool:
    """True if a value in lower case reads as words, versions and numbers: `eu-west-1`, `base64`, `v1.2.3-rc1`."""
    for part in low.translate(_ATOMS).split():
        stem = part.rstrip(_DIGITS)
        if stem and not (stem.isalpha() and len(part) - len(stem) < 5):
            rest = part.lstrip(_DIGITS)
            if not (rest.isalpha() and len(part) - len(rest) < 5):
                return False
    return True


def _is_code(low: bytes) -> bool:
    """True if a value in lower case is an attribute, `user.password`, or a host and port."""
    names = low.replace(b"?", b"").rstrip(b"!").split(b".")
    plain = (name.translate(None, b"_" + _DIGITS).isalpha() and not name[:1].isdigit() for name in names)
    if len(names) > 1 and len(low) < 40 and all(plain):
        return True
    host, _, port = low.rpartition(b":")
    return port.isdigit() and bool(host) and is_wordy(host)
