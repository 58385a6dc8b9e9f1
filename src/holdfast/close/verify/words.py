"""The words that checking knows: units, months, endings of files, negations, opposites, and what stands by a person.

English first, with the German that developers mix in. A word that is missing here costs a check, never a wrong verdict:
what is not recognised is not judged.
"""

from __future__ import annotations

import re


def _words(text: str) -> list[str]:
    return text.split()


MONTHS = (
    *("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    *("jän", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"),
)
ENDINGS = frozenset(
    _words("""
    py pyi ipynb js jsx ts tsx mjs cjs mts vue svelte css scss less html htm md mdx rst txt toml yaml yml json
    jsonl json5 lock ini cfg conf env sh bash zsh fish ps1 bat go mod sum rs c h cc cpp hpp cs java kt kts swift
    m mm rb erb php pl lua ex exs erl hs ml scala clj sql proto graphql gql tf tfvars hcl xml svg png jpg jpeg
    gif ico pdf csv tsv parquet log gradle properties plist cmake mk nix dart r jl zig nim wasm patch diff tpl
    j2 tmpl db sqlite
    """)
)
NOT_FILES = frozenset(
    _words("""
    node.js next.js vue.js nuxt.js express.js three.js d3.js react.js nest.js deno.js chart.js socket.io e.g i.e
    p.m a.m asp.net z.b d.h u.a .net
    """)
)
UNITS = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds", "Millisekunden", "millisekunden"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "sekunden", "sekunde"), "s"),
    **dict.fromkeys(("us", "µs", "microseconds"), "us"),
    **dict.fromkeys(("ns", "nanoseconds"), "ns"),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "minuten"), "min"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "stunden", "stunde"), "h"),
    **dict.fromkeys(("d", "day", "days", "tage", "tagen", "tag"), "d"),
    **dict.fromkeys(("week", "weeks", "wochen", "woche"), "w"),
    **dict.fromkeys(("month", "months", "monate", "monat"), "mo"),
    **dict.fromkeys(("year", "years", "jahre", "jahr"), "y"),
    **dict.fromkeys(("%", "percent", "prozent", "pct"), "%"),
    **dict.fromkeys(("B", "byte", "bytes"), "B"),
    **dict.fromkeys(("KB", "kB", "KiB", "kb"), "KB"),
    **dict.fromkeys(("MB", "MiB", "mb"), "MB"),
    **dict.fromkeys(("GB", "GiB", "gb"), "GB"),
    **dict.fromkeys(("TB", "TiB"), "TB"),
    **dict.fromkeys(("$", "USD", "usd", "dollar", "dollars"), "$"),
    **dict.fromkeys(("€", "EUR", "eur", "euro", "euros"), "€"),
    **dict.fromkeys(("£", "GBP", "gbp", "pound", "pounds"), "£"),
    **dict.fromkeys(("¥", "JPY", "jpy"), "¥"),
    **dict.fromkeys(("px", "pixel", "pixels"), "px"),
    **dict.fromkeys(("x", "times", "mal"), "x"),
    **dict.fromkeys(("req/s", "rps", "requests/s", "rows/s", "ops/s", "qps"), "/s"),
}
MONEY = frozenset("$€£¥")
# Things of which a session's record shows how many there were.
COUNTED = {"file": "files", "files": "files", "dateien": "files", "commit": "commits", "commits": "commits"}
COUNTS = dict.fromkeys(("pass", "fail", "exampl", "spec", "test", "passing", "ok", "grün"), "test")
SMALL = {
    **{
        word: n
        for n, word in enumerate(
            _words("""
    zero one two three four five six seven eight nine ten eleven twelve
    """)
        )
    },
    **{
        word: n
        for n, word in enumerate(
            _words("""
    null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
    """)
        )
    },
}

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]+(?:-[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]+)?"
_NAME = rf"{_CAPITAL}(?:\s{_CAPITAL}){{0,2}}"
_ROLE = r"(?:\s(?:from|of|in|at|von|aus)\s(?:the\s)?[\w-]+(?:\steam)?|\s\([^)]{2,30}\))?"
_DOES = (
    "asked|asks|approved|approves|said|says|wants|wanted|confirmed|confirms|requested|requests|suggested|"
    "suggests|prefers|preferred|agreed|agrees|reviewed|reviews|signed|objected|decided|decides|owns|reported|"
    "reports|mentioned|told|insisted|needs|promised|offered|rejected|vetoed|pointed|noted|wrote|flagged|proposed|"
    "thinks|thought|believes|knows|expects|recommends|recommended|complained|warned|paid|called|explained|tested|"
    "verified|checked|watches|watched|saw|gave|gives|sent|found|helped|measured|lent|likes|worries|hopes|"
    "took over|takes over|handles|argued|accepted|granted|ordered|demanded|is waiting|is on call|is responsible|"
    "is in charge|has to (?:approve|confirm|review|decide|sign|check|look)|"
    "(?:will|should|must) (?:approve|confirm|review|decide|sign|check|look|test)|bat|sagte|will|möchte|hat|"
    "wünscht|meinte|bestätigte|prüft|prüfte"
)
_BESIDE = (
    "asked|ask|told|tell|by|with|from|per|cc|ping|pinged|thanks to|according to|agreed with|assigned to|approved by|"
    "waiting for|waiting on|blocked on|blocked by|handed to|talk to|check with|contact|mit|von|laut|bei|durch|an"
)
PERSON = re.compile(
    rf"(?<![\w@./-])({_NAME})(?={_ROLE}\s(?:{_DOES})\b)"
    rf"|\b(?i:{_BESIDE})\s({_NAME})(?!\w|[/.-]\w|[/_(])"
    rf"|(?<![\w@./-])({_NAME})(?='s\s)"
    rf"|(?<![\w@./-])({_CAPITAL}\s{_CAPITAL})(?!\w|[/-]\w|\.\w)"
    rf"|\(({_CAPITAL}\s{_CAPITAL})\)"
)
# Capitalised words that stand where a person stands and are none.
NO_PERSONS = frozenset(
    _words("""
    user users customer customers client operator team everyone everybody nobody someone somebody anyone it he
    she they we i you this that these those there here which what who when where why how one both all none each
    some many most other others another the a an my our your his her their its claude codex agent assistant
    model codebase ci api server tests test build code if because since until while after before once also but
    and or not no yes then now today tomorrow yesterday later next monday tuesday wednesday thursday friday
    saturday sunday january february march april june july august september october november december montag
    dienstag mittwoch donnerstag freitag samstag sonntag der die das ein eine er sie es wir ich man nutzer kunde
    everything nothing something anything product support sales legal finance security management design ops
    infra platform only still already done open blocked goal goals decision decisions python javascript
    typescript rust golang java ruby docker postgres redis sqlite linux windows macos github gitlab git npm node
    react kubernetes terraform
    """)
)

STOP = frozenset(
    _words("""
    a an the this that these those it its is are was were be been being am do does did done doing have has had
    having i we you he she they them us our your my his her their there here of in on at to for from by with
    without as and or but so if then than too also just only very more most much many some any all each both no
    not never always now new old via per into onto out up down over under again still yet will would shall
    should can could may might must let get got make makes made use uses used using one ones what which who when
    where why how because since while until after before during about between through turn turned instead rather
    keep keeps kept stay stays go goes went going want wants need needs decided decision decide agreed agree
    user said says please ok okay yes lets let's don't doesn't won't can't isn't aren't didn't der die das den
    dem des ein eine einen einem einer und oder aber nicht kein keine ist sind war wird werden wurde hat haben
    wir ich du sie er es mit von zu im am auf für aus bei nach vor über unter auch nur noch schon statt als wie
    dass weil
    """)
)
NEGATIONS = re.compile(
    r"\b(?:not|never|no longer|no|don't|dont|doesn't|won't|can't|cannot|isn't|aren't|shouldn't|mustn't|didn't|wasn't|"
    r"stays? out|kept out|left out|leaves? out|leaving out|is out|are out|exempt(?:ed)?|"
    r"neither|nor|nothing|none|avoid|stop|refrain|against|rule[sd]? out|nicht|nie|niemals|kein\w*|keinesfalls)\b",
    re.IGNORECASE,
)
# A word and its opposite: the same matter, seen from its two sides.
OPPOSITES = """
enable enables enabled enabling activate activated aktivieren aktiviert
| disable disables disabled disabling deactivate deactivated off deaktivieren deaktiviert
allow allows allowed permit permits permitted erlauben erlaubt
| forbid forbids forbidden deny denies denied disallow block blocks blocked prohibit prohibited ban banned verboten
keep keeps kept keeping retain retains retained preserve stay stays behalten bleibt bleiben
| drop drops dropped dropping remove removes removed removing delete deletes deleted discard discarded entfernen löschen
accept accepts accepted | reject rejects rejected refuse refuses refused
add adds added adding | omit omits omitted skip skips skipped
increase increases increased raise raises raised | decrease decreases decreased lower lowers lowered reduce reduced
synchronous synchronously sync | asynchronous asynchronously async
required mandatory require requires | optional optionally
public | private internal
strict strictly | lenient leniently loose
opt-in | opt-out
client client-side | server server-side
hard | soft
manual manually | automatic automatically auto
fail fails | continue continues
include includes included including | exclude excludes excluded excluding
merge merges merged | split splits
inclusive | exclusive
ascending | descending
open opened | close closed
eager eagerly | lazy lazily
local locally | remote remotely
""".replace("\n|", " |")
SIDES = {
    word: (number, sign)
    for number, sides in enumerate(OPPOSITES.strip().splitlines())
    for sign, side in zip((1, -1), sides.split("|"), strict=True)
    for word in side.split()
}


def _forms(text: str) -> dict[str, str]:
    """Each form of a word with the word itself, from lines of `word: form form`."""
    lines = (line.partition(":") for line in text.strip().splitlines())
    return {form: word.strip() for word, _, forms in lines for form in forms.split()}


# Forms that no rule about endings makes one, ways to speak of changing something, and the German that developers mix
# in, as far as decisions are made of it.
FORMS = _forms("""
    show: shown showed zeigen angezeigt anzeigen
    run: ran running läuft laufen lief
    keep: kept
    send: sent
    write: wrote written
    build: built
    freeze: frozen
    choose: chosen chose
    try: tried tries
    take: took taken
    begin: began
    find: found
    leave: left
    go: went gone
    hold: held
    sell: sold
    break: broken broke
    change: touch touched touching update updated updating modify modified edit edited adjust adjusted changed changing
    change: ändern geändert änderung
    delete: löschen gelöscht löscht
    mark: markieren markiert
    duplicate: dublette dubletten duplikate
    night: nachts nacht
    day: tagsüber
    customer: kunde kunden
    search: suche suchen
    rotate: rotieren rotiert
    log: protokoll protokolliert
    invoice: rechnung rechnungen
    check: prüfen geprüft
    shorten: kürzen gekürzt
    error: fehler
    file: datei dateien
    column: spalte spalten
    row: zeile zeilen
    database: datenbank
""")
_SUFFIX = re.compile(r"(?:ungen|ung|enden|ende|en|em|et|ation|ating|ated|ate|ingly|ing|edly|ied|ed|ly|er|e|y)$")
_PLURAL = ((re.compile(r"ies$"), "y"), (re.compile(r"(?<=[sxzh])es$"), ""), (re.compile(r"(?<![su])s$"), ""))


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


_GERMAN_WORDS = re.compile(
    r"\b(?:der|die|das|und|nicht|ist|sind|ein|eine|einen|mit|von|bei|wird|werden|für|auf|nur|bitte|zu)\b"
)


def counted(noun: str) -> str:
    """What a number counts; a run of tests speaks of them in several ways."""
    return COUNTS.get(stem(noun), stem(noun)) if noun else ""


def stems(text: str) -> list[str]:
    """The words that carry a sentence's meaning, in order. Parts of paths and identifiers count as words."""
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    found = re.findall(r"(?=\d*[^\W\d_])[^\W_]{2,}(?:'t)?", spread)
    return [stem(one) for one in found if one.lower() not in STOP]


# A sentence that says of its matter that it is not done.
UNFINISHED = re.compile(
    r"^(?:left|open|todo|missing|remaining|offen)\b"
    r"|\b(?:not (?:yet|been|done|started|built|implemented|applied|written|finished|merged|committed|touched|changed)|"
    r"(?:have|has|did|do|does)(?: not|n't)\b.*|still (?:to be|open|missing|fails?|failing|waits?|needs?)|"
    r"is missing|are missing|"
    r"(?:is|are) still (?:open|left)|yet to|will (?:do|come|be|follow)|next time|later|comes? next|failed|not part of|"
    r"fehlt noch|fehlen noch|noch nicht|noch offen|später|steht noch aus|left for|untouched|left alone|"
    r"stop here)\b",
    re.IGNORECASE,
)
UNFINISHED_STEMS = frozenset(
    stem(one)
    for one in _words("""
    not yet been started still open missing left later next time will come comes fehlt noch failed
    """)
)
# What is not said of something that happened.
NOT_SAID_AS_DONE = re.compile(
    r"\?|\b(?:should|shall|could|would|might|may|will|going to|want|wants|please|next|let's|suppose|suspect|if|i'd|"
    r"werde|sollte|könnte|bitte)\b",
    re.IGNORECASE,
)
# Before a path that a claim only refers to.
REFERRING = re.compile(
    r"\b(?:from|like|as in|unlike|used by|uses|using|with|of|against|than|calls|called by|imports?|via|through|out of|"
    r"tests? (?:of|for|in)|according to|described in|saved as|written to|into|von|aus|mit)$",
    re.IGNORECASE,
)
RUN_OR_READ = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|green|tests?|ran|run|runs|lint\w*|built|builds?|read|reviewed|checked|looked|profiled|"
    r"measured|examined|investigated|traced|verified|searched|compared|geprüft|gelesen|gemessen)\b",
    re.IGNORECASE,
)
PLAIN_DEEDS = frozenset(
    stem(one)
    for one in _words("""
    added changed fixed updated implemented wrote created made moved renamed removed set new now raised lowered
    introduced adjusted finished completed refactored cleaned improved done all works working started
    """)
)
