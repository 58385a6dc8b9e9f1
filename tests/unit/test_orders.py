"""User requests: orders are heard in seven languages, ordinary prompts are not, and outside text never gives one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.text import order_phrases, orders
from holdfast.text.orders import Request, find

LABELLED = Path(__file__).parents[1] / "requests"
SOURCE = Path(orders.__file__).parents[2]
LANGUAGES = ("de", "en", "es", "fr", "ja", "pt", "zh")
# What the tables hear of prompts that were labelled with far larger patterns; docs/adr/0040 says what they miss.
HEARD = {"de": 0.65, "en": 0.75, "es": 0.63, "fr": 0.65, "ja": 0.66, "pt": 0.66, "zh": 0.79}


def rows(language: str, part: str) -> list[tuple[str, str]]:
    lines = (LABELLED / f"{language}_{part}.tsv").read_text(encoding="utf-8").splitlines()
    return [(kind, prompt.replace("\\n", "\n")) for kind, _, prompt in (line.partition("\t") for line in lines)]


def outside() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LABELLED / "outside.jsonl").read_text(encoding="utf-8").splitlines()]


def kinds(prompt: str) -> set[str]:
    return {request.kind for request in find(prompt)}


def measured(language: str, part: str) -> tuple[float, float]:
    """Precision and recall."""
    hits = alarms = misses = 0
    for label, prompt in rows(language, part):
        wanted, heard = {label} - {"none"}, kinds(prompt)
        hits += len(wanted & heard)
        alarms += len(heard - wanted)
        misses += len(wanted - heard)
    return hits / (hits + alarms), hits / (hits + misses)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_forms_of_the_table_are_heard_and_nothing_else_is(language: str) -> None:
    precision, recall = measured(language, "tune")
    assert precision == 1, f"precision {precision:.3f}"
    assert recall >= HEARD[language], f"recall {recall:.3f}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_prompts_written_later_are_heard(language: str) -> None:
    precision, recall = measured(language, "held")
    assert precision >= 0.95, f"precision {precision:.3f}"
    assert recall >= 0.7, f"recall {recall:.3f}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_somebody_else_wrote_is_heard_without_false_alarms(language: str) -> None:
    precision, recall = measured(language, "fresh")
    assert precision >= 0.9, f"precision {precision:.3f}"
    assert recall >= 0.5, f"recall {recall:.3f}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_labelled_set_is_large_enough_to_mean_something(language: str) -> None:
    labels = [label for part in ("tune", "held") for label, _ in rows(language, part)]
    assert len([label for label in labels if label != "none"]) >= 60
    assert labels.count("none") >= 60


@pytest.mark.parametrize("row", outside(), ids=lambda row: row["why"])
def test_outside_text_asks_for_nothing(row: dict[str, Any]) -> None:
    assert [request.text for request in find(row["prompt"])] == row["requests"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_accents_capitals_and_composition_make_no_difference(language: str) -> None:
    for label, prompt in rows(language, "held"):
        wanted = {label} - {"none"}
        if kinds(prompt) != wanted or language in ("ja", "zh"):
            continue
        bare = "".join(sign for sign in unicodedata.normalize("NFD", prompt) if not unicodedata.combining(sign))
        if "ß" not in prompt:
            assert kinds(prompt.upper()) == wanted, prompt.upper()
        assert kinds(bare) == wanted, bare
        assert kinds(unicodedata.normalize("NFD", prompt)) == wanted, prompt


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("fix it. Remember that X is slow! Then push.", "Remember that X is slow!"),
        ("remember these:\n- a\n- b\n\nNow fix the test.", "remember these:\n- a\n- b"),
        ("remember these:\n\n1. a\n2. b\n   more of b\nthanks", "remember these:\n\n1. a\n2. b\n   more of b"),
        (
            "remember this:\nthe DB is on 5433\nand the port changes\n\nfix it",
            "remember this:\nthe DB is on 5433\nand the port changes",
        ),
        ("The DB moved to 5433. Remember that.", "The DB moved to 5433. Remember that."),
        ("Remember this. The DB moved to 5433.", "Remember this. The DB moved to 5433."),
        ("鍵は毎週変わります。覚えておいてください。直して。", "鍵は毎週変わります。覚えておいてください。"),
        ("好的。记住\uff1a周五不部署\uff01然后修测试。", "记住\uff1a周五不部署\uff01"),
        ("1. fix it\n2. from now on use tabs\n3. push", "2. from now on use tabs"),
        ("please remember the following\n- a\n- b\n\nfix it", "please remember the following\n- a\n- b"),
        ("今後の共通ルールです。\n- 消さない\n- 出さない\n直して", "今後の共通ルールです。\n- 消さない\n- 出さない"),
        ("never push to main.\n- fix the tests\n- run lint", "never push to main."),
        (
            "The rota flips on Mondays. Please make a note of it.",
            "The rota flips on Mondays. Please make a note of it.",
        ),
        (
            "remember: e.g. v1.2.3 of foo.py is broken, i.e. unusable",
            "remember: e.g. v1.2.3 of foo.py is broken, i.e. unusable",
        ),
        (
            "please remember that the staging database of the second team\nis on port 5433 and not on 5432",
            "please remember that the staging database of the second team\nis on port 5433 and not on 5432",
        ),
    ],
)
def test_a_request_is_the_whole_sentence_verbatim(prompt: str, text: str) -> None:
    assert [request.text for request in find(prompt)] == [text]


def test_each_sentence_gives_its_own_request() -> None:
    prompt = "Remember that X is Y. Never push to main.\nforget what I said about tabs"
    assert find(prompt) == (
        Request("remember", "Remember that X is Y."),
        Request("standing", "Never push to main."),
        Request("forget", "forget what I said about tabs"),
    )


def test_an_order_to_remember_a_standing_order_is_one_to_remember() -> None:
    assert find("remember: never push on Friday") == (Request("remember", "remember: never push on Friday"),)


@pytest.mark.slow
def test_the_sieve_holds_back_nothing_that_a_phrase_would_find(monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = [prompt for language in LANGUAGES for part in ("tune", "held") for _, prompt in rows(language, part)]
    before = [kinds(prompt) for prompt in prompts]
    everything = {language: [""] for language in LANGUAGES if language not in ("ja", "zh")}
    monkeypatch.setattr(orders, "_stems", {**orders._stems, **everything})
    lost = [prompt for prompt, heard in zip(prompts, before, strict=True) if not heard and kinds(prompt)]
    assert lost == []


@pytest.mark.slow
def test_a_guard_holds_back_nothing_that_its_phrase_would_find(monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = [prompt for language in LANGUAGES for part in ("tune", "held") for _, prompt in rows(language, part)][::2]
    before = [kinds(prompt) for prompt in prompts]
    for language in LANGUAGES:
        table = order_phrases.table_of(language)
        unguarded = {
            name: [order_phrases.Phrase(one.parts, ("",)) for one in found] for name, found in table.phrases.items()
        }
        monkeypatch.setitem(order_phrases._tables, language, order_phrases.Table(unguarded, table.lists, table.spaced))
    assert [prompt for prompt, heard in zip(prompts, before, strict=True) if not heard and kinds(prompt)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_of_a_table_is_let_through_by_a_stem(language: str) -> None:
    find("remember it")
    table = order_phrases.table_of(language)
    assert {"not", "remember", "remember?", "standing", "standing?", "forget", "forget?"} <= set(table.phrases)
    assert {"before", "bare", "tag", "now"} <= set(table.lists)
    stems = [order_phrases._umlauts(language, stem) for stem in orders._stems[language]]
    for name, found in table.phrases.items():
        for phrase in found if not name.startswith("not") else ():
            needed = [order_phrases.words_of(table, options) for sort, options in phrase.parts if sort == "("]
            let_through = [all(any(stem in f" {word} " for stem in stems) for word in words) for words in needed]
            assert any(let_through), f"{language}, {name}: no stem stands in {phrase.parts}"


@pytest.mark.parametrize(
    "prompt",
    [
        "why is the build of the second worker red? run the tests and fix it",
        "behebe den Fehler im Warenkorb und starte die Tests",
        "corrige le bug du panier et lance les tests",
        "arregla el test de login que falla en CI y sube los cambios",
        "corrige o bug do carrinho e roda os testes",
        "修复购物车的 bug 并运行测试",
        "カートのバグを直してテストを実行して",
    ],
)
def test_an_ordinary_prompt_imports_no_patterns(prompt: str) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); from holdfast.text import orders\n"
        f"assert orders.find({prompt!r}) == ()\n"
        "print('re' in sys.modules, 'unicodedata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


WALLS = (
    *(
        "remember ",
        "always ",
        "never use ",
        "please ",
        "and ",
        "还要",
        "请你",
        "记住",
        "今後は",
        "必ず",
        "nunca ",
        "toujours ",
    ),
    *(
        "immer ",
        "a, ",
        "in the future ",
        "ab jetzt ",
        "vergiss ",
        "<",
        '"',
        "`",
        "when you a, ",
        "never, ",
        "no usa ",
        ". ",
    ),
)


@pytest.mark.parametrize("piece", WALLS)
def test_a_wall_of_text_is_read_in_no_time(piece: str) -> None:
    find(piece)
    began = time.process_time()
    find(piece * (30_000 // len(piece)))
    assert time.process_time() - began < 3.0


words = st.sampled_from(
    [
        "remember",
        "always",
        "never",
        "from now on",
        "forget",
        "what I said",
        ":",
        ".",
        "\n",
        "- ",
        "?",
        "!",
        ",",
        " ",
        "`",
    ]
    + [
        "merk dir",
        "nie wieder",
        "désormais",
        "nunca",
        "记住",
        "覚えておいて",
        "。",
        "use",
        "push",
        '"',
        "<a>",
        "</a>",
        "```",
        "\0",
    ]
)


@settings(deadline=None, max_examples=200)
@given(st.lists(words | st.text(max_size=4), max_size=30).map(" ".join))
def test_a_request_is_always_a_piece_of_the_prompt(prompt: str) -> None:
    for request in find(prompt):
        assert request.kind in ("remember", "standing", "forget")
        assert request.text
        assert request.text in prompt
