"""Links and keys of the page: a link counts once, a key until it ends, and what cannot be read lets nobody in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hook_support import SOURCE, wait_until
from serve_support import mode_of

from holdfast.capture import gate, locks
from holdfast.errors import Busy, HoldfastError
from holdfast.page import sign_in
from holdfast.page.sign_in import KEY_LASTS, LINK_LASTS, MOST, Keys

NOW = 1_790_000_000.0
AGENT = gate.Asker(gate.AGENT)


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


def link(state: str, now: float = NOW, *, read_only: bool = False) -> str:
    return sign_in.make_link(state, now, by=gate.BY_USER, read_only=read_only)


def key(state: str, now: float = NOW, *, read_only: bool = False) -> str:
    made = sign_in.use_link(state, link(state, now, read_only=read_only), now)
    assert made
    return made


def kept(state: str) -> Path:
    return Path(state, sign_in.FILE)


def test_a_link_is_worth_one_key(state: str) -> None:
    made = link(state)
    found = sign_in.use_link(state, made, NOW)
    assert found
    assert Keys(state).of(found, NOW)
    assert sign_in.use_link(state, made, NOW) is None
    assert Keys(state).of(made, NOW) is None, "a link is no key"
    assert sign_in.use_link(state, found, NOW) is None, "nor a key a link"


def test_a_link_is_too_old_after_ten_minutes(state: str) -> None:
    made = link(state)
    assert sign_in.use_link(state, made, NOW + LINK_LASTS) is None
    assert sign_in.use_link(state, made, NOW + LINK_LASTS - 1)


def test_many_that_use_a_link_at_once_get_one_key(state: str) -> None:
    made, ready = link(state), threading.Barrier(8)

    def use(_: int) -> str | None:
        ready.wait()
        return sign_in.use_link(state, made, NOW)

    with ThreadPoolExecutor(8) as pool:
        found = [one for one in pool.map(use, range(8)) if one]
    assert len(found) == 1


def test_nothing_but_digests_is_kept_and_for_the_owner_alone(state: str) -> None:
    before = os.umask(0)
    try:
        made = link(state)
        found = sign_in.use_link(state, made, NOW)
        waiting = link(state)
    finally:
        os.umask(before)
    assert found
    assert mode_of(kept(state)) == 0o600
    assert mode_of(f"{kept(state)}.lock") == 0o600
    assert mode_of(state) == 0o700
    text = kept(state).read_text()
    assert not [secret for secret in (made, found, waiting) if secret in text]


@pytest.mark.parametrize("guess", ["", "x", "é", "\ud800", "\x00", "x" * 1_000_000])
def test_a_wrong_guess_is_none_and_costs_neither_lock_nor_write(state: str, guess: str) -> None:
    made = key(state)
    before = (os.stat(kept(state)).st_ino, kept(state).read_bytes())
    with locks.held(f"{state}/{sign_in.FILE}.lock"):
        assert sign_in.use_link(state, guess, NOW) is None
        assert Keys(state).of(guess, NOW) is None
    assert (os.stat(kept(state)).st_ino, kept(state).read_bytes()) == before
    assert Keys(state).of(made, NOW)


DAMAGED = [
    *(b"", b"{", b"[]", b"\xff\xfe", b'{"v":1}', b'{"v":1,"keys":{}}', b'{"v":1,"keys":[7]}', b'{"v":1,"keys":[{}]}'),
    b'{"v":1,"keys":[{"digest":"e","kind":"key","until":"soon","read_only":false}]}',
    b'{"v":1,"keys":[{"digest":"\\u00e9","kind":"key","until":9e99,"read_only":false}]}',
    b"0" * (sign_in.LARGEST + 1),
]


@pytest.mark.parametrize("damaged", DAMAGED, ids=lambda data: repr(data[:40]))
def test_a_damaged_file_lets_nobody_in_and_the_next_link_mends_it(state: str, damaged: bytes) -> None:
    old, waiting = key(state), link(state)
    keys = Keys(state)
    assert keys.of(old, NOW)
    kept(state).write_bytes(damaged)
    assert keys.of(old, NOW) is None
    assert sign_in.use_link(state, waiting, NOW) is None
    assert keys.of(key(state), NOW)


def test_a_file_that_is_a_link_to_another_lets_nobody_in(state: str, tmp_path: Path) -> None:
    made = key(state)
    kept(state).rename(tmp_path / "elsewhere")
    kept(state).symlink_to(tmp_path / "elsewhere")
    assert Keys(state).of(made, NOW) is None
    kept(state).unlink()
    assert Keys(state).of(made, NOW) is None, "nor does one that is not there"


def test_a_key_lasts_a_week_from_its_last_use(state: str) -> None:
    made, keys, day = key(state), Keys(state), 24 * 3600.0
    assert keys.of(made, NOW + 6 * day)
    assert keys.of(made, NOW + 12 * day)
    assert keys.of(made, NOW + 12 * day + KEY_LASTS) is None


def test_uses_within_an_hour_are_not_written_down(state: str) -> None:
    made, keys = key(state), Keys(state)
    before = os.stat(kept(state)).st_ino
    for minutes in range(60):
        assert keys.of(made, NOW + 60 * minutes)
    assert os.stat(kept(state)).st_ino == before
    assert keys.of(made, NOW + 3601)
    assert os.stat(kept(state)).st_ino != before


def test_a_key_counts_while_another_changes_the_file(state: str) -> None:
    made = key(state)
    with locks.held(f"{state}/{sign_in.FILE}.lock"):
        assert Keys(state).of(made, NOW + 2 * 3600)


def test_signing_out_ends_one_key_or_all_keys_and_links(state: str) -> None:
    one, other, waiting, keys = key(state), key(state), link(state), Keys(state)
    sign_in.sign_out(state, one, NOW)
    assert keys.of(one, NOW) is None
    assert keys.of(other, NOW)
    sign_in.sign_out(state, other, NOW, everywhere=True)
    assert keys.of(other, NOW) is None
    assert sign_in.use_link(state, waiting, NOW) is None


@pytest.mark.slow
def test_the_oldest_of_too_many_keys_goes_and_a_new_link_still_counts(state: str) -> None:
    made = [key(state, NOW + nth) for nth in range(MOST + 1)]
    keys = Keys(state)
    counting = [one for one in made if keys.of(one, NOW + MOST)]
    assert counting == made[1:]
    newest = key(state, NOW + MOST + 1)
    assert keys.of(newest, NOW + MOST + 1)


@pytest.mark.slow
def test_too_many_links_end_the_oldest_and_no_key(state: str) -> None:
    made = key(state)
    links = [link(state, NOW + nth / 10) for nth in range(MOST + 1)]
    assert Keys(state).of(made, NOW + 10)
    assert sign_in.use_link(state, links[0], NOW + 10) is None
    assert sign_in.use_link(state, links[1], NOW + 10)


def test_looking_only_is_a_property_of_the_link(state: str) -> None:
    found = Keys(state).of(key(state, read_only=True), NOW)
    assert found
    assert found.read_only
    whole = Keys(state).of(key(state), NOW)
    assert whole
    assert not whole.read_only


def test_no_agent_makes_a_link(state: str) -> None:
    with pytest.raises(HoldfastError, match="is the user's to do"):
        sign_in.make_link(state, NOW, by=AGENT)
    assert not Path(state).exists()


def test_who_waits_too_long_for_the_file_is_told(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = link(state)
    monkeypatch.setattr(sign_in, "PATIENCE", 0.0)
    with locks.held(f"{state}/{sign_in.FILE}.lock"), pytest.raises(Busy):
        link(state)
    assert sign_in.use_link(state, made, NOW)


SIGNS_IN_AND_OUT = """
import sys
from holdfast.capture import gate
from holdfast.page import sign_in
state, now = sys.argv[1], float(sys.argv[2])
while True:
    made = sign_in.use_link(state, sign_in.make_link(state, now, by=gate.BY_USER), now)
    print("made", flush=True)
    sign_in.sign_out(state, made, now)
"""


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_a_whole_file_and_no_lock(state: str) -> None:
    made = key(state)
    command = [sys.executable, "-c", SIGNS_IN_AND_OUT, state, str(NOW)]
    for _ in range(8):
        one = subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": str(SOURCE)})
        assert one.stdout
        for _ in range(3):
            assert one.stdout.readline() == b"made\n"
        one.send_signal(signal.SIGKILL)
        one.wait()
        one.stdout.close()
        wait_until("its lock went with it", lambda: not locks.is_held(f"{state}/{sign_in.FILE}.lock"))
        assert Keys(state).of(made, NOW), "a key of before still counts"
    assert Keys(state).of(key(state), NOW)
