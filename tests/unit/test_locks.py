"""One lock helper: exclusive or shared, waited for or not, on a path or on a descriptor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.capture import locks
from holdfast.errors import Busy


def test_a_lock_that_is_held_is_not_given_again(tmp_path: Path) -> None:
    path = f"{tmp_path}/lock"
    with locks.held(path):
        assert locks.is_held(path)
        with pytest.raises(Busy), locks.held(path, wait=False):
            pass
    assert not locks.is_held(path)


def test_shared_locks_stand_side_by_side_and_keep_an_exclusive_one_out(tmp_path: Path) -> None:
    path = f"{tmp_path}/lock"
    with locks.held(path, shared=True), locks.held(path, shared=True, wait=False):
        assert not locks.is_held(path)
        other = locks.opened(path)
        assert not locks.lock(other, wait=False)
    assert locks.lock(other, wait=False)
    os.close(other)


def test_a_descriptor_is_locked_and_closed_with_its_lock(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    with locks.held(fd) as same:
        assert same == fd
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(fd)


def test_a_lock_that_cannot_be_had_leaves_no_file_open(tmp_path: Path) -> None:
    path = f"{tmp_path}/lock"
    with locks.held(path):
        fd = locks.opened(path)
        with pytest.raises(Busy), locks.held(fd, wait=False):
            pass
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(fd)


def test_patience_ends_in_the_sentence_that_was_given(tmp_path: Path) -> None:
    path = f"{tmp_path}/lock"
    with locks.held(path), pytest.raises(Busy, match="somebody else"):
        locks.taken(path, 0.01, "somebody else has it")
