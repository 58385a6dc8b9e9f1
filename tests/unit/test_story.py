"""What was asked and touched: kept in order, without secrets, whatever lies in its file."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.capture import codec, log, story
from holdfast.capture.story import Story

NOW = 1_790_000_000.0
KEY = "claude-code/s1/1"


def file_of(state: str) -> Path:
    (found,) = Path(state, "episodes", "story").iterdir()
    return found


def test_prompts_keep_their_order_and_files_that_of_their_first_touch(state: str) -> None:
    assert story.add(state, KEY, NOW, "  first  ")
    assert story.add(state, KEY, NOW, files=("/a", "/b"))
    assert story.add(state, KEY, NOW, "then", files=("/b", "/c", "/a"))
    assert story.read(state, KEY) == Story(("first", "then"), ("/a", "/b", "/c"))
    assert story.is_told(state, KEY)


def test_nothing_to_tell_leaves_nothing(state: str) -> None:
    assert not story.add(state, KEY, NOW, " \n ")
    assert not story.is_told(state, KEY)
    assert story.read(state, KEY) == Story()
    assert not Path(state).exists()


def test_each_episode_has_a_story_of_its_own_and_forgetting_one_keeps_the_other(state: str) -> None:
    for key in ("h/s/1", "h/s/11", "h/s/../1"):
        story.add(state, key, NOW, f"of {key}")
    story.forget(state, "h/s/1")
    story.forget(state, "h/s/1")
    assert not story.is_told(state, "h/s/1")
    assert story.read(state, "h/s/11").prompts == ("of h/s/11",)
    assert story.read(state, "h/s/../1").prompts == ("of h/s/../1",)


def test_a_secret_is_gone_before_it_reaches_the_disk(state: str, token: str) -> None:
    story.add(state, KEY, NOW, f"deploy with {token}", files=(f"/srv/{token}/x",))
    assert token.encode() not in file_of(state).read_bytes()
    assert story.read(state, KEY).prompts[0].startswith("deploy with ")


@pytest.mark.parametrize("before", [story.LONGEST - 50, story.LONGEST - 20, story.LONGEST - 1, story.LONGEST])
def test_a_secret_that_the_cut_goes_through_leaves_no_half(state: str, token: str, before: int) -> None:
    story.add(state, KEY, NOW, "x " * (before // 2) + token + " and more" * 2000)
    (kept,) = story.read(state, KEY).prompts
    assert len(kept) <= story.LONGEST
    assert token[:12] not in kept
    assert token[:12].encode() not in file_of(state).read_bytes()


def test_a_prompt_of_ten_megabytes_costs_a_hook_no_more_than_a_short_one(state: str) -> None:
    began = time.perf_counter()
    assert story.add(state, KEY, NOW, "token = value; " * 700_000)
    assert time.perf_counter() - began < 1.0
    assert len(story.read(state, KEY).prompts[0]) == story.LONGEST


def test_what_is_torn_or_odd_is_left_aside(state: str) -> None:
    story.add(state, KEY, NOW, "kept")
    path = str(file_of(state))
    for odd in (b"7", b'"text"', b'{"prompt":null,"files":3}', b'{"files":null}', b"no json", b"[]"):
        log.append(path, [odd], durable=False)
    with open(path, "ab") as file:
        file.write(log.frame(codec.encode({"prompt": "torn"}))[:-3])
    log.append(path, [codec.encode({"v": 9, "prompt": "newer", "mood": "good"})], durable=False)
    assert story.read(state, KEY) == Story(("kept", "newer"))


def test_a_place_that_takes_nothing_costs_the_line_and_nothing_else(state: str) -> None:
    Path(state, "episodes").mkdir(parents=True)
    Path(state, "episodes", "story").write_text("in the way")
    assert not story.add(state, KEY, NOW, "lost")
    assert story.read(state, KEY) == Story()
    assert not story.is_told(state, KEY)


def test_a_story_of_thousands_of_files_tells_the_first(state: str) -> None:
    story.add(state, KEY, NOW, files=tuple(f"/f{nth}" for nth in range(1000)))
    assert story.read(state, KEY).files == tuple(f"/f{nth}" for nth in range(story.MOST_FILES))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prompts=st.lists(st.text(max_size=60), max_size=6))
def test_any_text_comes_back(state: str, prompts: list[str]) -> None:
    story.forget(state, KEY)
    for one in prompts:
        story.add(state, KEY, NOW, one)
    expected = tuple(one.strip() for one in prompts if one.strip())
    read = story.read(state, KEY).prompts
    assert tuple(one.encode("utf-8", "replace") for one in read) == tuple(
        one.encode("utf-8", "replace") for one in expected
    )
