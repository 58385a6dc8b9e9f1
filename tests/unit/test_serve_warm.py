"""The warm field of a server and the settings: another embedder counts from the next request on."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from embed_server import Model, facts, name_for, settings_for, write_notes
from hook_support import Home, wait_until
from judge_server import Server

from holdfast.capture import config
from holdfast.errors import HoldfastError
from holdfast.field import embedder_choice, embedders, embedding, intake
from holdfast.field.embedder_models import WordLlama
from holdfast.field.embedders import WORDLLAMA as NAME
from holdfast.field.embedders import Settings
from holdfast.serve.service import AT_WORK, Warm

WARMED = """
import os, sys, threading, time
from holdfast.field.embedder_models import WordLlama
from holdfast.serve.service import Warm
was_there = "numpy" in sys.modules
warm = Warm(sys.argv[1], WordLlama(), time.time, os.environ)
warm.start()
for _ in range(300):
    if "numpy" in sys.modules:
        break
    threading.Event().wait(0.1)
warm.stop()
print(was_there, "numpy" in sys.modules)
"""


@pytest.mark.slow
def test_the_model_is_loaded_before_the_first_question(fresh: Home) -> None:
    assert fresh.cli("remember", "Orders use optimistic locking").status == 0
    line = [sys.executable, "-c", WARMED, str(fresh.vault)]
    assert subprocess.check_output(line, text=True, env=fresh.env) == "False True\n"


@pytest.mark.slow
def test_another_embedder_in_the_settings_counts_without_a_restart(fresh: Home) -> None:
    write_notes(str(fresh.vault), facts(20))
    warm = Warm(str(fresh.vault), WordLlama(), lambda: 1.0, fresh.env)
    with warm.field() as field:
        intake.sync(field)
        store = field.store
    with Server(Model(256)) as server:
        embedder_choice.choose(fresh.state, Settings(), settings_for(server), fresh.env)
        with warm.field() as field:
            assert field.store is store, "it stays open"
            assert field.embedder
            assert field.embedder.name == name_for(server)
            asker = field.asker()
            assert asker
            assert asker.name == NAME, "until the other one serves"
            assert embedding.everything(field, field.embedder)
            asker = field.asker()
            assert asker
            assert asker.name == name_for(server)
    warm.stop()


def test_settings_that_name_nobody_leave_search_to_the_words_until_they_are_mended(fresh: Home) -> None:
    write_notes(str(fresh.vault), facts(3))
    warm = Warm(str(fresh.vault), WordLlama(), lambda: 1.0, fresh.env)
    path = Path(config.path_of(fresh.state))
    for text, name in (
        ('name = "magic"', ""),
        ('name = "openai"', "openai, which is not here"),
        ('name = "wordllama"', NAME),
        ('name = "none"', ""),
    ):
        path.write_text(f"[embed]\n{text}\n", encoding="utf-8")
        with warm.field() as field:
            assert (field.embedder.name if field.embedder else "") == name, text
    warm.stop()


def test_what_a_server_began_with_can_still_be_made_when_another_takes_over(fresh: Home) -> None:
    write_notes(str(fresh.vault), facts(3))
    with Server(Model(16)) as server:
        embedder_choice.choose(fresh.state, Settings(), settings_for(server), fresh.env)
        Path(fresh.state, embedders.FILE).unlink()
        Warm(str(fresh.vault), embedders.made_from(settings_for(server), fresh.env), lambda: 1.0, fresh.env).stop()
        assert list(embedders.recalled(fresh.state)) == [name_for(server)]


def test_a_few_questions_are_answered_at_once_and_the_same_one_only_once(fresh: Home) -> None:
    warm = Warm(str(fresh.vault), None, lambda: 1.0, fresh.env)
    gate, lock = threading.Event(), threading.Lock()
    at_work, most, begun = 0, 0, Counter[str]()

    def work(question: str) -> str:
        nonlocal at_work, most
        with lock:
            begun[question] += 1
            at_work += 1
            most = max(most, at_work)
        gate.wait(10)
        with lock:
            at_work -= 1
        return f"answer to {question}"

    looked: set[int] = set()

    class Question(str):
        """A question that knows when it was looked up among those under way."""

        __slots__ = ()

        def __hash__(self) -> int:
            looked.add(id(self))
            return super().__hash__()

    with ThreadPoolExecutor(50) as clients:
        asked = [Question(f"question {nth % 25}") for nth in range(50)]
        said = [clients.submit(warm.answered, one, partial(work, str(one))) for one in asked]
        wait_until("all are asked", lambda: len(looked) == 50)
        gate.set()
        assert [one.result(10) for one in said] == [f"answer to {one}" for one in asked]
    assert most <= AT_WORK
    assert set(begun.values()) == {1}
    assert not warm._under_way
    warm.stop()


def test_a_question_that_fails_fails_for_whoever_asked_it_and_can_be_asked_again(fresh: Home) -> None:
    warm = Warm(str(fresh.vault), None, lambda: 1.0, fresh.env)

    def fail() -> str:
        raise HoldfastError("The field is away.")

    with pytest.raises(HoldfastError):
        warm.answered("a", fail)
    assert warm.answered("a", lambda: "there") == "there"
    warm.stop()
