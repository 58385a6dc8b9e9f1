"""The words that checking knows: units, months, negations, opposites, and what stands by a person.

English first, with the German that developers mix in. A word that is missing here costs a check, never a wrong verdict:
what is not recognised is not judged. Each list earned its place on a bench that its comment names: without it more
wrong claims pass there, or more right ones are accused.
"""

from __future__ import annotations

import re

from holdfast.model import word_set

MONTHS = (
    *("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    *("jän", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"),
)
# Things of which a session's record shows how many there were.
COUNTED = {"file": "files", "files": "files", "dateien": "files", "commit": "commits", "commits": "commits"}
COUNTS = dict.fromkeys(("pass", "fail", "exampl", "spec", "test"), "test")
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve"
SMALL = {word: n for n, word in enumerate(_SMALL.split())}
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]+(?:-[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]+)?"
_NAME = rf"{_CAPITAL}(?:\s{_CAPITAL}){{0,2}}"
# bench/verify.py and bench/verify_flags.py: invented persons.
_DOES = (
    "asked|approved|said|says|wants|confirmed|prefers|agreed|reviewed|signed|decided|reported|needs|promised|rejected|"
    "wrote|knows|saw|lent|is on call|(?:will|should|must) (?:approve|confirm|review|decide|sign|check|look|test)|hat"
)
PERSON = re.compile(
    rf"(?<![\w@./-])({_NAME})(?=\s(?:{_DOES})\b)"
    rf"|\b(?i:asked|ask|told|tell|by|with|an)\s({_NAME})(?!\w|[/.-]\w|[/_(])"
    rf"|(?<![\w@./-])({_NAME})(?='s\s)"
    rf"|(?<![\w@./-])({_CAPITAL}\s{_CAPITAL})(?!\w|[/-]\w|\.\w)"
)
NEGATIONS = re.compile(  # bench/verify.py: inverted decisions
    r"\b(?:not|never|no longer|no|dont|cannot|\w+n't|stays? out|left out|leaves? out|is out|exempt(?:ed)?|"
    r"nothing|none|avoid|stop|nicht|nie|niemals|kein\w*)\b",
    re.IGNORECASE,
)
# A word and its opposite, the same matter seen from its two sides (bench/verify.py: inverted decisions).
_OPPOSITES = (
    ("enable enables enabled enabling activate activated aktivieren aktiviert",
     "disable disables disabled disabling deactivate deactivated off deaktivieren deaktiviert"),
    ("allow allows allowed permit permits permitted erlauben erlaubt",
     "forbid forbids forbidden deny denies denied disallow block blocks blocked prohibit ban banned verboten"),
    ("keep keeps kept keeping retain retains retained preserve stay stays behalten bleibt bleiben",
     "drop drops dropped dropping remove removes removed removing delete deletes deleted discard discarded entfernen "
     "löschen"),
    ("add adds added adding", "omit omits omitted skip skips skipped"),
)  # fmt: skip
SIDES = {
    word: (number, sign)
    for number, sides in enumerate(_OPPOSITES)
    for sign, side in zip((1, -1), sides, strict=True)
    for word in side.split()
}
_SUFFIX = re.compile(r"(?:ung|enden|ende|en|em|et|ation|ating|ated|ate|ing|edly|ied|ed|ly|er|e|y)$")
_PLURAL = ((re.compile(r"ies$"), "y"), (re.compile(r"(?<=[sxzh])es$"), ""), (re.compile(r"(?<![su])s$"), ""))
_GERMAN_WORDS = re.compile(r"\b(?:der|die|das|und|nicht|ist|ein|eine|mit|von|wird|für|auf|zu)\b")
# A sentence that says of its matter that it is not done (bench/verify.py: done but not done).
UNFINISHED = re.compile(
    r"^(?:left|open|todo|missing|offen)\b"
    r"|\b(?:not (?:yet|been|done|started|built|implemented|merged|touched|finished)|not part of|"
    r"(?:have|has|did|do|does)(?: not|n't)\b.*|still (?:to be|open|missing|fails?|needs?)|(?:is|are) missing|"
    r"(?:is|are) still open|will (?:do|come|be|follow)|next time|later|failed|fehlt noch|noch nicht|left for|"
    r"left alone|stop here)\b",
    re.IGNORECASE,
)


def _table(text: str) -> dict[str, str]:
    """Each form of a word with the word itself, from lines of `word: form form`."""
    lines = (line.partition(": ") for line in text.strip().splitlines())
    return {form: word.strip() for word, _, forms in lines for form in forms.split()}


# bench/verify.py: without them wrong numbers pass and right ones are accused.
UNITS = _table("""
    ms: ms msec millisecond milliseconds millisekunden
    s: s sec secs second seconds sekunden sekunde
    min: min mins minute minutes minuten
    h: h hr hrs hour hours stunden stunde
    d: d day days tage tagen tag
    w: week weeks wochen woche
    mo: month months monate monat
    %: % percent prozent pct
    B: B byte bytes
    KB: KB kB KiB kb
    MB: MB MiB mb
    GB: GB GiB gb
    $: $ USD usd dollar dollars
    €: € EUR eur euro euros
    £: £ GBP gbp pound pounds
    ¥: ¥ JPY jpy
    px: px pixel pixels
    x: x times mal
""")

# Capitalised words that stand where a person stands and are none (bench/verify.py, bench/verify_flags.py).
NO_PERSONS = word_set("""
    user users customer client team everyone nobody someone it he she they we i you this that these those there the a
    an my our your his her their its claude codex agent assistant model ci api server tests test build code if
    because after before also but and or not no yes then now still today tomorrow yesterday later next monday tuesday
    wednesday thursday friday saturday sunday python finance der die das ein eine er sie es wir ich man
""")

STOP = word_set("""
    a an the this that these those it its is are was were be been being am do does did done doing have has had having
    i we you he she they them us our your my his her their there here of in on at to for from by with without as and
    or but so if then than too also just only very more most much many some any all each both no not never always now
    new old via per into onto out up down over under again still yet will would shall should can could may might must
    let get got make makes made use uses used using one ones what which who when where why how because since while
    until after before during about between through turn turned instead rather keep keeps kept stay stays go goes
    went going want wants need needs decided decision decide agreed agree user said says please ok okay yes lets
    let's don't doesn't won't can't isn't aren't didn't der die das den dem des ein eine einen einem einer und oder
    aber nicht kein keine ist sind war wird werden wurde hat haben wir ich du sie er es mit von zu im am auf für aus
    bei nach vor über unter auch nur noch schon statt als wie dass weil
""")
# Small words that have a capital only where a sentence begins, and are never a person; Will and May are names too.
BEGINNINGS = STOP - NO_PERSONS - {"will", "may"}
# Forms that no ending tells, above all the German that decisions are made of (bench/verify.py, bench/verify_borne.py).
FORMS = _table("""
    show: shown showed zeigen angezeigt anzeigen
    run: läuft laufen
    change: touch touched touching update updated updating modify modified edit edited changed changing
    change: ändern geändert änderung
    delete: löschen gelöscht löscht
    mark: markieren markiert
    duplicate: dublette dubletten duplikate
    night: nachts nacht
    day: tagsüber
    customer: kunde kunden
    search: suche suchen
    rotate: rotieren rotiert
    shorten: kürzen gekürzt
    file: datei dateien
    row: zeile zeilen
""")


def stem(word: str) -> str:
    """A word without its ending, so that test, tests, tested and testing are one."""
    word = word.lower()
    word = FORMS.get(word, word)
    for pattern, end in _PLURAL:
        if len(word) > 3 and pattern.search(word):
            word = pattern.sub(end, word)
            break
    cut = _SUFFIX.sub("", word)
    if len(cut) < 3:
        return word
    return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "ls" else cut


def is_german(text: str) -> bool:
    return _GERMAN_WORDS.search(text) is not None


def counted(noun: str) -> str:
    """The thing that a number counts; a run of tests speaks of them in several ways."""
    return COUNTS.get(stem(noun), stem(noun)) if noun else ""


def stems(text: str) -> list[str]:
    """The words that carry a sentence's meaning, in order. Parts of paths and identifiers count as words."""
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    found = re.findall(r"(?=\d*[^\W\d_])[^\W_]{2,}(?:'t)?", spread)
    return [stem(one) for one in found if one.lower() not in STOP]
