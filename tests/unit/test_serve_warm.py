"""The warm field of a server and the settings: another embedder counts from the next request on."""

from __future__ import annotations

from pathlib import Path

from embed_server import Model, facts, name_for, settings_for, write_notes
from hook_support import Home
from judge_server import Server

from holdfast.capture import config
from holdfast.field import changing, embedding, indexing
from holdfast.field.embed import choice, known
from holdfast.field.embed.choice import Settings
from holdfast.field.embed.wordllama import NAME, WordLlama
from holdfast.serve.warm import Warm


def test_another_embedder_in_the_settings_counts_without_a_restart(fresh: Home) -> None:
    write_notes(str(fresh.vault), facts(20))
    warm = Warm(str(fresh.vault), WordLlama(), lambda: 1.0, fresh.env)
    with warm.field() as field:
        indexing.sync(field)
        store = field.store
    with Server(Model(256)) as server:
        changing.choose(fresh.state, Settings(), settings_for(server), fresh.env)
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
        changing.choose(fresh.state, Settings(), settings_for(server), fresh.env)
        Path(fresh.state, known.FILE).unlink()
        Warm(str(fresh.vault), choice.made(settings_for(server), fresh.env), lambda: 1.0, fresh.env).stop()
        assert list(known.recalled(fresh.state)) == [name_for(server)]
