"""One table of this machine's settings, edited in place: every comment and every other table stays."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st

from holdfast import settings
from holdfast.capture import config
from holdfast.errors import HoldfastError

NAMES = ("name", "model", "url")
MINE = """# my machine
[judge]
name = "codex"  # the fast one

[embed]  # how meaning is found
# not the large one
name = "openai"
model = "large"   # 3,072 numbers
url = "http://127.0.0.1:11434"

[serve]
health_age = 60
"""
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=30)


def test_a_table_is_changed_in_place_and_every_comment_stays() -> None:
    made = settings.edited(MINE, "embed", {"name": "wordllama"}, NAMES)
    assert tomllib.loads(made) == {
        "judge": {"name": "codex"},
        "embed": {"name": "wordllama"},
        "serve": {"health_age": 60},
    }
    for comment in (
        "# my machine",
        "# the fast one",
        "# how meaning is found",
        "# not the large one",
        "# 3,072 numbers",
    ):
        assert comment in made


def test_a_switch_goes_and_the_words_behind_it_stay() -> None:
    assert settings.edited("[sleep]\ntimer = false # not on this laptop\nleast = 5\n", "sleep", {}, ("timer",)) == (
        "[sleep]\n# not on this laptop\nleast = 5\n"
    )


def test_what_is_already_so_is_not_touched() -> None:
    fields = {"name": "openai", "model": "large", "url": "http://127.0.0.1:11434"}
    assert settings.edited(MINE, "embed", fields, NAMES) == MINE


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(NAMES), TEXTS), st.dictionaries(st.sampled_from(NAMES), TEXTS))
@runs(max_examples=60, deadline=None)
def test_whatever_was_there_the_new_fields_are_what_is_read(before: dict[str, str], after: dict[str, str]) -> None:
    first = settings.edited("# mine\n", "embed", before, NAMES)
    second = settings.edited(first, "embed", after, NAMES)
    assert tomllib.loads(second)["embed"] == after
    assert second.startswith("# mine\n")


@pytest.mark.parametrize("text", ["embed = 3\n", "[embed\n", "[[embed]]\nname = 'x'\n"])
def test_a_file_that_cannot_be_edited_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = Path(config.path_of(str(tmp_path)))
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HoldfastError, match="nothing was changed"):
        settings.write(str(tmp_path), "embed", {"name": "none"}, NAMES)
    assert path.read_text(encoding="utf-8") == text


def test_the_first_choice_makes_the_file(tmp_path: Path) -> None:
    path = settings.write(f"{tmp_path}/state", "embed", {"name": "none"}, NAMES)
    assert Path(path).read_text(encoding="utf-8") == '[embed]\nname = "none"\n'
