"""Export and restore: the vault byte for byte, or nothing changed."""

from __future__ import annotations

import io
import json
import os
import signal
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hook_support import Home, Terminal

from holdfast.capture import queue
from holdfast.capture.gate import BY_UPKEEP
from holdfast.errors import HoldfastError, UsageError
from holdfast.vault import archive, git_settings
from holdfast.vault.git import Repository
from holdfast.vault.transaction import writing

NOW = 1_790_000_000.0
BODY = "---\nname: One\n---\n\nThe one note of this vault.\n"


@pytest.fixture
def full(vault: str, fresh: Home) -> str:
    """A vault with a note, a history, a waiting flag, a ledger and a link within."""
    fresh.vault = Path(vault)
    fresh.flag("Something that waits to be filed", session="s1")
    with writing(vault, NOW) as writer:
        writer.commit("one", {"knowledge/one.md": BODY}, cause="test", by=BY_UPKEEP)
    os.chmod(f"{vault}/knowledge/one.md", 0o640)
    return vault


def exported(vault: str, place: Path) -> str:
    path = f"{place}/vault.tar.gz"
    archive.export(vault, path, NOW)
    return path


def content(vault: str) -> dict[str, tuple[int, bytes | str]]:
    """Every file with its mode and bytes, every link with its target, but locks."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(Path(vault).rglob("*")):
        name = str(path.relative_to(vault))
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            found[name] = (0, os.readlink(path))
        elif path.is_dir():
            found[name] = (mode, "folder")
        elif not name.endswith("lock"):
            found[name] = (mode, path.read_bytes())
    return found


def repacked(
    source: str, target: str, change: Callable[[tarfile.TarInfo, bytes], list[tuple[tarfile.TarInfo, bytes]]]
) -> str:
    """An archive with its members changed."""
    with tarfile.open(source) as before, tarfile.open(target, "w:gz") as after:
        for entry in before:
            file = before.extractfile(entry) if entry.isreg() else None
            for one, raw in change(entry, file.read() if file else b""):
                one.size = len(raw)
                after.addfile(one, io.BytesIO(raw))
    return target


@pytest.mark.slow
def test_a_restored_vault_is_the_same_byte_for_byte(full: str, place: Path) -> None:
    path = exported(full, place)
    done = archive.restore(f"{place}/elsewhere/fresh", path, NOW)
    assert content(f"{place}/elsewhere/fresh") == content(full)
    assert done.files > 10
    assert done.aside == ""
    again = Repository(f"{place}/elsewhere/fresh")
    assert again.head() == Repository(full).head()
    assert again.attempt("fsck", "--strict").returncode == 0
    assert [one.flag.text for one in queue.read(f"{place}/elsewhere/fresh/.state/queue", NOW).entries] == [
        "Something that waits to be filed"
    ]


@pytest.mark.slow
def test_an_archive_is_its_owners_alone_and_carries_a_manifest(full: str, place: Path) -> None:
    path = exported(full, place)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with tarfile.open(path) as found:
        member = found.extractfile(archive.MANIFEST)
        assert member
        manifest = json.loads(member.read())
        names = found.getnames()
    assert (manifest["v"], manifest["format"]) == (1, 1)
    assert manifest["files"]["knowledge/one.md"]["size"] == len(BODY)
    assert ".state/vault.lock" not in names
    assert sorted(os.listdir(place)) == ["vault", "vault.tar.gz"]


@pytest.mark.slow
def test_an_export_never_overwrites_unless_told_to(full: str, place: Path) -> None:
    path = f"{place}/vault.tar.gz"
    Path(path).write_text("precious")
    with pytest.raises(UsageError, match="there already"):
        archive.export(full, path, NOW)
    assert Path(path).read_text() == "precious"
    archive.export(full, path, NOW, force=True)
    assert archive.is_archive(path)


@pytest.mark.slow
def test_an_export_into_the_vault_itself_is_refused(full: str) -> None:
    with pytest.raises(UsageError, match="in the vault itself"):
        archive.export(full, f"{full}/knowledge/x.tar.gz", NOW)


@pytest.mark.slow
def test_a_person_who_has_not_committed_loses_nothing(full: str, place: Path) -> None:
    Path(full, "knowledge/two.md").write_text("two")
    archive.restore(f"{place}/fresh", exported(full, place), NOW)
    assert Path(place, "fresh/knowledge/two.md").read_text() == "two"


@pytest.mark.slow
def test_links_that_lead_out_are_left_out_and_named(full: str, place: Path) -> None:
    os.symlink("/etc/passwd", f"{full}/knowledge/out.md")
    os.symlink("../../..", f"{full}/knowledge/up")
    os.symlink("one.md", f"{full}/knowledge/in.md")
    done = archive.export(full, f"{place}/x.tar.gz", NOW)
    assert set(done.left_out) == {"knowledge/out.md", "knowledge/up"}
    archive.restore(f"{place}/fresh", f"{place}/x.tar.gz", NOW)
    assert os.readlink(f"{place}/fresh/knowledge/in.md") == "one.md"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["note", "flag", "handoff", "words"])
def test_a_vault_with_memory_in_it_is_never_replaced(full: str, place: Path, fresh: Home, what: str) -> None:
    path = exported(full, place)
    fresh.vault = place / "used"
    with writing(str(fresh.vault), NOW):
        pass
    made = {"note": "rules/a.md", "handoff": "lineage/shop/1.md", "words": "BRAIN.md"}
    if what == "flag":
        fresh.flag("waits")
    else:
        (fresh.vault / made[what]).parent.mkdir(parents=True, exist_ok=True)
        (fresh.vault / made[what]).write_text("mine")
    before = content(str(fresh.vault))
    with pytest.raises(UsageError, match="Set HOLDFAST_HOME to a fresh folder"):
        archive.restore(str(fresh.vault), path, NOW)
    assert content(str(fresh.vault)) == before


@pytest.mark.slow
def test_an_empty_vault_makes_way_and_is_kept_beside(full: str, place: Path) -> None:
    path = exported(full, place)
    with writing(f"{place}/used", NOW):
        pass
    before = content(f"{place}/used")
    done = archive.restore(f"{place}/used", path, NOW)
    assert content(f"{place}/used") == content(full)
    assert content(done.aside) == before


def evil(kind: str) -> tarfile.TarInfo:
    names = {"up": "../up.md", "absolute": "/tmp/absolute.md", "hook": ".git/hooks/post-commit", "added": "rules/a.md"}
    entry = tarfile.TarInfo(names.get(kind, "knowledge/evil"))
    types = {"link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "device": tarfile.CHRTYPE, "pipe": tarfile.FIFOTYPE}
    entry.type = types.get(kind, tarfile.REGTYPE)
    entry.linkname = {"link": "../../out", "hard": "knowledge/one.md"}.get(kind, "")
    entry.mode = 0o755
    return entry


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["up", "absolute", "link", "hard", "device", "pipe", "hook", "added"])
def test_an_archive_with_something_evil_in_it_changes_nothing(full: str, place: Path, kind: str) -> None:
    def add(entry: tarfile.TarInfo, raw: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
        more = [(evil(kind), b"")] if entry.name == "knowledge/one.md" else []
        return [(entry, raw), *more]

    path = repacked(exported(full, place), f"{place}/evil.tar.gz", add)
    with pytest.raises(UsageError, match="nothing was changed"):
        archive.restore(f"{place}/fresh/vault", path, NOW)
    assert sorted(os.listdir(place)) == ["evil.tar.gz", "fresh", "vault", "vault.tar.gz"]
    assert os.listdir(place / "fresh") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting", ["[core]\n\tfsmonitor = x\n", '[filter "x"]\n\tclean = y\n', "[include]\n\tpath = z\n"]
)
def test_settings_that_run_programs_are_refused(
    full: str, place: Path, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(f"{full}/.git/config", "a") as config:
        config.write(setting)
    monkeypatch.setattr(git_settings, "refuse", lambda *_, **__: None)  # as whoever made the archive may have done
    with pytest.raises(UsageError, match="can run programs"):
        archive.restore(f"{place}/fresh", exported(full, place), NOW)
    assert not Path(place, "fresh").exists()


@pytest.mark.slow
def test_a_changed_byte_is_noticed_before_anything_is_put_in_place(full: str, place: Path) -> None:
    def flip(entry: tarfile.TarInfo, raw: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
        return [(entry, raw.replace(b"one note", b"One note") if entry.name == "knowledge/one.md" else raw)]

    path = repacked(exported(full, place), f"{place}/flipped.tar.gz", flip)
    with pytest.raises(UsageError, match=r"knowledge/one.md is not what its manifest says"):
        archive.restore(f"{place}/fresh", path, NOW)
    assert not Path(place, "fresh").exists()


@pytest.mark.slow
def test_a_file_that_is_missing_or_cut_short_is_noticed(full: str, place: Path) -> None:
    path = exported(full, place)

    def drop(entry: tarfile.TarInfo, raw: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
        return [] if entry.name == "knowledge/one.md" else [(entry, raw)]

    short = Path(place, "short.tar.gz")
    short.write_bytes(Path(path).read_bytes()[:-2000])
    for bad in (repacked(path, f"{place}/dropped.tar.gz", drop), str(short)):
        with pytest.raises(UsageError, match="nothing was changed"):
            archive.restore(f"{place}/fresh", bad, NOW)
    assert not Path(place, "fresh").exists()


@pytest.mark.slow
def test_an_archive_that_is_too_large_is_refused(full: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = exported(full, place)
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    with pytest.raises(UsageError, match="holds more than"):
        archive.restore(f"{place}/fresh", path, NOW)


@pytest.mark.slow
def test_an_archive_of_a_newer_holdfast_is_refused(full: str, place: Path) -> None:
    def newer(entry: tarfile.TarInfo, raw: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
        return [(entry, raw.replace(b'"v":1', b'"v":2', 1) if entry.name == archive.MANIFEST else raw)]

    path = repacked(exported(full, place), f"{place}/newer.tar.gz", newer)
    with pytest.raises(HoldfastError, match="newer holdfast"):
        archive.restore(f"{place}/fresh", path, NOW)


@pytest.mark.slow
def test_a_restore_killed_on_the_way_leaves_the_old_vault_and_the_next_one_sweeps(full: str, place: Path) -> None:
    path = exported(full, place)
    with writing(f"{place}/used", NOW):
        pass
    before = content(f"{place}/used")
    child = os.fork()
    if not child:
        archive._verify = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        archive.restore(f"{place}/used", path, NOW)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert content(f"{place}/used") == before
    assert Path(place, f"used.restoring-{child}").exists()
    archive.restore(f"{place}/used", path, NOW)
    assert content(f"{place}/used") == content(full)
    assert not Path(place, f"used.restoring-{child}").exists()


@pytest.mark.slow
def test_the_commands_take_a_vault_there_and_back(terminal: Terminal, fresh: Home) -> None:
    assert terminal("export", "x.tar.gz").status == 4
    fresh.flag("Something that waits")
    done = terminal("export", "x.tar.gz", "--json")
    assert done.status == 0
    assert set(json.loads(done.out)) == {"path", "files", "bytes", "left_out"}
    refused = terminal("import", "x.tar.gz")
    assert refused.status == 2
    assert "has flags that wait" in refused.err
    other = {"HOLDFAST_HOME": str(fresh.folder / "new")}
    restored = terminal("import", "x.tar.gz", env=other)
    assert restored.out.startswith("restored ")
    assert "Something that waits" in terminal("queue", env=other).out
