"""The subjects of a decision: paths, settings, and the words that say what it is about.

Two decisions that touch one subject may contradict each other, so the later one has to say how it stands to the first.
There is no understanding here, only bookkeeping: the same path or setting is the same subject; without one, most of the
words that carry the meaning have to be the same, or the purpose of two choices. What stands behind "because" and its
like is the reason, and nobody decided anything about that.

Promise: decisions that meet share an index key, because only those that share one are compared; the keys of one
decision are at most MOST_KEYS, however long it is. English words only; in another language names still meet.
"""

from __future__ import annotations

from holdfast.model import value, word_set

PATH, SETTING, WORDS = "path", "setting", "words"
MOST_KEYS = 24
MOST_NAMES, MOST_STEMS, MOST_FOLDERS = 8, 12, 4
ENOUGH = 0.65  # of the weight of the smaller decision, which two have to share to meet by their words
LEAST = 1.5  # of weight, unless all words are the same: "run the tests" says little
LITTLE, NAME = 0.5, 2.0  # what a common word weighs; and a name, where each decision has its own

# Each list is measured by the labelled pairs of tests/unit/test_task_subjects.py: a line that changes none of them is
# not here. ENDINGS and NO_NAMES serve close/verify too (bench/verify.py).
ENDINGS = word_set(
    """py pyi ipynb js jsx ts tsx mjs cjs vue svelte css scss html htm md mdx rst txt toml yaml yml json jsonl json5
    lock ini cfg conf env sh bash zsh ps1 bat go mod sum rs c h cc cpp hpp cs java kt kts swift rb erb php pl lua ex
    exs erl hs ml scala clj sql proto graphql gql tf tfvars hcl xml svg png jpg jpeg gif pdf csv tsv parquet log
    gradle properties plist cmake mk nix dart zig patch diff tpl j2 tmpl db sqlite service"""
)
FILES = word_set("dockerfile makefile readme license gemfile procfile jenkinsfile rakefile vagrantfile")
NO_NAMES = word_set(  # that look like a file or a name in code, and are products or styles of writing
    """node.js next.js vue.js nuxt.js express.js react.js asp.net snake_case camelcase pascalcase github gitlab
    javascript typescript openapi websocket websockets"""
)
ALTERNATIVES = word_set("and or read write client server yes no on off input output")  # with a slash that is no path
STOP = word_set(
    """a an the this that these those it its they them their there here we our you your he she his her i is are was
    were be been being am do does did done doing don't dont doesn't won't can't have has had of in on at to for from
    by with without within as and or but so if then than too also just only very more most much many some any all
    each every both no not never always now via per into onto out up down over under again still yet will would
    shall should can cannot could may might must let get got make makes made use uses used using utilize keep keeps
    kept stay stays remain remains leave leaves left prefer prefers preferred avoid avoids choose chosen pick adopt
    adopts decide decided decision confirmed agreed because since while until after before during about between
    through below above anything everything nothing instead rather go goes going want need needs supersedes stick
    switch like when where which who whose what how such other another haven't same new old one two three four five
    six seven eight nine ten first last once twice everywhere anywhere hand whole exceed least set put"""
)
COMMON = word_set(  # words that half of all decisions of software work have
    """add change write store run return log send call create move test file table column row api service server client
    user data database code value name field key type request response error time level job page list project import
    export load save check handle allow enable delete build release rename small"""
)
# Words that answer the same question: who says one and then another has decided twice about one matter. The first of a
# line is what the sentence calls the matter, where nothing better is there.
MATTER = "the_"
ANSWERS = tuple(
    line.split()
    for line in """
    the_package_manager npm yarn pnpm bun
    the_key uuid bigserial serial ulid autoincrement
    the_number decimal float integer cent
    the_kind soft hard
    the_number_of_names singular plural
    """.strip().splitlines()
)
IRREGULAR = {"written": "write", "wrote": "write", "sent": "send", "built": "build", "rebuilt": "rebuild", "ran": "run"}
CHOOSING = word_set("use uses using prefer choose pick adopt avoid keep")
BEFORE_REASON = (
    *(" because ", " since ", "; ", " — ", " \u2013 ", " - ", " -- ", " so that ", " in order to ", " to avoid "),
    *(" to prevent ", ", as ", " as it ", " as they ", " as this ", ", otherwise ", ", which ", " (see ", " (used by "),
)
OPEN_REASON = ("it ", "this ", "they ", "that ", "these ", "because ", "confirmed ", "see ", "otherwise ", "reason")


@value
class Subject:
    """One thing that a decision touches. Subjects with equal keys are the same; `shown` is how this one was written."""

    kind: str
    key: str
    shown: str


@value
class Decision:
    """A decision as it is compared: its names, its stems with the word each came from, and the purpose of a choice."""

    names: tuple[Subject, ...]
    stems: dict[str, str]
    purpose: tuple[str, ...]
    is_choice: bool


def touched(text: str) -> tuple[Subject, ...]:
    """The subjects of a decision: its paths and settings, and its words as one."""
    found = _read(text)
    words = Subject(WORDS, " ".join(sorted(found.stems)), " ".join(found.stems.values()))
    return (*found.names, words) if found.stems else found.names


def keys(text: str) -> tuple[str, ...]:
    """At most MOST_KEYS keys, of which two decisions that meet share one."""
    return _keys(_read(text))


def meets(one: str, other: str) -> str:
    """Why two decisions touch the same subject, as the end of a sentence; "" where they do not."""
    first, second = (_read(text) for text in sorted((one, other), key=lambda text: (len(text), text)))
    if not set(_keys(first)) & set(_keys(second)):
        return ""
    for subject in first.names:
        for same in (another for another in second.names if _is_one(subject, another)):
            fuller = same if len(same.key) > len(subject.key) else subject
            return f"both are about {'the setting ' if fuller.kind == SETTING else ''}{fuller.shown}"
    shared = _shared(first, second)
    return f"both are about {_phrase(first, second, shared)}" if shared else ""


def _keys(found: Decision) -> tuple[str, ...]:
    # What a name has in common with every longer way to write it.
    lasts = [one.key.rstrip("/").rpartition("." if one.kind == SETTING else "/")[2] for one in found.names]
    named = [f"{one.kind}:{last}" for one, last in zip(found.names, lasts, strict=True)]
    words = [f"word:{stem}" for stem in found.stems]
    above = [f"path:{folder}" for one in found.names if one.kind == PATH for folder in _folders(one.key)]
    return tuple(dict.fromkeys((*named, *words, *above)))[:MOST_KEYS]


def _folders(path: str) -> list[str]:
    """The folders that a path lies in, outermost first; a path that ends with a slash is one itself."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) + "/" for n in range(len(parts)) if parts[n]][:MOST_FOLDERS]


def _is_one(one: Subject, other: Subject) -> bool:
    """The same name, a shorter way to write it, or a folder and what lies in it."""
    if one.kind != other.kind:
        return False
    short, long = sorted((one.key, other.key), key=len)
    if one.kind == SETTING:
        return short == long or ("_" in short and "." not in short and long.endswith("." + short))
    is_inside = short.endswith("/") and long.startswith(short)
    return is_inside or ("/" + long.rstrip("/")).endswith("/" + short.strip("/"))


def _shared(first: Decision, second: Decision) -> tuple[str, ...]:
    """The stems by which two decisions meet, or none."""
    if first.is_choice and second.is_choice and first.purpose and set(first.purpose) == set(second.purpose):
        return first.purpose
    shared = tuple(stem for stem in first.stems if stem in second.stems)
    by_name = NAME if first.names and second.names else 0.0  # names that are not the same tell them apart
    smaller = min(_weight(one.stems) + by_name * len(one.names) for one in (first, second))
    weight = _weight(shared)
    is_same = first.stems.keys() == second.stems.keys()
    return shared if weight >= ENOUGH * smaller and (is_same or (weight >= LEAST and len(shared) > 1)) else ()


def _weight(stems: dict[str, str] | tuple[str, ...]) -> float:
    return sum(LITTLE if stem in COMMON_STEMS else 1.0 for stem in stems)


def _phrase(first: Decision, second: Decision, shared: tuple[str, ...]) -> str:
    """The shared words as they were written; those that stood side by side without a comma."""
    alike = [stem for stem in shared if _cut(first.stems[stem]) == _cut(second.stems[stem])]
    telling = alike or [stem for stem in shared if stem.startswith(MATTER)][:1] or list(shared)
    order = list(first.stems)
    phrase = ""
    for before, stem in zip(["", *telling], telling, strict=False):
        is_beside = before and order.index(stem) == order.index(before) + 1
        word = first.stems[stem] if alike else stem.replace("_", " ")
        phrase += f"{' ' if is_beside else ', '}{word}" if before else word
    return phrase


def _read(text: str) -> Decision:
    names: dict[tuple[str, str], Subject] = {}
    stems: dict[str, str] = {}
    purpose: list[str] = []
    is_choice = in_purpose = False
    for token, is_quoted in _tokens(_decided(text)):
        name = _name(token, is_quoted)
        if name and len(names) < MOST_NAMES:
            names.setdefault((name.kind, name.key), name)
        lower = token.lower()
        is_choice = is_choice or lower in CHOOSING
        in_purpose = in_purpose or lower == "for"
        for word in [] if name and not (lower.isalpha() and name.key == lower) else _parts(token):
            stem = _stem(word)
            if stem and len(stems) < MOST_STEMS:
                stems.setdefault(stem, word.lower())
                if in_purpose:
                    purpose.append(stem)
    return Decision(tuple(names.values()), stems, tuple(dict.fromkeys(purpose)), is_choice)


def _decided(text: str) -> str:
    """A decision without its reason, on one line."""
    text = " ".join(text.replace("\u2019", "'").split()) + " "
    if text.lower().startswith(("because ", "since ")):
        text = text.partition(", ")[2] or text
    lower = text.lower()
    if len(lower) != len(text):
        lower = text  # a letter whose small form is longer: places in one are none in the other
    ends = [at for mark in BEFORE_REASON if (at := lower.find(mark, 1)) > 0]
    at = lower.find(". ")
    while at >= 0:
        if lower.startswith(OPEN_REASON, at + 2):
            ends.append(at)
            break
        at = lower.find(". ", at + 1)
    return text[: min(ends, default=len(text))]


def _tokens(text: str) -> list[tuple[str, bool]]:
    """The words, each with whether it stands alone in backticks."""
    found: list[tuple[str, bool]] = []
    for n, span in enumerate(text.split("`")):
        said = [clean for word in span.split() if (clean := _clean(word))]
        is_quoted = n % 2 == 1 and bool(said) and (len(said) == 1 or span.split()[0].endswith(":"))
        found += [(word, is_quoted and at == 0) for at, word in enumerate(said)]
    return found


def _clean(word: str) -> str:
    word = word.strip("\"'()[]{}<>,;:!?*“”„").rstrip(".")
    return word.removesuffix("'s").removesuffix("()").rstrip("(").replace("${", "$").replace("\\", "/")


def _name(token: str, is_quoted: bool) -> Subject | None:
    """The path or setting that a token is, if it is one."""
    if token.lower() in NO_NAMES or not any(letter.isalpha() for letter in token):
        return None
    if token.startswith("-"):
        key = _plain(token).removeprefix("no_") if token.startswith("--") else ""
        return Subject(SETTING, key, token.partition("=")[0]) if key else None
    before, equals, _ = token.partition("=")
    bare = before.lstrip("$")
    is_word = all(letter.isalnum() or letter in "_.-" for letter in bare) and any(map(str.isalpha, bare))
    if equals and is_word:
        return Subject(SETTING, _plain(before), before)
    path = _path(token)
    if path:
        return Subject(PATH, path[0], path[1])
    token = token.replace("::", ".")
    if is_quoted or _is_identifier(token):
        key = _plain(token)
        return Subject(SETTING, key, token) if key else None
    return None


def _path(token: str) -> tuple[str, str] | None:
    """A path as it is compared, and as it was written without the place in it."""
    shown = token.partition("::")[0].partition("#")[0].removeprefix("./")
    head, colon, place = shown.partition(":")
    if colon and not place.startswith("//"):
        shown = head
    lower = shown.lower()
    base = lower.rstrip("/").rpartition("/")[2]
    if "/" in shown:
        parts = [part for part in lower.split("/") if part]
        is_short = token[0] not in "./~" and not shown.endswith("/")
        is_plain = all(len(part) == 1 or part in ALTERNATIVES or not any(map(str.isalpha, part)) for part in parts)
        is_capital = shown.isupper() and all(len(part) <= 4 for part in parts)
        if not parts or (is_short and (is_plain or is_capital)):
            return None
    elif base not in FILES and not (base[:1] == "." and base[1:2].isalpha()):
        stem, _, ending = base.rpartition(".")
        if not stem or ending not in ENDINGS or not (len(ending) > 1 or any(map(str.isalpha, stem))):
            return None
    key = lower
    while key.endswith(("/*", "/**")):
        key = key.rstrip("*")
    return (key, shown) if key.strip("/.~*") else None


def _is_identifier(token: str) -> bool:
    """A name as code writes it: $X, X_Y, x_y, xY, XyZw, x.y, X-Y-Z."""
    if token[:1] == "$":
        return len(token) > 1
    if token.startswith("X-"):
        return True
    if not all(letter.isalnum() or letter in "_." for letter in token):
        return False
    parts = token.split(".")
    if len(parts) > 1:
        return all(part[:1].isalpha() and len(part) > 1 for part in parts)
    if "_" in token.strip("_"):
        return True
    is_humped = any(letter.isupper() and token[at].islower() for at, letter in enumerate(token[1:]))
    return is_humped and not token.endswith(("SQL", "DB", "API", "OS", "QL"))


def _plain(name: str) -> str:
    """One way to write a name: max_retries for --max-retries, maxRetries, MAX_RETRIES and $MAX_RETRIES."""
    name = name.partition("=")[0].strip("-$_{}")
    out = ""
    for before, letter in zip(" " + name, name, strict=False):
        out += ("_" if before.islower() and letter.isupper() else "") + ("_" if letter == "-" else letter.lower())
    return out


def _parts(token: str) -> list[str]:
    """The words that a token is made of."""
    lower = token.lower()
    if lower in NO_NAMES or lower in ANSWER or lower in STOP:
        return [lower]
    spread = "".join(letter if letter.isalnum() or letter in "'_" else " " for letter in token)
    return [part.strip("'") for part in spread.split() if any(map(str.isalpha, part))]


def _stem(word: str) -> str:
    """A word without its ending, so that update, updates, updated and updating are one; "" where it says nothing."""
    word = word.lower()
    if word in STOP or len(word) < 2:
        return ""
    found = _cut(word)
    return "" if found in STOP else ANSWER.get(word) or ANSWER.get(found, found)


def _cut(word: str) -> str:
    word = IRREGULAR.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and len(word) > 3 and word[-2] not in "su":
        word = word[:-1]
    for ending in ("ation", "ment", "ing", "ied", "ed", "er", "ion", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word


ANSWER = {
    form: line[0] if line[0].startswith(MATTER) else _cut(line[0])
    for line in ANSWERS
    for word in line
    for form in (word, _cut(word))
}
COMMON_STEMS = frozenset(ANSWER.get(_cut(word), _cut(word)) for word in COMMON)
