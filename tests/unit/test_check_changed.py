"""The check after a close looks at what changed, and the number of errors is that of a whole check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.capture import platform
from holdfast.vault import check, edits, journal, stored_index
from holdfast.vault.transaction import take_in

NOW = 1_800_000_000.0


def remember(vault: str, said: str, name: str = "") -> str:
    return edits.remember(vault, edits.Asked(said, name=name), NOW).path


def put(vault: str, path: str, text: str) -> None:
    Path(vault, path).parent.mkdir(parents=True, exist_ok=True)
    Path(vault, path).write_text(text, encoding="utf-8")


def after_close(vault: str, **more: Any) -> int:
    take_in(vault, NOW)
    check.after_close(vault, NOW, {}, stored_index.as_left(vault), **more)
    return counted(vault)


def counted(vault: str) -> int:
    return int(platform.read_file(f"{vault}/.state/check").decode())


def whole(vault: str) -> int:
    return sum(one.level == "error" for one in check.check(vault, NOW).findings)


@pytest.mark.slow
def test_each_sort_of_error_in_a_changed_file_is_counted_and_goes_when_it_is_mended(vault: str) -> None:
    good = remember(vault, "Orders use locks.")
    assert after_close(vault) == 0
    text = Path(vault, good).read_text(encoding="utf-8")
    wrong = {
        "knowledge/torn.md": "no front matter",
        "knowledge/link.md": text.replace("Orders use locks.", "See [that](gone.md)."),
        "knowledge/heir.md": text.replace("status: active", "status: active\nsupersedes: [gone]"),
        "knowledge/kind.md": text.replace("kind: knowledge", "kind: thing"),
        "lineage/app-1/odd.md": "no front matter",
    }
    for nth, (path, said) in enumerate(wrong.items()):
        put(vault, path, said.replace("name: Orders use locks", f"name: other {nth}"))
        assert after_close(vault) == whole(vault) > 0, path
        Path(vault, path).unlink()
        assert after_close(vault) == whole(vault) == 0, path


@pytest.mark.slow
def test_two_notes_of_one_name_are_one_error_whichever_comes_first(vault: str) -> None:
    remember(vault, "Orders use locks.", "locks")
    assert after_close(vault) == 0
    text = Path(vault, "knowledge/locks.md").read_text(encoding="utf-8")
    put(vault, "knowledge/a.md", text)
    put(vault, "knowledge/z.md", text)
    assert after_close(vault) == whole(vault) == 2
    Path(vault, "knowledge/z.md").unlink()
    assert after_close(vault) == whole(vault) == 1


@pytest.mark.slow
def test_only_what_changed_is_read(vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for nth in range(20):
        remember(vault, f"Fact {nth}.")
    after_close(vault)
    path = remember(vault, "One more.")
    known = stored_index.as_left(vault)
    read: list[str] = []
    real = journal.text

    def counted_text(vault: str, path: str) -> str:
        read.append(path)
        return real(vault, path)

    monkeypatch.setattr(journal, "text", counted_text)
    monkeypatch.setattr(check, "check", lambda *_: pytest.fail("a whole check"))
    check.after_close(vault, NOW, {}, known)
    assert read == [path]


@pytest.mark.slow
def test_without_a_list_or_its_commit_everything_is_looked_at(vault: str) -> None:
    remember(vault, "Orders use locks.")
    put(vault, "knowledge/torn.md", "no front matter")
    assert after_close(vault) == 1
    for said in ("", '{"v":1,"commit":"' + "0" * 40 + '","errors":{}}', '{"v":9}'):
        Path(vault, ".state/check.errors").write_text(said, encoding="utf-8")
        assert after_close(vault) == 1, said


@pytest.mark.slow
def test_once_a_week_a_close_that_nobody_waits_for_looks_at_everything(vault: str) -> None:
    path = remember(vault, "Orders use locks.")
    head, _, rest = Path(vault, path).read_text(encoding="utf-8").rpartition("Orders use locks.")
    put(vault, "knowledge/see.md", f"{head.replace('name: Orders', 'name: See')}See [orders](../{path}).{rest}")
    assert after_close(vault) == 0
    Path(vault, path).unlink()
    assert after_close(vault) == 0, "it is the other note that is wrong now"
    take_in(vault, NOW)
    later = NOW + 8 * 86400.0
    check.after_close(vault, later, {}, stored_index.as_left(vault), is_waited_for=False)
    assert counted(vault) == whole(vault) > 0
