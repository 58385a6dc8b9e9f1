"""`holdfast embed` as it is typed: what it shows, what it asks, what it writes, and that a choice which does not work
changes nothing."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from embed_server import Model, facts, name_for, until, write_notes
from hook_support import SOURCE, Home
from judge_server import Server, refuses

from holdfast.capture import config
from holdfast.errors import UsageError
from holdfast.field import embedder_choice, embedding_process
from holdfast.field.embedder_choice import EmbedderStatus
from holdfast.field.embedders import WORDLLAMA as NAME
from holdfast.field.embedders import Settings
from holdfast.memory import Memory


def written(fresh: Home) -> str:
    path = Path(config.path_of(fresh.state))
    return path.read_text(encoding="utf-8") if path.exists() else ""


def shown(fresh: Home) -> dict[str, object]:
    done = fresh.cli("embed", "--json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def test_without_a_vault_it_shows_the_choices_and_makes_none(fresh: Home) -> None:
    done = fresh.cli("embed")
    assert done.status == 0
    assert done.out.splitlines()[:2] == [
        f"chosen:  wordllama, a small model that comes with holdfast ({NAME})",
        "serving: words alone so far",
    ]
    for part in ("16 MB, 256 numbers", "texts leave this machine", "words alone"):
        assert part in done.out
    assert not fresh.vault.exists()


@pytest.mark.slow
def test_a_choice_is_checked_written_and_followed_until_it_serves(fresh: Home) -> None:
    write_notes(str(fresh.vault), facts(30))
    Path(config.path_of(fresh.state)).write_text("# mine\n[serve]\nhealth_age = 60  # an hour is too long\n")
    assert fresh.cli("recall", "pears").status == 0
    with Server(Model(24)) as server:
        done = fresh.cli("embed", "openai", "--url", server.url, "--model", "small", "--wait")
        assert done.status == 0, done.err
        assert f"{name_for(server)} works: 24 numbers for a text." in done.out
        assert f"serving: {name_for(server)}, 24 numbers; 30 of 30 thoughts have its vectors" in done.out
        assert "coming:" not in done.out
        assert "background" not in done.out, "whoever waits for it sees it"
        found = shown(fresh)
        assert found["serving"] == found["model"] == name_for(server)
        assert found["chosen"] == {"name": "openai", "model": "small", "url": server.url}
        assert found["change"] is None
        for line in ("# mine", "health_age = 60  # an hour is too long"):
            assert line in written(fresh)
        done = fresh.cli("embed", "none", "--json")
        assert json.loads(done.out)["written"]
        assert "words alone; 30 thoughts keep their vectors of openai:small" in fresh.cli("embed").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["magic"], "no embedder"),
        (["openai"], "needs the name of its model"),
        (["openai", "--model", "m", "--url", "nowhere"], "no address"),
        (["none", "--model", "m"], "none takes no --model"),
        (["wordllama", "--folder", "f"], "wordllama takes no --folder"),
        (["onnx", "--key-env", "K"], "onnx takes no --key-env"),
        (["onnx", "--folder", "empty"], "has not both tokenizer.json and"),
    ],
)
def test_a_choice_that_cannot_be_used_leaves_the_settings_as_they_were(
    fresh: Home, words: list[str], said: str
) -> None:
    before = "[embed] # mine\nname = 'wordllama'\n"
    fresh.vault.joinpath(".state").mkdir(parents=True)
    Path(config.path_of(fresh.state)).write_text(before, encoding="utf-8")
    done = fresh.cli("embed", *words)
    assert done.status != 0
    assert said in done.err
    assert written(fresh) == before


@pytest.mark.slow
def test_an_endpoint_that_refuses_is_not_written(fresh: Home) -> None:
    with Server(refuses(404)) as server:
        done = fresh.cli("embed", "openai", "--url", server.url, "--model", "small")
    assert done.status == 16
    assert "404" in done.err
    assert written(fresh) == ""


@pytest.mark.slow
def test_that_texts_leave_the_machine_is_asked_before_anything_is_sent(fresh: Home) -> None:
    command = [sys.executable, "-P", "-m", "holdfast", "embed", "openai", "--url", "https://vectors.invalid/v1"]
    done = subprocess.run(
        [*command, "--model", "m"],
        input="n\n",
        capture_output=True,
        text=True,
        check=False,
        env={**fresh.env, "PYTHONPATH": str(SOURCE)},
        cwd=fresh.project,
        timeout=60,
    )
    assert done.returncode == 1
    assert "will leave this machine for vectors.invalid" in done.stdout
    assert "Nothing was changed." in done.stdout
    assert written(fresh) == ""


def test_an_agent_may_not_choose(fresh: Home) -> None:
    done = fresh.cli("embed", "none", env={"HOLDFAST_SESSION": "s1"})
    assert done.status != 0
    assert "the user's to do" in done.err
    assert written(fresh) == ""


@pytest.mark.slow
def test_a_terminal_shows_a_bar(fresh: Home) -> None:
    write_notes(str(fresh.vault), facts(30))
    Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env).field.catch_up()
    model = Model(24)
    ours, theirs = pty.openpty()
    with Server(model) as server:
        command = [sys.executable, "-P", "-m", "holdfast", "embed", "openai", "--url", server.url, "--model", "small"]
        done = subprocess.run(
            [*command, "--wait", "--yes"],
            env={**fresh.env, "PYTHONPATH": str(SOURCE), "TERM": "xterm", "COLUMNS": "100"},
            cwd=fresh.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
            check=False,
            timeout=60,
        )
    os.close(theirs)
    drawn = os.read(ours, 1 << 16).decode("utf-8", "replace")
    os.close(ours)
    assert done.returncode == 0, drawn
    assert "embedding the field" in drawn
    assert "%" in drawn


@pytest.mark.slow
def test_a_change_that_stands_still_is_gone_on_with_by_looking_at_it(fresh: Home) -> None:
    write_notes(str(fresh.vault), facts(30))
    memory = Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env)
    memory.field.catch_up()
    with Server(Model(24)) as server:
        wanted = Settings("openai", "small", server.url)
        embedder_choice.choose(fresh.state, Settings(), wanted, fresh.env)
        done = fresh.cli("embed")
        assert f"coming:  {name_for(server)}, 0 of 30; nobody is at it." in done.out
        until(lambda: memory.field.embedders().is_done and not embedding_process.is_at_work(memory.at.vault))


def test_the_same_embedder_keeps_what_is_not_named_and_another_begins_anew() -> None:
    before = Settings("openai", "small", "http://127.0.0.1:1", "KEY")
    assert embedder_choice.wanted(before, "", "/", model="large") == Settings(
        "openai", "large", "http://127.0.0.1:1", "KEY"
    )
    assert embedder_choice.wanted(before, "openai", "/") == before
    assert embedder_choice.wanted(before, "wordllama", "/") == Settings()
    assert embedder_choice.wanted(before, "onnx", "/here", folder="m") == Settings("onnx", folder="/here/m")
    with pytest.raises(UsageError):
        embedder_choice.wanted(before, "", "/", folder="m")


def test_questions_that_still_go_to_the_old_address_are_said() -> None:
    made = EmbedderStatus(Settings(), NAME, "", "openai:m@h", 3, 10, 10, 4, "https://h/v1", is_at_work=False)
    said = "\n".join(made.lines())
    assert "Until then questions and new thoughts go to https://h/v1; `none` ends that at once." in said
