"""Taking flags: all or none, durable in the queue, told in the ledger, and no secret in any byte on the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flag_support import take

from holdfast.capture import codec, episodes, flags, home, ledger, log, queue, segments
from holdfast.errors import NotSaved, UsageError
from holdfast.model import Project, replace

NOW = 1_800_000_000.0
SPEAKER = flags.Speaker("generic", "generic/s/1", Project("app-1", "app", "path:x", "/app"), "agent")


def waiting(vault: str) -> list[str]:
    return [entry.flag.text for entry in queue.read(f"{vault}/.state/queue", NOW).entries]


def told(vault: str) -> list[dict[str, object]]:
    return list(ledger.read(f"{vault}/.state", ledger.Wanted()))


def test_flags_are_stamped_with_their_speaker_saved_in_order_and_told_in_the_ledger(vault: str) -> None:
    taken = take(vault, ["one", "two"], SPEAKER, NOW, kind="lesson", evidence=["a.py:1"])
    view = queue.read(f"{vault}/.state/queue", NOW)
    assert tuple(entry.flag for entry in view.entries) == taken.flags
    one, two = taken.flags
    assert (one.text, two.text) == ("one", "two")
    assert one.id < two.id
    assert (one.host, one.episode, one.project, one.kind) == ("generic", "generic/s/1", "app-1", "lesson")
    assert (one.evidence, one.origin, one.time) == (("a.py:1",), "agent", NOW)
    records = told(vault)
    assert [(record["kind"], record["id"], record["flag"]) for record in records] == [
        ("flag", one.id, "lesson"),
        ("flag", two.id, "lesson"),
    ]
    assert {record["episode"] for record in records} == {"generic/s/1"}
    assert all(isinstance(record["us"], int) and 0 < record["us"] < 60_000_000 for record in records)


def test_all_texts_are_one_write_to_one_segment(vault: str) -> None:
    take(vault, [f"flag {n}" for n in range(20)], SPEAKER, NOW)
    (path,) = segments.live(f"{vault}/.state/queue")
    assert [codec.decode(payload)["text"] for payload in log.records(log.scan_file(path))] == [
        f"flag {n}" for n in range(20)
    ]


@pytest.mark.parametrize("bad", ["", "x" * 5000])
def test_all_are_saved_or_none(vault: str, bad: str) -> None:
    with pytest.raises(UsageError):
        take(vault, ["good", bad], SPEAKER, NOW)
    assert not os.path.exists(vault), "nothing was written"


def test_a_change_is_told_once_however_many_texts_it_befell(vault: str) -> None:
    taken = take(vault, ["a\nb", "c\nd"], SPEAKER, NOW)
    assert taken.changes == ("line breaks became spaces",)


def test_no_byte_of_a_secret_reaches_the_disk(vault: str, token: str) -> None:
    take(vault, [f"export GITHUB_TOKEN={token}"], SPEAKER, NOW, evidence=[f"curl -u me:{token} api"])
    assert "[redacted:" in waiting(vault)[0]
    files = [path for path in Path(vault).rglob("*") if path.is_file()]
    assert len(files) >= 3, "the format, the queue and the ledger"
    assert not [path for path in files if token[:12].encode() in path.read_bytes() or token[:12] in path.name]


def test_where_the_flags_of_an_episode_lie_is_noted(vault: str) -> None:
    state = home.state(vault)
    take(vault, ["one"], SPEAKER, NOW)
    (path,) = segments.live(f"{state}/queue")
    assert episodes.noted_segments(state, "generic/s/1") == [Path(path).name]
    take(vault, ["two"], replace(SPEAKER, episode=""), NOW)
    assert len(os.listdir(f"{state}/episodes/segments")) == 1, "a flag of no episode is not noted"


def test_a_note_that_cannot_be_written_does_not_cost_the_flag(vault: str) -> None:
    home.make_vault(vault)
    Path(vault, ".state", "episodes").write_text("in the way")
    assert take(vault, ["one"], SPEAKER, NOW).changes == ()
    assert waiting(vault) == ["one"]


def test_the_first_flag_makes_the_vault(vault: str) -> None:
    assert take(vault, ["one"], SPEAKER, NOW).changes == ()
    assert Path(vault, "format").read_text() == f"{home.FORMAT}\n"


def test_a_vault_of_a_newer_format_keeps_the_flag_and_says_so(vault: str) -> None:
    home.make_vault(vault)
    Path(vault, "format").write_text("7\n")
    taken = take(vault, ["one"], SPEAKER, NOW)
    assert taken.changes == ("this vault has the newer format 7: upgrade holdfast on this machine",)
    assert waiting(vault) == ["one"]
    assert Path(vault, "format").read_text() == "7\n"


def test_a_ledger_that_cannot_be_written_does_not_cost_the_flag(vault: str) -> None:
    home.make_vault(vault)
    Path(vault, ".state", "ledger").write_text("in the way")
    taken = take(vault, ["one", "two"], SPEAKER, NOW)
    assert taken.changes == ("the ledger could not be written; the flag itself is safe",)
    assert waiting(vault) == ["one", "two"]


def test_a_queue_that_cannot_be_written_is_not_saved(vault: str) -> None:
    home.make_vault(vault)
    Path(vault, ".state", "queue").rmdir()
    Path(vault, ".state", "queue").write_text("in the way")
    with pytest.raises(NotSaved, match="NOT saved"):
        take(vault, ["one"], SPEAKER, NOW)
    assert told(vault) == [], "the ledger tells of no flag that is not there"


def test_a_vault_that_cannot_be_made_is_not_saved_and_the_sentence_names_the_way_out(place: Path) -> None:
    (place / "file").write_text("in the way")
    for vault in (place / "file", place / "file" / "vault"):
        with pytest.raises(NotSaved, match="Set HOLDFAST_HOME to a folder that can be written"):
            take(str(vault), ["one"], SPEAKER, NOW)


def test_a_format_file_that_cannot_be_read_does_not_cost_the_flag(vault: str) -> None:
    os.makedirs(f"{vault}/format")
    take(vault, ["one"], SPEAKER, NOW)
    assert waiting(vault) == ["one"]


def test_a_flag_is_a_sign_of_life_of_its_session(vault: str) -> None:
    state = home.state(vault)
    home.make_vault(vault)
    episode = episodes.open_episode(state, episodes.Episode("generic", "s", 1, "app-1", "/app", NOW))
    take(vault, ["one"], SPEAKER, NOW + 600)
    assert episodes.last_moment(state, episode) == NOW + 600
    take(vault, ["of no session"], replace(SPEAKER, episode=""), NOW + 700)
    assert episodes.last_moment(state, episode) == NOW + 600
