"""Scripts that put no spaces between words: found by words alone, as everything else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from field_support import SHOP, Room

from holdfast.brief import prompt_by_words
from holdfast.capture import home
from holdfast.field import intake, words

NOTES = {
    "lease-ja": "\u30ea\u30fc\u30b9\u306e\u671f\u9650\u306f\u5341\u5206\u3067\u5207\u308c\u308b\u306e\u3067\u3001"
    "\u30ef\u30fc\u30ab\u30fc\u306f\u4e94\u5206\u3054\u3068\u306b\u66f4\u65b0\u3059\u308b",
    "invoice-ja": "\u8acb\u6c42\u66f8\u306ePDF\u306f\u5909\u66f4\u3057\u3066\u306f\u3044\u3051\u306a\u3044\u3002"
    "\u8a02\u6b63\u306f\u65b0\u3057\u3044\u8acb\u6c42\u66f8\u3067\u884c\u3046",
    "queue-zh": "\u6d88\u606f\u961f\u5217\u5fc5\u987b\u4fdd\u6301\u987a\u5e8f\uff0c\u91cd\u8bd5\u65f6\u4e0d\u80fd"
    "\u63d2\u961f",
    "cache-zh": "\u7f13\u5b58API\u7684\u5bc6\u94a5\u6bcf\u4e5d\u5341\u5929\u8f6e\u6362\u4e00\u6b21",
    "tax-ko": "\uc138\uae08\uc740 \uc8fc\ubb38 \uc2dc\uc810\uc758 \uc138\uc728\ub85c \uacc4\uc0b0\ud55c\ub2e4",
    "backup-th": "\u0e2a\u0e33\u0e23\u0e2d\u0e07\u0e10\u0e32\u0e19\u0e02\u0e49\u0e2d\u0e21\u0e39\u0e25\u0e17\u0e38"
    "\u0e01\u0e04\u0e37\u0e19",
    "english": "Refunds are settled on the next working day",
}
ASKED = [
    ("\u30ea\u30fc\u30b9\u306e\u671f\u9650\u306f\u3044\u3064\u5207\u308c\u307e\u3059\u304b", "lease-ja"),
    ("\u8acb\u6c42\u66f8\u3092\u8a02\u6b63\u3057\u305f\u3044", "invoice-ja"),
    ("\u91cd\u8bd5\u7684\u6d88\u606f\u987a\u5e8f", "queue-zh"),
    ("\u7f13\u5b58\u5bc6\u94a5\u591a\u4e45\u8f6e\u6362\u4e00\u6b21", "cache-zh"),
    ("API", "cache-zh"),
    ("PDF", "invoice-ja"),
    ("\uc138\uc728\uc774 \ubb34\uc5c7\uc778\uac00", "tax-ko"),
    ("\u0e10\u0e32\u0e19\u0e02\u0e49\u0e2d\u0e21\u0e39\u0e25", "backup-th"),
]
OFF_TOPIC = [
    "\u30ed\u30b0\u30a4\u30f3\u753b\u9762\u306e\u8272\u3092\u5909\u3048\u3066",
    "\u4fee\u590d\u6d4b\u8bd5\u5e76\u63d0\u4ea4\u4ee3\u7801",
    "\u3053\u306e\u30c6\u30b9\u30c8\u3092\u76f4\u3057\u3066\u304f\u3060\u3055\u3044",
]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    made = Room(str(tmp_path_factory.mktemp("scripts") / "vault"), meaning=False)
    for name, body in NOTES.items():
        made.note(name, body)
    intake.take_in(made.field, thorough=True)
    yield made
    made.close()


def stem(path: str) -> str:
    return Path(path).stem


@pytest.mark.parametrize(("query", "wanted"), ASKED)
def test_a_note_in_a_script_without_spaces_is_found_by_its_words(room: Room, query: str, wanted: str) -> None:
    assert [stem(one.thought.path) for one in room.ask(query).results][:1] == [wanted]


@pytest.mark.parametrize(("text", "wanted"), ASKED[:4])
def test_the_first_prompt_recalls_it_too(room: Room, text: str, wanted: str) -> None:
    found = prompt_by_words.look(home.state(room.vault), SHOP, text, 10.0)
    assert [stem(one.path) for one in found] == [wanted]


@pytest.mark.parametrize("text", OFF_TOPIC)
def test_and_is_silent_where_nothing_bears(room: Room, text: str) -> None:
    assert prompt_by_words.look(home.state(room.vault), SHOP, text, 10.0) == []


def test_a_run_is_looked_up_by_every_two_signs_and_what_stands_beside_it_as_a_word() -> None:
    assert words.terms("\u7f13\u5b58\u5bc6API") == ("\u7f13\u5b58", "\u5b58\u5bc6", "api")
    assert words.terms("\u5bc6") == ("\u5bc6",)
    assert dict(prompt_by_words.terms("\u7f13\u5b58\u5bc6API")) == {
        "\u7f13\u5b58": False,
        "\u5b58\u5bc6": False,
        "api": False,
    }


@pytest.mark.slow
def test_the_hook_knows_the_same_signs() -> None:
    every = "".join(map(chr, range(0x10000)))
    same = {sign for sign in every if any(low <= ord(sign) <= high for low, high in prompt_by_words.SIGNS)}
    assert same == set("".join(words.RUN.findall(every)))
