"""Our lines in settings that belong to somebody else: put in beside theirs, taken out without a trace."""

from __future__ import annotations

import json
import random
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st
from test_jsonc import Writer

from holdfast.hosts import json_hooks, jsonc
from holdfast.hosts.codex import config_toml as toml
from holdfast.hosts.registration import added

LINE = (
    "[ ! -x /home/ada/.local/share/holdfast/holdfast-hook ] || /home/ada/.local/share/holdfast/holdfast-hook host || :"
)
EVENTS = {"SessionStart": 0, "Stop": 0, "SessionEnd": 10}
RULES = ["Bash(holdfast flag:*)", "Bash(holdfast snag:*)"]
ALLOW = ("permissions", "allow")
FOREIGN = {"hooks": [{"type": "command", "command": "echo foreign"}]}
ROOT = "/home/ada/.holdfast/.state"


def with_ours(text: str) -> str:
    text = json_hooks.with_hooks(text, EVENTS, LINE, "settings.json")
    return json_hooks.with_items(text, ALLOW, RULES, "settings.json")


def without_ours(text: str, before: str | None) -> str:
    return json_hooks.without_items(json_hooks.without_hooks(text, before), ALLOW, lambda rule: rule in RULES, before)


def wanted(value: dict[str, Any]) -> dict[str, Any]:
    """What settings mean with our lines."""
    value = json.loads(json.dumps(value))
    hooks = value.setdefault("hooks", {})
    for event, timeout in EVENTS.items():
        hooks.setdefault(event, []).append(json_hooks.group(LINE, timeout))
    allow = value.setdefault("permissions", {}).setdefault("allow", [])
    allow += [rule for rule in RULES if rule not in allow]
    return value


def somebodys(seed: int) -> tuple[str, dict[str, Any]]:
    """Settings of any look, with or without hooks and permissions of their own."""
    dice, writer = random.Random(seed), Writer(seed)
    value: dict[str, Any] = writer.object(3)
    if dice.random() < 0.7:
        value["hooks"] = {event: [FOREIGN] * dice.randrange(3) for event in ("Stop", "Other") if dice.random() < 0.7}
    if dice.random() < 0.7:
        value["permissions"] = {"deny": ["Bash(rm:*)"]} if dice.random() < 0.5 else {}
        if dice.random() < 0.7:
            value["permissions"]["allow"] = dice.sample(["Bash(ls:*)", RULES[0]], dice.randrange(3))
    pairs = list(value.items())
    dice.shuffle(pairs)
    text = writer.text(dict(pairs)).replace("\n", dice.choice(["\n", "\r\n"]))
    return dice.choice(["", jsonc.MARK]) + writer.blank() + text + writer.blank(), value


@pytest.mark.slow
@budget(max_examples=120, deadline=None)
@given(st.integers(0, 1 << 32))
def test_whatever_settings_look_like_ours_come_and_go(seed: int) -> None:
    text, value = somebodys(seed)
    more = with_ours(text)
    assert jsonc.parse(more).value == wanted(value)
    assert with_ours(more) == more, "a second time adds nothing"
    assert without_ours(more, text) == text


@pytest.mark.slow
@budget(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_after_another_tool_wrote_the_file_anew_ours_still_go(seed: int) -> None:
    text, value = somebodys(seed)
    anew = json.dumps({**jsonc.parse(with_ours(text)).value, "new": 1}, indent=4)
    assert json.loads(without_ours(anew, text)) == {**value, "new": 1}


@pytest.mark.slow
@budget(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_without_a_record_of_what_was_there_no_line_of_ours_stays(seed: int) -> None:
    text, _ = somebodys(seed)
    left = without_ours(with_ours(text), None)
    assert json_hooks.listed(left) == []
    assert not set(RULES) & set(json_hooks.items(left, ALLOW))


def test_hooks_of_others_stay_first() -> None:
    text = json.dumps({"hooks": {"Stop": [FOREIGN]}}, indent=2)
    groups = jsonc.parse(with_ours(text)).value["hooks"]["Stop"]
    assert groups == [FOREIGN, json_hooks.group(LINE, 0)]


def test_each_event_gets_one_line() -> None:
    text = with_ours("{}\n")
    assert [line.count(LINE) for line in text.splitlines() if LINE in line] == [1, 1, 1]
    assert json.loads(text) == wanted({})


def test_a_rule_that_the_user_had_is_neither_added_twice_nor_taken() -> None:
    before = json.dumps({"permissions": {"allow": [RULES[0]]}}, indent=2)
    after = with_ours(before)
    assert jsonc.parse(after).value["permissions"]["allow"] == RULES
    assert without_ours(after, before) == before


def test_a_line_that_names_another_launcher_of_ours_becomes_this_one() -> None:
    old = "[ ! -x /elsewhere/holdfast/holdfast-hook ] || /elsewhere/holdfast/holdfast-hook host || :"
    text = json_hooks.with_hooks("{}\n", EVENTS, old, "x")
    assert json_hooks.with_hooks(text, EVENTS, LINE, "x") == json_hooks.with_hooks("{}\n", EVENTS, LINE, "x")


def test_ours_in_a_group_with_others_goes_alone() -> None:
    handlers = [*FOREIGN["hooks"], {"type": "command", "command": LINE}]
    text = json.dumps({"hooks": {"Stop": [{"matcher": "", "hooks": handlers}]}}, indent=1)
    assert json.loads(json_hooks.without_hooks(text, text)) == {"hooks": {"Stop": [{"matcher": "", **FOREIGN}]}}


def test_a_plugins_script_is_not_the_launcher() -> None:
    assert json_hooks.is_ours(LINE)
    for command in (
        "/plugins/holdfast/hooks/holdfast-hook.sh",
        "echo holdfast-hook",
        "/x/holdfast/holdfast-hooks",
        None,
    ):
        assert not json_hooks.is_ours(command)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"hooks": []}', 'line 1, column 11: "hooks" is no object'),
        ('{"hooks": {"Stop": {}}}', 'column 20: "Stop" is no array'),
        ('{"permissions": {"allow": "all"}}', 'column 27: "allow" is no array'),
        ('{"permissions": 1}', 'column 17: "permissions" is no object'),
    ],
)
def test_settings_of_another_shape_are_told_with_their_place(text: str, what: str) -> None:
    with pytest.raises(jsonc.Broken) as told:
        with_ours(text)
    assert str(told.value).startswith("settings.json, line 1")
    assert what in str(told.value)


@pytest.mark.parametrize(
    "text", ['{"hooks": {"Stop": [1, {"hooks": 2}, {"hooks": [3, {"command": 4}]}]}}', '{"hooks": 5}']
)
def test_handlers_of_another_shape_are_nobodys(text: str) -> None:
    assert json_hooks.listed(text) == []
    assert json_hooks.without_hooks(text, None) == text


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"[]", "line 1, column 1: the document is no object"),
        (b'{\n "a": \xff}', "line 2, column 7: these bytes are no UTF-8 text"),
        ('{"a": 1}'.encode("utf-16"), "line 1, column 1: these bytes are no UTF-8 text"),
        (b'{"a"', "line 1, column 5: a colon is expected"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_its_path(data: bytes, what: str) -> None:
    with pytest.raises(jsonc.Broken) as told:
        json_hooks.text_of(data, "/x/settings.json")
    assert str(told.value).startswith(f"/x/settings.json, {what}")


@pytest.mark.parametrize("data", [None, b"", b"\n", b" \r\n\t", b"\xef\xbb\xbf"])
def test_a_file_that_is_missing_or_empty_counts_as_an_object(data: bytes | None) -> None:
    assert jsonc.parse(json_hooks.text_of(data, "x")).value == {}


# --- the lines that are shown


def test_every_new_line_is_shown_as_it_will_stand() -> None:
    assert added(b"a\nb\nc\n", b"a\n  new\nb\nC\n") == ("  new", "C")
    assert added(None, b"one\ntwo\n") == ("one", "two")
    assert added(b"same\n", b"same\n") == ()


# --- the sandbox's roots


TOMLS = [
    "",
    'model = "x"\n',
    'model = "x"',
    '# mine\r\nmodel = "x" # why\r\n',
    "[sandbox_workspace_write]\n",
    "[sandbox_workspace_write]",
    "[ sandbox_workspace_write ] # mine\nnetwork_access = true\n\n[other]\na = 1\n",
    "[sandbox_workspace_write]\nwritable_roots = []\n",
    '[sandbox_workspace_write]\r\nwritable_roots = ["/a"]\r\n[b]\r\n',
    "[sandbox_workspace_write]\nwritable_roots = [\n  '/a', # the first ]\n  \"/b]\",\n]\nnetwork_access = true\n",
    'sandbox_workspace_write.writable_roots = ["/a"]\nmodel = "x"\n',
    '[other]\nwritable_roots = ["/no"]\n',
    '\ufeffmodel = "x"\n',
]


@pytest.mark.parametrize("text", TOMLS, ids=repr)
def test_a_root_comes_and_goes(text: str) -> None:
    before = text.encode()
    after = toml.with_root(before, ROOT, "config.toml")
    assert after
    meant = tomllib.loads(text.lstrip("\ufeff").replace("\r\n", "\n"))
    meant.setdefault("sandbox_workspace_write", {}).setdefault("writable_roots", []).append(ROOT)
    assert toml.parse(after, "") == meant
    assert toml.with_root(after, ROOT, "config.toml") == after
    assert toml.without_root(after, ROOT, before) == before


def test_every_line_that_was_there_is_still_there() -> None:
    for text in TOMLS:
        after = (toml.with_root(text.encode(), ROOT, "") or b"").decode()
        left = iter(after)
        assert all(letter in left for letter in text), "the old text is a subsequence of the new"


@pytest.mark.parametrize(
    "text", ["sandbox_workspace_write = { network_access = true }\n", "sandbox_workspace_write = 1\n"]
)
def test_a_form_that_cannot_be_added_to_is_left_alone(text: str) -> None:
    assert toml.with_root(text.encode(), ROOT, "") is None


def test_a_root_that_the_user_had_is_not_taken() -> None:
    before = f'[sandbox_workspace_write]\nwritable_roots = ["{ROOT}"]\n'.encode()
    assert toml.with_root(before, ROOT, "") == before
    assert toml.without_root(before, ROOT, before) == before


def test_a_root_goes_though_others_were_added_after_it() -> None:
    text = f'[sandbox_workspace_write]\nwritable_roots = ["{ROOT}", "/new"]\n'
    assert toml.roots(toml.without_root(text.encode(), ROOT, b"")) == ["/new"]


def test_toml_that_is_broken_is_told_with_its_place() -> None:
    with pytest.raises(jsonc.Broken, match=r"config\.toml, line 2, column \d+: this is no TOML"):
        toml.with_root(b"a = 1\nb = \n", ROOT, "config.toml")
    with pytest.raises(jsonc.Broken, match=r"config\.toml, line 1, column 5: these bytes"):
        toml.with_root(b"a = \xff", ROOT, "config.toml")


def test_the_files_own_line_ends_are_kept() -> None:
    assert jsonc.line_end("a\r\nb\n") == "\r\n"
    assert jsonc.line_end("ab") == "\n"
