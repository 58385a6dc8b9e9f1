"""The team in a machine's own settings, the names that leave it, and shipments that nobody waits for; no server."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from field_support import NOW, SHOP

from holdfast.capture import background as processes
from holdfast.capture import config, home
from holdfast.errors import NotFound
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event
from holdfast.memory import Memory
from holdfast.team import asking, background, names, settings, shipping
from holdfast.team.acknowledged import Acknowledged, folder
from holdfast.team.settings import Settings, Share

DSN = "postgresql://hf_ada:geheim@db.example/holdfast"
SHARE = Share(SHOP, "backend")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    vault = str(tmp_path / "vault")
    home.make_vault(vault)
    return {"HOME": str(tmp_path), "HOLDFAST_HOME": vault}


def joined(env: dict[str, str], *teams: str) -> Settings:
    made = Settings(DSN, "ada", projects={SHOP: teams} if teams else {})
    settings.write(env, made)
    return made


def test_settings_come_back_as_they_were_written_and_are_their_owners_only(env: dict[str, str]) -> None:
    made = replace(joined(env, "backend", "ops"), budget_s=0.5)
    path = settings.write(env, made)
    assert settings.load(env, env["HOLDFAST_HOME"]) == made
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert made.shares == (SHARE, Share(SHOP, "ops"))
    assert made.without(SHARE).shares == (Share(SHOP, "ops"),)
    assert settings.load(env, "/elsewhere") == Settings()


def test_settings_of_another_type_are_as_good_as_none() -> None:
    found = settings.read({"team": {"dsn": 7, "budget_s": "soon", "projects": {"a": "b", "c": ["d", 1]}}})
    assert found == Settings(projects={"c": ("d",)})


@pytest.mark.parametrize(
    "dsn",
    [
        DSN,
        "host=db password=geheim user=ada",
        "host=db password='geheim' dbname=x",
        "postgresql://h/db?password=geheim",
    ],
)
def test_a_password_is_never_shown(dsn: str) -> None:
    assert "geheim" not in settings.masked(dsn)
    assert "***" in settings.masked(dsn)


def test_a_machine_that_joined_no_team_is_told_how(env: dict[str, str]) -> None:
    with pytest.raises(NotFound, match="has joined no team; nothing was changed"):
        settings.joined(env, env["HOLDFAST_HOME"])


def test_names_tell_people_apart_and_come_back(env: dict[str, str]) -> None:
    named = names.of(env["HOLDFAST_HOME"], SHARE, "ada")
    note = "n-" + "0" * 24
    assert named.out(note) == f"{note}.{named.suffix}"
    assert named.back(named.out(note)) == note
    assert named.out("01M7QWJTSP0002PJK5SPPZH3ND") == "01M7QWJTSP0002PJK5SPPZH3ND"
    assert [named.agent(one) for one in ("operator", "claude-code/1", "scout")] == ["ada", "ada", "ada:scout"]


@pytest.mark.parametrize(
    ("one", "leaves"),
    [
        (Thought("a", "x", project=SHOP), True),
        (Thought("a", "x", project="other"), False),
        (Thought("a", "x", project=""), False),
        (Thought("a", "x", kind="note", category="identity", project=SHOP, path="identity/x.md"), False),
        (Thought("a", "x", kind="note", category="handoff", project=SHOP, path="lineage/x.md"), False),
        (Thought("a", "x", kind="note", category="said", project=SHOP, path="prompts/x.md"), False),
        (Thought("a", "x", kind="note", category="rule", project=SHOP, path="rules/x.md"), True),
        (Thought("a", "x (proposed by an agent, not accepted)", kind="note", category="rule", project=SHOP), False),
        (Thought("c-1", "x", kind="consolidation", contributor="sleep", project=SHOP), False),
    ],
)
def test_only_what_is_meant_for_others_leaves(env: dict[str, str], one: Thought, leaves: bool) -> None:
    assert names.of(env["HOLDFAST_HOME"], SHARE, "ada").has(one) is leaves


def test_the_words_of_a_question_elsewhere_stay_here(env: dict[str, str]) -> None:
    named = names.of(env["HOLDFAST_HOME"], SHARE, "ada")
    asked = Event(NOW, GOT, ("one", "two"), "claude-code/1", "session", "other", "a secret plan", {"two": (1.0, 2.0)})
    sent = named.event(asked, ["two"])
    assert sent == Event(NOW, GOT, ("one",), "ada", "", SHOP, "", {})
    assert named.event(asked, ["one", "two"]) is None


def test_a_withdrawal_is_kept_on_disk_until_it_is_made(env: dict[str, str]) -> None:
    vault = env["HOLDFAST_HOME"]
    shipping.note_withdrawal(vault, SHARE)
    shipping.note_withdrawal(vault, SHARE)
    assert shipping.withdrawals(vault) == [SHARE]
    shipping.drop_withdrawal(vault, SHARE)
    assert shipping.withdrawals(vault) == []


def test_a_record_of_what_was_acknowledged_that_is_damaged_is_begun_anew(env: dict[str, str]) -> None:
    with Acknowledged(env["HOLDFAST_HOME"], SHARE) as sent:
        sent.keep(there={"knowledge/a.md": "1"}, mark="x")
    Path(sent.path).write_bytes(b"\x5a" * 4096)
    with Acknowledged(env["HOLDFAST_HOME"], SHARE) as sent:
        assert sent.places() == {}
        assert sent.note("mark") == ""


def test_shipments_are_started_at_once_and_then_at_most_one_waits(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = env["HOLDFAST_HOME"]
    started: list[str] = []

    def spawn(command: list[str], *_: object) -> int:
        started.append(command[-1])
        return 7

    monkeypatch.setattr(processes, "spawn", spawn)
    assert background.start_if_due(vault, env, NOW) == 0  # no team
    joined(env)
    assert background.start_if_due(vault, env, NOW) == 0  # nothing is shared
    joined(env, "backend")
    assert background.start_if_due(vault, env, NOW) == 7
    stamp = Path(folder(vault), background.STARTED)
    stamp.touch()
    os.utime(stamp, (NOW, NOW))
    background.start_if_due(vault, env, NOW + 4)
    background.start_if_due(vault, env, NOW + 4, soon=True)
    assert started == ["0.0", "6.0", "0.0"]
    assert background.start_if_due(vault, {**env, "HOLDFAST_CLOSE": "off"}, NOW) == 0
    asking.note_away(vault, NOW + 4)
    assert background.start_if_due(vault, env, NOW + 5, soon=True) == 0


@pytest.mark.slow
def test_recall_without_a_team_imports_none_of_its_code(env: dict[str, str]) -> None:
    code = (
        "import sys; from holdfast.cli import app\n"
        "sys.argv = ['holdfast', 'recall', 'anything']\n"
        "try: app.main()\nexcept SystemExit: pass\n"
        "print([one for one in sys.modules if one.startswith(('holdfast.team', 'psycopg', 'holdfast.field.postgres'))])"
    )
    given = {**env, "PATH": os.environ["PATH"]}
    Path(env["HOLDFAST_HOME"], "knowledge").mkdir(exist_ok=True)
    Path(env["HOLDFAST_HOME"], "knowledge", "a.md").write_text("anything at all", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_project_is_shared_by_this_machines_settings_alone(env: dict[str, str], tmp_path: Path) -> None:
    memory = Memory.open(env["HOLDFAST_HOME"], str(tmp_path), lambda: NOW, env)
    assert memory.field.shared() == ()
    joined(env, "backend")
    assert memory.field.shared() == (SHOP,)
    elsewhere = Memory.open(str(tmp_path / "other"), str(tmp_path), lambda: NOW, env)
    assert elsewhere.field.shared() == ()
    assert config.section(config.load(home.machine_state(env)), "team")["person"] == "ada"
