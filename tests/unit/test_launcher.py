"""The registered line ends in 0 whatever became of us, stays the same, and is renewed only where it is ours."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from hook_support import PYTHON, START, Done, Home, run

import holdfast
from holdfast.hosts import HOSTS, registration
from holdfast.install import launcher


def point(fresh: Home, python: Path | str = PYTHON, script: Path | str = START) -> Path:
    """A launcher of another installation."""
    path = launcher.write_launcher(fresh.env)
    quoted = {"python": shlex.quote(str(python)), "script": shlex.quote(str(script))}
    text = launcher.TEMPLATE.format(version="0.0.9", **quoted, packages="/gone/python3")
    path.write_text(text)
    return path


def fake(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def line(fresh: Home, shell: str = "/bin/sh") -> Done:
    registered = registration.registered_line("claude-code", fresh.env)
    return run([shell, "-c", registered], fresh.env, fresh.project, b'{"hook_event_name": "SessionStart"}')


def assert_silent(done: Done) -> None:
    assert (done.status, done.out) == (0, "")


# --- the line ends in 0


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash", "/bin/dash"])
def test_the_line_runs_the_hook_in_any_shell(fresh: Home, shell: str) -> None:
    if not Path(shell).exists():
        pytest.skip(f"there is no {shell} here")
    launcher.write_launcher(fresh.env)
    done = line(fresh, shell)
    assert (done.status, done.context, done.err) == (0, "", "")
    assert [record["event"] for record in fresh.ledger("hook")] == ["session-start"]


def test_the_launcher_deleted(fresh: Home) -> None:
    launcher.write_launcher(fresh.env).unlink()
    done = line(fresh)
    assert (done.status, done.out, done.err) == (0, "", "")


def test_the_launchers_folder_deleted(fresh: Home) -> None:
    shutil.rmtree(launcher.write_launcher(fresh.env).parent)
    assert_silent(line(fresh))


def test_the_launcher_no_longer_executable(fresh: Home) -> None:
    launcher.write_launcher(fresh.env).chmod(0o600)
    assert_silent(line(fresh))


def test_the_interpreter_deleted(fresh: Home) -> None:
    point(fresh, python="/gone/python3")
    done = line(fresh)
    assert (done.status, done.out, done.err) == (0, "", "")


def test_the_script_deleted(fresh: Home) -> None:
    point(fresh, script="/gone/holdfast/hook/start.py")
    done = line(fresh)
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.slow
def test_the_virtual_environment_deleted(fresh: Home) -> None:
    venv = fresh.folder / "venv"
    python = fake(venv / "bin" / "python3", f'#!/bin/sh\nexec {PYTHON} "$@"\n')
    package = venv / "lib" / "python3" / "site-packages" / "holdfast"
    shutil.copytree(Path(START).parents[1], package, ignore=shutil.ignore_patterns("__pycache__", ".mypy_cache"))
    point(fresh, python, package / "hook" / "start.py")
    line(fresh)
    assert len(fresh.ledger("hook")) == 1
    shutil.rmtree(venv)
    assert_silent(line(fresh))


def test_only_a_part_of_the_package_left(fresh: Home) -> None:
    """As in the middle of an upgrade: the script is there, what it imports is not."""
    script = fresh.folder / "half" / "holdfast" / "hook" / "start.py"
    script.parent.mkdir(parents=True)
    shutil.copy(START, script)
    point(fresh, script=script)
    done = line(fresh)
    assert_silent(done)
    assert done.err.startswith("holdfast cannot start: ModuleNotFoundError")
    assert done.err.count("\n") == 1


@pytest.mark.slow
def test_a_package_that_no_longer_compiles(fresh: Home) -> None:
    package = fresh.folder / "broken" / "holdfast"
    shutil.copytree(Path(START).parents[1], package, ignore=shutil.ignore_patterns("__pycache__", ".mypy_cache"))
    (package / "hook" / "main.py").write_text("def broken(:\n")
    point(fresh, script=package / "hook" / "start.py")
    assert_silent(line(fresh))


@pytest.mark.parametrize("status", [1, 2, 127])
def test_an_interpreter_that_fails(fresh: Home, status: int) -> None:
    point(fresh, python=fake(fresh.folder / "python3", f"#!/bin/sh\nexit {status}\n"))
    assert_silent(line(fresh))


def test_an_interpreter_that_is_killed(fresh: Home) -> None:
    point(fresh, python=fake(fresh.folder / "python3", "#!/bin/sh\nkill -9 $$\n"))
    assert_silent(line(fresh))


def test_an_interpreter_that_is_no_program(fresh: Home) -> None:
    point(fresh, python=fake(fresh.folder / "python3", "\x7fELF nonsense"))
    assert_silent(line(fresh))


def test_an_interpreter_that_is_a_folder(fresh: Home) -> None:
    (fresh.folder / "python3").mkdir()
    point(fresh, python=fresh.folder / "python3")
    assert_silent(line(fresh))


def test_the_hook_itself_exits_with_2_when_its_script_is_gone_and_the_launcher_hides_it(fresh: Home) -> None:
    """Why the launcher does not exec: this status would erase the user's prompt."""
    bare = subprocess.run([PYTHON, "-I", "-S", "/gone.py"], capture_output=True, check=False)
    assert bare.returncode == 2
    # Gone between the look and the start: a file that may be read and cannot be opened as a script.
    folder = fresh.folder / "start.py"
    folder.mkdir()
    point(fresh, script=folder)
    assert line(fresh).status == 0


@pytest.mark.parametrize(
    "text", ["#!/bin/sh\npython='/torn", "#!/bin/sh\nexit 2\n", "#!/gone/sh\n", "#!/bin/sh\nif\n"], ids=repr
)
def test_a_launcher_that_is_broken(fresh: Home, text: str) -> None:
    path = launcher.write_launcher(fresh.env)
    path.write_text(text)
    assert line(fresh).status == 0


@pytest.mark.parametrize(
    "name", ["with spaces", "quo'te", 'dou"ble', "dol$lar", "back`tick", "semi;colon", "日本", "-x"]
)
def test_any_home_will_do(tmp_path: Path, name: str) -> None:
    odd = Home(tmp_path / name)
    launcher.write_launcher(odd.env)
    assert line(odd).status == 0
    assert [record["event"] for record in odd.ledger("hook")] == ["session-start"]


# --- what it is


def test_the_line_is_the_same_across_versions(fresh: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codex trusts a hook by the hash of its command line; one that changed would silently not run."""
    before = {host: registration.registered_line(host, fresh.env) for host in HOSTS}
    monkeypatch.setattr(holdfast, "__version__", "99.0")
    assert {host: registration.registered_line(host, fresh.env) for host in HOSTS} == before
    path = registration.launcher_path(fresh.env)
    assert before["claude-code"].startswith(f"[ ! -x {path} ] || {path} claude-code")


def test_the_text_is_stable_and_names_absolute_paths_outside_any_virtual_environment(fresh: Home) -> None:
    text = launcher.launcher_text()
    assert text == launcher.launcher_text()
    assert text.startswith("#!/bin/sh\n")
    assert text.endswith("\nexit 0\n")
    assert holdfast.__version__ in text
    named = dict(line.split("=", 1) for line in text.splitlines() if line.startswith(("python=", "script=")))
    (python,), (script,) = shlex.split(named["python"]), shlex.split(named["script"])
    assert os.path.realpath(python) == python
    assert os.access(python, os.X_OK)
    assert script == START
    assert not (Path(python).parent.parent / "pyvenv.cfg").exists()


def test_it_lives_where_data_lives(fresh: Home) -> None:
    assert registration.launcher_path(fresh.env) == fresh.folder / ".local" / "share" / "holdfast" / "holdfast-hook"
    moved = {**fresh.env, "XDG_DATA_HOME": "/data"}
    assert registration.launcher_path(moved) == Path("/data/holdfast/holdfast-hook")


def test_a_relative_data_folder_is_not_believed(fresh: Home) -> None:
    assert registration.launcher_path({**fresh.env, "XDG_DATA_HOME": "data"}).is_absolute()


def test_it_is_its_owners_alone(fresh: Home) -> None:
    path = launcher.write_launcher(fresh.env)
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


@pytest.mark.slow
def test_it_is_rewritten_whole_while_hosts_run_it(fresh: Home) -> None:
    """A reader sees the old text or the new one, executable, never a part of it."""
    path = launcher.write_launcher(fresh.env)
    whole = launcher.launcher_text()
    stop = threading.Event()
    seen: set[str] = set()

    def read() -> None:
        while not stop.is_set():
            seen.add(path.read_text())
            assert os.access(path, os.X_OK)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(20):
            launcher.write_launcher(fresh.env)
    finally:
        stop.set()
        reader.join()
    assert seen == {whole}
    assert [one.name for one in path.parent.iterdir()] == [path.name], "no straggler"


def test_writing_it_replaces_the_file_and_not_its_bytes(fresh: Home) -> None:
    path = launcher.write_launcher(fresh.env)
    with path.open() as running:
        launcher.write_launcher(fresh.env)
        assert os.fstat(running.fileno()).st_nlink == 0, "a shell that reads the old one goes on reading it"
        assert running.read() == launcher.launcher_text()


# --- when it is renewed


def test_without_a_launcher_nothing_is_renewed(fresh: Home) -> None:
    assert not launcher.refresh_launcher(fresh.env)
    assert not registration.launcher_path(fresh.env).exists()


def test_the_same_launcher_is_not_written_again(fresh: Home) -> None:
    path = launcher.write_launcher(fresh.env)
    before = path.stat().st_ino
    assert not launcher.refresh_launcher(fresh.env)
    assert path.stat().st_ino == before


def test_our_own_of_an_older_version_is_renewed(fresh: Home) -> None:
    path = point(fresh)
    assert launcher.refresh_launcher(fresh.env)
    assert path.read_text() == launcher.launcher_text()


def test_our_own_with_another_interpreter_is_renewed(fresh: Home) -> None:
    path = point(fresh, python=fake(fresh.folder / "python3", "#!/bin/sh\n"))
    assert launcher.refresh_launcher(fresh.env)
    assert path.read_text() == launcher.launcher_text()


@pytest.mark.parametrize("gone", ["python", "script"])
def test_one_that_leads_nowhere_is_renewed(fresh: Home, gone: str) -> None:
    other = {"python": fake(fresh.folder / "python3", ""), "script": fake(fresh.folder / "start.py", "")}
    other[gone] = fresh.folder / "gone"
    path = point(fresh, **other)
    assert launcher.refresh_launcher(fresh.env)
    assert path.read_text() == launcher.launcher_text()


def test_one_of_another_living_installation_is_left(fresh: Home) -> None:
    path = point(fresh, fake(fresh.folder / "python3", ""), fake(fresh.folder / "other 's" / "start.py", ""))
    before = path.read_text()
    assert not launcher.refresh_launcher(fresh.env)
    assert path.read_text() == before


@pytest.mark.parametrize("text", ["", "#!/bin/sh\n", "python=\nscript=\n", "script=/x\n"], ids=repr)
def test_what_is_no_launcher_of_ours_leads_nowhere(fresh: Home, text: str) -> None:
    path = launcher.write_launcher(fresh.env)
    path.write_text(text)
    assert launcher.refresh_launcher(fresh.env)
    assert path.read_text() == launcher.launcher_text()
