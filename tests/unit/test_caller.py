"""Who is speaking: the session that the environment, the process tree or the project names, and the right project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import holdfast
from holdfast.capture import episodes, gate, platform, projects
from holdfast.capture.episodes import Episode
from holdfast.hosts import generic
from holdfast.model import Process, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = 1_800_000_000.0
SOURCE = str(Path(holdfast.__file__).parents[1])
ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from holdfast.capture import gate
where = gate.here({}, sys.argv[2], sys.argv[3])
print(json.dumps([where.host, where.episode, where.found]))
"""


@pytest.fixture
def folder(place: Path) -> str:
    (place / "plain").mkdir()
    return str(place / "plain")


@pytest.fixture
def repository(place: Path) -> str:
    (place / "repo" / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(place / "repo")], check=True)
    return str(place / "repo")


@pytest.fixture
def neighbour() -> Iterator[subprocess.Popen[bytes]]:
    """A host process that is no ancestor of ours."""
    process = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def open_in(vault: str, cwd: str, session: str, process: Process | None = None, host: str = "generic") -> Episode:
    project = projects.find(cwd, vault).id
    known = Episode(host, session, 1, project, cwd, NOW, process=process)
    return episodes.open_episode(f"{vault}/.state", known)


@pytest.mark.parametrize(
    ("env", "host"),
    [
        ({"HOLDFAST_SESSION": "s", "HOLDFAST_HOST": "codex", "CLAUDE_CODE_SESSION_ID": "other"}, "codex"),
        ({"HOLDFAST_SESSION": "s"}, "generic"),
        ({"CLAUDE_CODE_SESSION_ID": "s"}, "claude-code"),
        ({"HOLDFAST_SESSION": "", "CLAUDE_CODE_SESSION_ID": "s"}, "claude-code"),
    ],
)
def test_the_environment_names_the_session(vault: str, folder: str, env: dict[str, str], host: str) -> None:
    unseen = gate.here(env, folder, vault)
    assert (unseen.host, unseen.episode, unseen.found) == (host, f"{host}/s/0", "environment")
    episode = open_in(vault, folder, "s", host=host)
    assert gate.here(env, folder, vault).episode == episode.key == f"{host}/s/1"


def test_the_environment_goes_before_process_and_project(vault: str, folder: str) -> None:
    open_in(vault, folder, "mine", platform.process(os.getpid()))
    assert gate.here({"HOLDFAST_SESSION": "told"}, folder, vault).episode == "generic/told/0"
    assert gate.here({}, folder, vault).episode == "generic/mine/1"


@pytest.mark.slow
@pytest.mark.parametrize("wrapper", [[], ["/bin/sh", "-c", '"$@"; exit $?', "sh"]])
def test_a_host_among_our_ancestors_names_the_session(vault: str, folder: str, place: Path, wrapper: list[str]) -> None:
    """The host is this very process; a child, and a child of a shell of its own, ask who is speaking."""
    open_in(vault, folder, "mine", platform.process(os.getpid()))
    command = [*wrapper, sys.executable, "-I", "-S", "-c", ASK, SOURCE, str(place), vault]
    assert json.loads(subprocess.check_output(command)) == ["generic", "generic/mine/1", "process"]


@pytest.mark.slow
def test_a_process_that_only_has_the_hosts_pid_is_not_the_host(vault: str, folder: str, place: Path) -> None:
    here = platform.process(os.getpid())
    assert here
    open_in(vault, folder, "old", replace(here, start=here.start - 1))
    command = [sys.executable, "-I", "-S", "-c", ASK, SOURCE, str(place), vault]
    assert json.loads(subprocess.check_output(command)) == ["cli", "", ""]


def test_the_live_episode_of_the_project_is_taken_if_nothing_else_is_known(
    vault: str, folder: str, neighbour: subprocess.Popen[bytes]
) -> None:
    episode = open_in(vault, folder, "s", platform.process(neighbour.pid))
    where = gate.here({}, folder, vault)
    assert (where.host, where.episode, where.found) == ("generic", "generic/s/1", "project")
    assert gate.here({}, f"{folder}/another", vault).found == "", "another project's is not ours"
    neighbour.kill()
    neighbour.wait()
    assert gate.here({}, folder, vault).found == "", "it died"
    assert episode.state == episodes.OPEN


def test_an_episode_that_ended_or_cannot_be_seen_is_not_taken(
    vault: str, folder: str, neighbour: subprocess.Popen[bytes]
) -> None:
    process = platform.process(neighbour.pid)
    assert process
    open_in(vault, folder, "foreign", replace(process, machine="another"))
    assert gate.here({}, folder, vault).found == ""
    open_in(vault, folder, "unknown", None)
    assert gate.here({}, folder, vault).found == ""
    ended = open_in(vault, folder, "ended", process)
    episodes.end_episode(f"{vault}/.state", ended, episodes.ENDED, "", NOW)
    assert gate.here({}, folder, vault).found == ""


def test_of_two_episodes_of_a_project_the_one_that_lives_is_taken(
    vault: str, folder: str, neighbour: subprocess.Popen[bytes]
) -> None:
    open_in(vault, folder, "lives", platform.process(neighbour.pid))
    ended = open_in(vault, folder, "over", platform.process(neighbour.pid))
    episodes.end_episode(f"{vault}/.state", ended, episodes.ENDED, "", NOW)
    assert gate.here({}, folder, vault).episode == "generic/lives/1"


def test_nothing_known_is_the_command_line_itself(vault: str, folder: str) -> None:
    where = gate.here({}, folder, vault)
    assert (where.host, where.episode, where.found) == ("cli", "", "")
    assert where.project == projects.find(folder, vault)


def test_a_folder_in_a_repository_keeps_its_project_and_any_other_takes_the_sessions(
    vault: str, folder: str, repository: str, place: Path
) -> None:
    open_in(vault, repository, "s")
    env = {"HOLDFAST_SESSION": "s"}
    home = projects.find(repository, vault)
    assert gate.here(env, f"{repository}/src", vault).project == home
    assert gate.here(env, folder, vault).project == home, "a scratch folder has no project of its own"
    other = place / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    assert gate.here(env, str(other), vault).project == projects.find(str(other), vault) != home


def test_a_folder_that_is_off_stays_off_whatever_the_session_is(vault: str, folder: str, repository: str) -> None:
    open_in(vault, repository, "s")
    Path(folder, ".holdfast.toml").write_text("off = true\n")
    assert gate.here({"HOLDFAST_SESSION": "s"}, folder, vault).project.off


def test_hook_and_command_line_agree_on_the_name_of_the_host(vault: str, folder: str) -> None:
    env = {"HOLDFAST_SESSION": "s", "HOLDFAST_HOST": "My Agent/2"}
    host = generic.moment({}, env).host
    episode = open_in(vault, folder, "s", host=host)
    assert gate.here(env, folder, vault).episode == episode.key


def test_an_episode_that_cannot_be_read_does_not_keep_a_flag_from_being_taken(vault: str, folder: str) -> None:
    open_in(vault, folder, "s")
    path = next(Path(vault, ".state", "episodes", "log").rglob("generic~s"))
    path.unlink()
    path.mkdir()
    assert gate.here({"HOLDFAST_SESSION": "s"}, folder, vault).episode == "generic/s/0"
