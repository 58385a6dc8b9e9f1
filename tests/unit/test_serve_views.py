"""What `serve` shows: notes, handoffs, tasks, queue and ledger of this project, and that looking leaves no trace."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flag_support import take
from hook_support import a_home, wait_until
from serve_support import serving

from holdfast.capture import flags, projects
from holdfast.memory import Memory
from holdfast.serve import health
from holdfast.serve.service import Serving
from holdfast.vault import edits
from holdfast.vault.edits import Asked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hook_support import Home
    from serve_support import Server

HANDOFF = """# Locks in the shop
## Goals
- No deadlocks in orders.
## Done
- Row locks in src/orders/lock.py.
## Decisions
- Row locks, since table locks deadlocked twice.
## Next steps
- Run `pytest tests/orders -k locking` and fix what fails in src/orders/lock.py.
"""


def told(home: Home, folder: Path) -> Memory:
    return Memory.open(str(home.vault), str(folder), env=home.env)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder, a_home(Path(folder)) as home:
        bank = home.folder / "bank"
        bank.mkdir()
        for where, name in ((home.project, "shop"), (bank, "bank")):
            memory = told(home, where)
            ident = memory.at.project().id
            memory.notes.remember(Asked(f"The {name} deploys on Mondays.", project=ident, name=f"{name}-deploys"))
            edits.remember(
                memory.at.vault,
                Asked(f"Always lock the {name}.", "rule", ident, f"{name}-lock", origin="web"),
                memory.at.clock(),
            )
            memory.tasks.start(f"move-{name}", f"Move the {name} to the new host.", ["files 1-3"])
            memory.sessions.handoff(HANDOFF.replace("shop", name), anyway=True)
            home.flag(f"the {name} has 3 clerks", cwd=where)
        with serving(home) as made:
            made.more.update(bank=projects.find(str(bank), str(home.vault)).id)
            yield made


@pytest.mark.slow
def test_notes_are_those_of_this_project_and_all_by_an_explicit_word(server: Server) -> None:
    mine = [one["path"] for one in server.get("/notes").json["notes"]]
    assert mine == ["knowledge/shop-deploys.md"]
    every = [one["path"] for one in server.get("/notes?all=true").json["notes"]]
    assert {"knowledge/shop-deploys.md", "knowledge/bank-deploys.md"} <= set(every)
    assert server.get("/notes?words=deploys%20bank").json["notes"] == []
    assert server.get("/notes?all=true&limit=1").json["more"] >= 1


@pytest.mark.slow
def test_a_note_is_read_by_its_path(server: Server) -> None:
    found = server.get("/notes/knowledge/shop-deploys.md").json
    assert found["description"] == "The shop deploys on Mondays."
    assert found["text"].startswith("---\n")
    assert server.get("/notes/knowledge/bank-deploys.md").status == 404
    assert server.get("/notes/knowledge/bank-deploys.md?all=true").status == 200
    assert server.get("/notes/BRAIN.md").status == 404


def test_what_waits_for_a_person_is_not_shown_to_programs(server: Server) -> None:
    quarantined = [one.name for one in (server.home.vault / "quarantine").glob("*.md")]
    assert quarantined
    for name in quarantined:
        assert server.get(f"/notes/quarantine/{name}?all=true").status == 404
    assert not [one for one in server.get("/notes?all=true").json["notes"] if one["path"].startswith("quarantine/")]


@pytest.mark.slow
def test_the_lineage_is_whole_and_of_this_project(server: Server) -> None:
    (found,) = server.get("/lineage").json["handoffs"]
    assert (found["number"], found["title"]) == (1, "Locks in the shop")
    assert found["sections"]["goals"] == ["No deadlocks in orders."]
    assert len(server.get("/lineage?all=true").json["handoffs"]) == 2
    (other,) = server.get(f"/lineage?project={server.more['bank']}").json["handoffs"]
    assert other["title"] == "Locks in the bank"


def test_a_task_is_shown_as_the_command_line_shows_it(server: Server) -> None:
    assert [one["id"] for one in server.get("/tasks").json["tasks"]] == ["move-shop"]
    found = server.get("/tasks/move-shop").json
    assert (found["state"], found["goal"]) == ("started", "Move the shop to the new host.")
    assert {"decisions", "progress", "discoveries", "next"} <= set(found)
    assert server.get("/tasks/move-bank").status == 404
    assert server.get("/tasks/move-bank?all=true").status == 200
    assert server.get("/tasks/-x").status == 422


def test_of_other_projects_flags_are_a_number(server: Server) -> None:
    found = server.get("/queue").json
    texts = [one["text"] for one in found["waiting"]]
    assert texts == ["the shop has 3 clerks"]
    assert found["other_projects"] == 1
    assert len(server.get("/queue?all=true").json["waiting"]) == 2


def test_of_other_projects_records_are_a_number(server: Server) -> None:
    found = server.get("/ledger?kind=flag").json
    assert len(found["records"]) == 1
    assert found["other"] == 1
    every = server.get("/ledger?all=true&limit=500").json["records"]
    assert len(every) > 2
    assert all(one.get("project") != server.more["bank"] for one in server.get("/ledger?limit=500").json["records"])


@pytest.mark.slow
def test_the_description_names_every_route(server: Server) -> None:
    paths = server.get("/openapi.json").json["paths"]
    wanted = (
        "think",
        "retrieve",
        "highways",
        "thoughts/{id}",
        "notes",
        "notes/{path}",
        "lineage",
        "tasks",
        "tasks/{id}",
    )
    assert {f"/{one}" for one in (*wanted, "queue", "ledger", "health", "metrics")} == set(paths)


def test_prometheus_is_told_of_the_queue_and_of_no_path_that_a_caller_made_up(server: Server) -> None:
    server.get("/a-path-of-mine")
    server.get("/notes")
    answer = server.get("/metrics")
    text = answer.body.decode("utf-8")
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'holdfast_queue_flags{state="waiting"} 2.0' in text
    assert "holdfast_queue_oldest_age_seconds " in text
    assert "holdfast_field_thoughts " in text
    assert 'route="/notes"' in text
    assert "a-path-of-mine" not in text


def traffic(server: Server) -> list[tuple[str, int]]:
    found = (server.home.vault / ".state" / "traffic").rglob("*")
    return sorted((str(path), path.stat().st_size) for path in found if path.is_file())


def kept(server: Server) -> dict[str, bytes]:
    """All that is not derived."""
    files = (path for path in server.home.vault.rglob("*") if path.is_file())
    ours = (path for path in files if ".state" not in path.parts and ".git" not in path.parts)
    return {str(path): path.read_bytes() for path in ours}


@pytest.mark.slow
def test_looking_leaves_no_trace(server: Server) -> None:
    ident = server.think("the till is counted twice a day")["id"]
    before, had = traffic(server), kept(server)
    for path in ("/highways?query=till", f"/thoughts/{ident}", "/notes", "/lineage", "/tasks/move-shop", "/queue"):
        assert server.get(path).status == 200, path
    asked = {"query": "how often is the till counted", "read_only": True}
    assert server.post("/retrieve", asked).json["results"][0]["id"] == ident
    assert server.get(f"/thoughts/{ident}").json["accesses"] == 0
    assert (traffic(server), kept(server)) == (before, had)


def test_what_a_question_returned_is_reinforced(server: Server) -> None:
    ident = server.think("parcels leave at four in the afternoon")["id"]
    asked = {"query": "when do parcels leave", "session": "s1"}
    assert server.post("/retrieve", asked).json["results"][0]["id"] == ident
    wait_until("it is noted", lambda: bool(server.get(f"/thoughts/{ident}").json["accesses"]))
    found = server.get(f"/thoughts/{ident}").json
    assert (found["accesses"], found["agents"]) == (1, ["operator"])
    assert found["weight"] == pytest.approx(1.05)


def test_the_same_thought_again_is_not_a_second_one(server: Server) -> None:
    first = server.post("/think", {"text": "invoices are numbered by year"}).json
    again = server.post("/think", {"text": "invoices are numbered by year"}).json
    assert (first["is_new"], again["is_new"]) == (True, False)
    assert first["thought"]["id"] == again["thought"]["id"]


def test_a_secret_is_gone_before_anything_is_written(server: Server, token: str) -> None:
    found = server.post("/think", {"text": f"the deploy key is {token}", "tags": [token]}).json
    assert token not in str(found)
    everything = b"".join(path.read_bytes() for path in server.home.vault.rglob("*") if path.is_file())
    assert token.encode() not in everything


@pytest.mark.slow
def test_health_fails_on_an_old_flag_and_says_why(fresh: Home) -> None:
    with serving(fresh, "--health-age", "3600") as server:
        answer = server.get("/health")
        assert (answer.status, answer.json["ok"], answer.json["why"]) == (200, True, "")
        assert {name: answer.json[name] for name in ("degraded", "behind", "index_age_s")} == {
            "degraded": False,
            "behind": 0,
            "index_age_s": 0.0,
        }
        speaker = flags.Speaker("cli", "", projects.find(str(fresh.project), str(fresh.vault)), "agent")
        take(str(fresh.vault), ["an old one"], speaker, time.time() - 7200)
        answer = server.get("/health")
        assert (answer.status, answer.json["ok"], answer.json["waiting"]) == (503, False, 1)
        assert "the oldest for 2.0 hours (limit 1.0)" in answer.json["why"]
        assert "holdfast close" in answer.json["why"]


def test_the_age_at_which_health_fails_is_this_machines_setting(fresh: Home) -> None:
    fresh.flag("one that waits")
    (fresh.vault / ".state" / "config.toml").write_text("[serve]\nhealth_age = 50\n", encoding="utf-8")
    ahead = [0.0]
    serving_ = Serving(str(fresh.vault), str(fresh.project), fresh.env, lambda: time.time() + ahead[0])
    assert health.look(serving_).is_well
    ahead[0] = 100.0
    assert not health.look(serving_).is_well
    assert Serving(str(fresh.vault), str(fresh.project), fresh.env, health_age=7.0).health_age == 7.0


@pytest.mark.slow
def test_where_capture_is_off_nothing_is_written_and_looking_goes_on(fresh: Home) -> None:
    with serving(fresh) as server:
        server.think("before the pause")
        (fresh.vault / ".state" / "paused").touch()
        answer = server.post("/think", {"text": "during the pause"})
        assert (answer.status, answer.error) == (409, "off")
        before = traffic(server)
        assert server.post("/retrieve", {"query": "before the pause"}).status == 200
        assert server.stop() == 0
        assert traffic(server) == before
