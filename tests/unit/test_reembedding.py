"""Embedding a field in a process of its own: real processes, the default model, and endpoints that are held, go away or
lie. Search goes on meanwhile."""

from __future__ import annotations

import os
import posix
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from embed_server import Model, facts, name_for, settings_for, until, write_notes
from hook_support import Home
from judge_server import Server

from holdfast.capture import config
from holdfast.errors import UsageError
from holdfast.field import embedder_choice, embedders, embedding, embedding_process, handle, intake
from holdfast.field.embedder_models import WordLlama
from holdfast.field.embedders import WORDLLAMA as NAME
from holdfast.field.embedders import NoVectors, Settings
from holdfast.field.embedding_process import Background, Progress
from holdfast.field.store import Scope
from holdfast.memory import Memory

QUESTION = "which crate holds pears"


@pytest.fixture
def memory(fresh: Home) -> Iterator[Memory]:
    """A memory of forty notes with vectors of the default model; no process of ours outlives it."""
    vault = str(fresh.vault)
    write_notes(vault, facts(40))
    made = Memory.open(vault, str(fresh.project), env=fresh.env)
    made.field.catch_up()
    yield made
    for pid in tuple(embedding_process.STARTED):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not any(embedding_process.runs(pid) for pid in tuple(embedding_process.STARTED)))


def soon() -> None:
    threading.Event().wait(0.05)


def serving(memory: Memory) -> str:
    return memory.field.embedders().serving


def found(memory: Memory) -> list[str]:
    return [one.thought.path for one in memory.field.recall(QUESTION, Scope(), 5).results]


def ended(memory: Memory) -> Progress:
    """What the last process left, once it has ended."""
    until(lambda: not embedding_process.is_at_work(memory.at.vault) and not embedding_process.STARTED)
    last = embedding_process.progress(memory.at.vault)
    assert last
    return last


def changed(memory: Memory, wanted: Settings) -> Progress:
    """A change, made by this process itself."""
    embedder_choice.choose(memory.at.state, memory.field.embedders().chosen, wanted, memory.at.env)
    embedding_process.work(memory.at.vault, memory.at.env)
    last = embedding_process.progress(memory.at.vault)
    assert last
    return last


def held_back(memory: Memory, server: Server, model: Model) -> None:
    """A change to an endpoint that has answered the probe and now keeps the process waiting."""
    embedder_choice.choose(memory.at.state, Settings(), settings_for(server), memory.at.env)
    model.gate.clear()
    model.waiting.clear()
    assert memory.field.embed() in embedding_process.STARTED
    assert model.waiting.wait(30)


@pytest.mark.slow
@pytest.mark.parametrize("dimension", [96, 256], ids=["of another length", "of the same length"])
def test_a_change_is_made_in_the_background_while_the_old_vectors_answer(memory: Memory, dimension: int) -> None:
    model = Model(dimension)
    before = found(memory)
    with Server(model) as server:
        held_back(memory, server, model)
        shown = memory.field.embedders()
        assert shown.serving == NAME
        assert shown.change
        assert shown.change["alive"]
        assert shown.change["pid"] in embedding_process.STARTED
        assert (shown.change["done"], shown.change["total"]) == (0, 40)
        assert found(memory) == before, "from the old vectors"
        assert QUESTION not in model.texts
        model.gate.set()
        last = ended(memory)
        assert (last.model, last.before, last.done, last.total) == (name_for(server), NAME, 40, 40)
        assert last.problem == ""
        shown = memory.field.embedders()
        assert (shown.serving, shown.dimension, shown.embedded) == (name_for(server), dimension, 40)
        assert shown.change is None
        found(memory)
        assert QUESTION in model.texts, "now the new one embeds questions"


@pytest.mark.slow
def test_after_a_change_recall_says_what_a_rebuild_under_the_new_model_says(memory: Memory) -> None:
    with Server(Model(96)) as server:
        changed(memory, settings_for(server))
        said = [(one.thought.id, one.relevance) for one in memory.field.recall(QUESTION, Scope()).results]
        memory.field.rebuild()
        assert [(one.thought.id, one.relevance) for one in memory.field.recall(QUESTION, Scope()).results] == said


@pytest.mark.slow
def test_two_that_are_started_at_once_do_the_work_once(memory: Memory) -> None:
    model = Model(16)
    with Server(model) as server:
        held_back(memory, server, model)
        second = memory.field.embed()
        until(lambda: not embedding_process.runs(second))
        assert embedding_process.is_at_work(memory.at.vault), "the second one left it to the first"
        model.gate.set()
        ended(memory)
    assert len(model.texts) == 40 + 2, "each thought once, and two probes"


@pytest.mark.slow
def test_killed_it_is_gone_on_with_where_it_was(memory: Memory) -> None:
    write_notes(memory.at.vault, facts(200))
    memory.field.catch_up()
    model = Model(16)
    with Server(model) as server:
        embedder_choice.choose(memory.at.state, Settings(), settings_for(server), memory.at.env)
        pid = memory.field.embed()
        until(lambda: memory.field.embedders().coming > 0)
        model.gate.clear()
        os.kill(pid, signal.SIGKILL)
        until(lambda: not embedding_process.runs(pid))
        model.gate.set()
        shown = memory.field.embedders()
        made = shown.coming
        assert 0 < made <= 200
        assert made == 200 or shown.serving == NAME
        assert not shown.is_at_work
        model.texts.clear()
        memory.field.embed()
        ended(memory)
        assert len(model.texts) <= 200 - made + 1, "what was made is not made again"
        assert memory.field.embedders().is_done


@pytest.mark.slow
def test_an_endpoint_that_goes_away_half_way_is_said_and_the_old_one_serves_on(memory: Memory) -> None:
    write_notes(memory.at.vault, facts(150))
    memory.field.catch_up()
    model = Model(16, most=3)  # the probe, and two batches
    with Server(model) as server:
        memory.field.choose_embedder(settings_for(server))
        last = ended(memory)
        assert "400" in last.problem
        assert last.ended > 0
        shown = memory.field.embedders()
        assert shown.serving == NAME
        assert shown.change
        assert shown.change["problem"] == last.problem
        assert not shown.change["alive"]
        assert any(last.problem in line for line in shown.lines())
        assert found(memory)
        model.most = 1 << 30
        *_, shown = memory.field.follow_embedding(soon)
        assert shown.serving == name_for(server)
        assert shown.is_done


@pytest.mark.slow
def test_whoever_follows_is_told_why_it_stands_still(memory: Memory) -> None:
    with Server(Model(16, most=1)) as server:
        embedder_choice.choose(memory.at.state, Settings(), settings_for(server), memory.at.env)
        with pytest.raises(NoVectors, match="400"):
            list(memory.field.follow_embedding(soon))
    assert serving(memory) == NAME


@pytest.mark.slow
def test_another_dimension_under_the_same_name_stands_still_and_says_so(memory: Memory) -> None:
    model = Model(16)
    with Server(model) as server:
        changed(memory, settings_for(server))
        model.dimension = 24
        write_notes(memory.at.vault, facts(45))
        with handle.opened(memory.at.vault) as field:
            intake.take_in(field)
        assert "24 numbers, and before it was 16" in changed(memory, settings_for(server)).problem
        shown = memory.field.embedders()
        assert (shown.serving, shown.dimension, shown.embedded) == (name_for(server), 16, 40)
        assert found(memory), "words answer"


@pytest.mark.slow
def test_a_choice_that_is_changed_on_the_way_counts_at_once(memory: Memory) -> None:
    first, second = Model(16), Model(24)
    with Server(first) as one, Server(second) as other:
        held_back(memory, one, first)
        embedder_choice.choose(memory.at.state, settings_for(one), settings_for(other), memory.at.env)
        first.gate.set()
        assert ended(memory).model == name_for(other)
        assert serving(memory) == name_for(other)


@pytest.mark.slow
def test_a_choice_that_is_taken_back_on_the_way_leaves_the_old_one_serving(memory: Memory) -> None:
    model = Model(16)
    with Server(model) as server:
        held_back(memory, server, model)
        done = memory.field.choose_embedder(Settings())
        assert done.model == NAME
        assert memory.field.embedders().is_done, "at once"
        model.gate.set()
        last = ended(memory)
        assert (last.model, last.problem) == (NAME, "")
    shown = memory.field.embedders()
    assert (shown.serving, shown.embedded, shown.change) == (NAME, 40, None)
    with handle.opened(memory.at.vault) as field:
        assert field.store.lacking(name_for(server)) == 40, "what was made of it is gone"


@pytest.mark.slow
def test_to_none_and_back_keeps_the_vectors_and_sends_nothing(memory: Memory) -> None:
    model = Model(16)
    with Server(model) as server:
        changed(memory, settings_for(server))
        done = memory.field.choose_embedder(Settings("none"))
        assert (done.model, done.pid) == ("", 0)
        assert embedders.recalled(memory.at.state) == {}
        sent = len(model.texts)
        assert found(memory)
        changed(memory, Settings())
        assert len(model.texts) == sent, "an address that was left is asked nothing"
        assert serving(memory) == NAME


@pytest.mark.slow
def test_back_from_none_only_what_came_since_is_embedded(memory: Memory) -> None:
    model = Model(16)
    with Server(model) as server:
        changed(memory, settings_for(server))
        memory.field.choose_embedder(Settings("none"))
        write_notes(memory.at.vault, facts(41))
        memory.field.catch_up()
        model.texts.clear()
        changed(memory, settings_for(server))
        assert len(model.texts) == 3, "the new one, and two probes"
        assert memory.field.embedders().is_done


@pytest.mark.slow
def test_a_vault_cannot_name_the_address_that_questions_are_sent_to(memory: Memory, tmp_path: Path) -> None:
    """Recipes are the machine's own: in another machine's hands the vectors of an endpoint answer nobody."""
    model = Model(16)
    with Server(model) as server:
        changed(memory, settings_for(server))
        elsewhere = {**memory.at.env, "HOLDFAST_HOME": str(tmp_path / "own")}
        other = Memory.open(memory.at.vault, memory.at.cwd, env=elsewhere)
        sent = len(model.texts)
        with other.field.open() as field:
            assert field.asker() is None
        assert found(other)
        assert len(model.texts) == sent


@pytest.mark.slow
def test_nobody_is_started_soon_after_one_that_gave_up_or_where_the_user_wants_none(memory: Memory) -> None:
    now = time.time()
    with Server(Model(16, most=1)) as server:
        embedder_choice.choose(memory.at.state, Settings(), settings_for(server), memory.at.env)
        started = {**memory.at.env, "HOLDFAST_CLOSE": ""}
        assert not Background(memory.at.vault, memory.at.env).start(), "the tests' homes start nothing by themselves"
        assert Background(memory.at.vault, started).start()
        assert ended(memory).problem
        assert not Background(memory.at.vault, started).start()
        assert Background(memory.at.vault, started, lambda: now + 2 * embedding_process.RETRY).start()
        ended(memory)


@pytest.mark.slow
def test_settings_that_cannot_be_followed_are_why_it_stands_still(memory: Memory) -> None:
    Path(config.path_of(memory.at.state)).write_text('[embed]\nname = "openai"\n', encoding="utf-8")
    memory.field.embed()
    assert "needs the name of its model" in ended(memory).problem
    assert "needs the name of its model" in memory.field.embedders().problem
    Path(config.path_of(memory.at.state)).write_text('[embed]\nname = "magic"\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no embedder"):
        memory.field.embedders()


@pytest.mark.slow
def test_a_key_that_this_shell_has_not_costs_neither_the_answer_nor_the_vectors_that_serve(memory: Memory) -> None:
    before = found(memory)
    Path(config.path_of(memory.at.state)).write_text('[embed]\nname = "openai"\nmodel = "m"\n', encoding="utf-8")
    with memory.field.open() as field:
        assert isinstance(field.asker(), WordLlama)
    assert found(memory) == before
    write_notes(memory.at.vault, facts(41))
    memory.field.catch_up()
    shown = memory.field.embedders()
    assert (shown.serving, shown.embedded, shown.thoughts) == (NAME, 41, 41), "what is new is found by its meaning too"
    assert "OPENAI_API_KEY" in shown.problem
    with pytest.raises(NoVectors, match="OPENAI_API_KEY"):
        embedders.at_hand(Settings("openai", "m"), {}).embed(["a"])  # type: ignore[union-attr]


@pytest.mark.slow
def test_what_goes_wrong_in_the_background_is_in_the_ledger(memory: Memory, fresh: Home) -> None:
    (fresh.vault / ".state" / embedding_process.LOCK).unlink(missing_ok=True)
    (fresh.vault / ".state" / embedding_process.LOCK).mkdir()
    pid = memory.field.embed()
    until(lambda: not embedding_process.runs(pid))
    assert any("IsADirectoryError" in error for error in fresh.errors())


@pytest.mark.slow
def test_a_large_first_lot_is_finished_by_a_process_of_its_own(fresh: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "SECONDS", -1.0)  # nobody waits for any of it
    vault = str(fresh.vault)
    write_notes(vault, facts(300))
    memory = Memory.open(vault, str(fresh.project), env={**fresh.env, "HOLDFAST_CLOSE": ""})
    assert found(memory), "by words, at once"
    assert (ended(memory).model, memory.field.embedders().embedded) == (NAME, 300)


@pytest.mark.slow
def test_the_process_stands_behind_whatever_else_runs(memory: Memory) -> None:
    model = Model(16)
    with Server(model) as server:
        held_back(memory, server, model)
        (pid,) = embedding_process.STARTED
        assert os.getpriority(os.PRIO_PROCESS, pid) >= min(19, posix.nice(0) + embedding_process.BEHIND)
        assert os.getsid(pid) == pid
        model.gate.set()
        ended(memory)


def test_a_file_of_progress_that_is_no_such_is_as_good_as_none(memory: Memory) -> None:
    Path(memory.at.state, embedding_process.FILE).write_text('{"model": 1}', encoding="utf-8")
    assert embedding_process.progress(memory.at.vault) is None
    assert memory.field.embedders().is_done


def test_the_default_model_and_that_of_the_extra_need_no_recipe(memory: Memory) -> None:
    former = embedders.Former(memory.at.state, memory.at.env)
    assert isinstance(former(NAME), WordLlama)
    assert former(NAME) is former(NAME), "it is loaded once"
    assert former("openai:nobody's") is None


def test_recipes_are_kept_for_the_newest_few_and_hold_no_key(memory: Memory, token: str) -> None:
    env = {**memory.at.env, "KEY": token}
    for nth in range(embedders.MOST + 3):
        embedder_choice.remember(memory.at.state, Settings("openai", f"m{nth}", "http://127.0.0.1:1", "KEY"), env)
    kept = embedders.recalled(memory.at.state)
    assert list(kept) == [f"openai:m{nth}@127.0.0.1:1/v1" for nth in range(3, embedders.MOST + 3)]
    assert token not in Path(memory.at.state, embedders.FILE).read_text(encoding="utf-8")
    assert embedders.Former(memory.at.state, {})("openai:m5@127.0.0.1:1/v1") is None, (
        "without its key it cannot be made"
    )
    assert embedders.Former(memory.at.state, env)("openai:m5@127.0.0.1:1/v1")
