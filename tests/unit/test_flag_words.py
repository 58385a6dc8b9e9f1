"""The words of flag and snag: the hook and the command understand them alike, and call them by the same name."""

from __future__ import annotations

import pytest
from hook_support import Home, Terminal
from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture import flag_words
from holdfast.capture.flag_words import Words
from holdfast.errors import UsageError

ID = "0" * 26
ARGV = st.lists(
    st.sampled_from(["--kind", "rule", "--evidence", "a.py:1", "--for", ID, "--json", "--", "-k=rule", "-e", "text"])
    | st.sampled_from(
        ["two words", "--nothing", "-h", "--help", "-", "-5 %", "--better", "b", "", "--kind=snag", "-x"]
    ),
    max_size=6,
)


@given(argv=ARGV, command=st.sampled_from(["flag", "snag"]))
def test_whatever_is_typed_is_words_or_a_sentence_that_says_what_is_wrong(argv: list[str], command: str) -> None:
    refused = ""
    words = Words(())
    try:
        words = flag_words.read(command, argv)
    except UsageError as error:
        refused = str(error)
    assert (bool(words.texts) or words.nothing) == (not refused)
    assert not refused or "nothing was written" in refused
    assert refused or "--help" not in argv[: argv.index("--") if "--" in argv else None]


@pytest.mark.parametrize(
    "argv", [["--evidence", "-h", "text"], ["text", "--help"], ["--kind", "--help", "text"], ["-h"]], ids=" ".join
)
def test_a_call_for_help_is_no_flag_for_the_hook_as_it_is_none_for_the_command(
    fresh: Home, terminal: Terminal, argv: list[str]
) -> None:
    assert terminal.fast("flag", *argv).out.startswith("Usage: holdfast flag")
    assert fresh.texts() == []
    with pytest.raises(UsageError):
        flag_words.read("flag", argv)


def test_the_name_is_the_same_for_the_same_words_and_another_for_others() -> None:
    same = [["--kind", "rule", "a", "b"], ["a", "--kind=rule", "b"], ["--json", "-k", "rule", "a", "--", "b"]]
    assert len({flag_words.read("flag", argv).name for argv in same}) == 1
    others = [
        *(["a", "b"], ["b", "a"], ["a b"], ["a", "--evidence", "b"], ["a", "b", "--evidence", "b"], ["a", "b", "c"]),
        *(["--kind", "rule", "a", "b"], ["--for", ID, "a", "b"], ["a", "b", "--evidence", ""], ["a", "", "b"]),
        *(["a", "--evidence", "", "-e", "b"], ["a", "", "-e", "b"]),
    ]
    assert len({flag_words.read("flag", argv).name for argv in others}) == len(others)


def test_a_snag_is_one_text_of_two_halves() -> None:
    words = flag_words.read("snag", ["the test hung.", "--better", "set TZ", "-e", "a.py:1"])
    assert words == Words(("the test hung. Better: set TZ",), "snag", ("a.py:1",))
    for wrong in (["the test hung"], ["--better", "set TZ"], ["x", "--better", " "]):
        with pytest.raises(UsageError, match="nothing was written"):
            flag_words.read("snag", wrong)


def test_the_name_tells_nothing_of_the_words(token: str) -> None:
    name = flag_words.read("flag", [f"the key is {token}"]).name
    assert name.startswith(flag_words.SAID)
    assert set(name[len(flag_words.SAID) :]) <= set("0123456789abcdef")


@pytest.mark.parametrize("word", [None, "", "kept", "one\ntwo\nthree", "one\nkept", "\n"])
def test_a_word_of_the_hook_that_does_not_fit_is_none(word: str | None) -> None:
    assert Words(("a", "b")).heard(word) == ([], False)


def test_what_the_hook_leaves_is_read_back() -> None:
    words = Words(("a", "b"))
    for kept in (False, True):
        assert words.heard(words.word(["1", "2"], kept=kept)) == (["1", "2"], kept)
