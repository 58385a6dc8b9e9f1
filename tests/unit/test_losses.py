"""What was acknowledged is there, or doctor, audit and the next starts say what is missing until somebody looked."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hook_support import Home

from holdfast.capture import background, ledger, losses, notices, purging, queue
from holdfast.capture.purging import Scrubber
from holdfast.health import capture
from holdfast.health.finding import Place
from holdfast.memory import Memory

DAY = 86400.0


def account(fresh: Home, now: float = 0.0) -> losses.Losses:
    return losses.account(str(fresh.vault), now or time.time())


def live(fresh: Home) -> list[Path]:
    return sorted((fresh.vault / ".state/queue/live").glob("*.log"))


def rolled(fresh: Home) -> None:
    """The next flag goes to a new segment."""
    (fresh.vault / ".state/queue/current").unlink(missing_ok=True)


# --- nothing is missing


def test_flags_that_wait_or_are_filed_or_archived_are_all_there(fresh: Home) -> None:
    fresh.flag("one")
    assert fresh.file_everything() == 1
    rolled(fresh)
    background.run(str(fresh.vault), time.time())
    assert list((fresh.vault / ".state/queue/archive").glob("*.log"))
    fresh.flag("two")
    found = account(fresh)
    assert (found.is_whole, found.known) == (True, 2)


def test_a_purged_flag_is_not_missed_although_its_segment_went(fresh: Home) -> None:
    flag = fresh.flag("one that must go")
    background.run(str(fresh.vault), time.time())
    scrubber = Scrubber(["one that must go"], [flag.id])
    assert purging.clean_queue(f"{fresh.state}/queue", scrubber, time.time()) == 1
    purging.clean_state(fresh.state, scrubber, ())
    ledger.append(fresh.state, "vault", time.time(), cause="purge", records=1, left=0)
    assert live(fresh) == []
    assert account(fresh).is_whole


def test_days_that_were_folded_into_counts_are_not_missed(fresh: Home) -> None:
    fresh.flag("one")
    later = time.time() + 100 * DAY
    background.run(str(fresh.vault), later)
    assert ledger.counts(fresh.state)
    assert account(fresh, later).is_whole
    background.run(str(fresh.vault), later + DAY)
    assert account(fresh, later + DAY).is_whole


@pytest.mark.slow
def test_a_filed_flag_whose_archive_is_gone_is_found_in_its_note(fresh: Home) -> None:
    fresh.flag("the port is 8443")
    assert fresh.cli("close").status == 0
    for path in (fresh.vault / ".state/queue").rglob("*.log"):
        path.unlink()
    found = account(fresh)
    assert found.flags == ()
    assert found.segments  # that a file went is said all the same


def test_a_ledger_of_an_older_version_names_no_segment_and_its_flags_are_found_by_id(fresh: Home) -> None:
    flag = fresh.flag("one")
    day = next((fresh.vault / ".state/ledger").glob("*.log"))
    day.unlink()
    ledger.append(fresh.state, "flag", time.time(), id=flag.id, flag="fact", episode="", project="")
    assert account(fresh).is_whole


# --- something is missing


def test_a_segment_that_is_gone_is_named_with_its_flags(fresh: Home) -> None:
    lost = fresh.flag("one")
    (path,) = live(fresh)
    rolled(fresh)
    fresh.flag("two")
    path.unlink()
    found = account(fresh)
    assert found.flags == (lost.id,)
    assert found.segments == (path.name,)
    (said,) = capture.check_acknowledged(Place(str(fresh.vault), str(fresh.project), fresh.env))
    assert not said.ok
    assert lost.id in said.detail
    assert "set-aside" in said.fix


def test_a_record_that_was_cut_out_of_its_segment_is_missed(fresh: Home) -> None:
    fresh.flag("one")
    (path,) = live(fresh)
    before = path.read_bytes()
    lost = fresh.flag("two")
    path.write_bytes(before)
    assert account(fresh).flags == (lost.id,)


def test_a_day_of_the_ledger_that_is_gone_is_named(fresh: Home) -> None:
    fresh.flag("one")
    (day,) = (fresh.vault / ".state/ledger").glob("2*.log")
    day.unlink()
    assert account(fresh).days == (day.stem,)


def test_a_quiet_day_of_the_ledger_is_missed_once_upkeep_has_seen_it(fresh: Home) -> None:
    now = time.time()
    ledger.append(fresh.state, "hook", now - 3 * DAY, event="x")
    quiet = Path(ledger.day_path(fresh.state, now - 3 * DAY))
    background.run(str(fresh.vault), now)
    quiet.unlink()
    assert account(fresh).days == (quiet.stem,)
    background.run(str(fresh.vault), now + DAY)  # which does not forget it
    assert account(fresh, now + DAY).days == (quiet.stem,)


def test_a_file_of_the_queue_that_upkeep_counted_is_missed_when_no_record_names_it(fresh: Home) -> None:
    fresh.flag("one")
    (path,) = live(fresh)
    background.run(str(fresh.vault), time.time())
    for day in (fresh.vault / ".state/ledger").glob("2*.log"):  # as if the flag were older than the ledger
        kept = [one for one in ledger.read(fresh.state, ledger.Wanted()) if one["kind"] == "upkeep"]
        day.unlink()
    for one in kept:
        ledger.append(
            fresh.state, "upkeep", time.time(), **{k: v for k, v in one.items() if k not in ("v", "t", "kind")}
        )
    path.unlink()
    assert account(fresh).uncounted == 1
    background.run(str(fresh.vault), time.time())
    assert account(fresh).uncounted == 1


def test_audit_and_the_next_start_name_it_too(fresh: Home) -> None:
    fresh.hook(fresh.event("SessionStart", "s1", source="startup"))
    fresh.flag("one", "s1")
    live(fresh)[0].unlink()
    background.run(str(fresh.vault), time.time())
    told = json.loads(fresh.cli("audit", "--all", "--json").out)
    assert "acknowledged" in [one["kind"] for one in told["skips"]]
    said = fresh.hook(fresh.event("SessionStart", "s2", source="startup")).context
    assert "1 flag that was acknowledged cannot be found" in said


# --- the alarm ends


def test_damage_that_somebody_has_looked_at_is_kept_and_no_longer_told(fresh: Home) -> None:
    fresh.flag("one")
    fresh.flag("two")
    (path,) = live(fresh)
    path.write_bytes(path.read_bytes().replace(b"one", b"0ne"))
    view = queue.read(f"{fresh.state}/queue", time.time())
    assert len(view.broken) == 1
    done = fresh.cli("queue", "--set-aside")
    assert done.status == 0
    assert "a copy is kept" in done.out
    assert "lost: flag" in done.out
    assert queue.read(f"{fresh.state}/queue", time.time()).broken == ()
    assert list((fresh.vault / ".state/queue/broken").iterdir())
    assert fresh.texts() == ["two"]
    assert account(fresh).is_whole
    assert [
        one["ok"] for one in json.loads(fresh.cli("doctor", "--json").out)["checks"] if one["name"] == "queue-damage"
    ] == [True]


def test_new_damage_after_that_is_told_again(fresh: Home) -> None:
    fresh.flag("one")
    fresh.flag("two")
    (path,) = live(fresh)
    path.write_bytes(path.read_bytes().replace(b"one", b"0ne"))
    assert fresh.cli("queue", "--set-aside").status == 0
    path.write_bytes(path.read_bytes().replace(b"two", b"tw0"))
    assert len(queue.read(f"{fresh.state}/queue", time.time()).broken) == 1
    assert len(account(fresh).flags) == 1


def test_what_is_missing_is_no_longer_told_once_it_was_set_aside(fresh: Home) -> None:
    fresh.flag("one")
    live(fresh)[0].unlink()
    background.run(str(fresh.vault), time.time())
    told = json.loads(fresh.cli("queue", "--set-aside", "--json").out)
    assert len(told["flags"]) == len(told["segments"]) == 1
    background.run(str(fresh.vault), time.time())
    assert account(fresh).is_whole
    assert notices.for_project(fresh.state, "", time.time()) == []
    assert fresh.cli("queue", "--set-aside").out == "Nothing is damaged or missing.\n"


def test_setting_aside_is_the_users_to_do(fresh: Home) -> None:
    fresh.hook(fresh.event("SessionStart", "s1", source="startup"))
    fresh.flag("one", "s1")
    live(fresh)[0].unlink()
    done = fresh.cli("queue", "--set-aside", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    assert done.status == 2
    assert "is the user's to do" in done.err
    assert not account(fresh).is_whole


def test_a_segment_that_cannot_be_read_just_now_is_not_set_aside(fresh: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh.flag("one")
    (path,) = live(fresh)
    held = path.with_suffix(".held")
    path.rename(held)
    path.mkdir()  # root reads everything, but no folder as a file
    Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env).sessions.set_aside()
    view = queue.read(f"{fresh.state}/queue", time.time())
    assert [one.what for _, one in view.broken] == [queue.UNREADABLE]
