"""Judges that are programs: how they are run, and what is made of what they say. The real ones are in tests/e2e."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hook_support import PYTHON
from judge_server import GOOD, a_question, runs, wait_until

from holdfast.errors import JudgeFailed, Unusable
from holdfast.hosts import programs
from holdfast.hosts.codex import judge as codex_judge
from holdfast.judge.models import Agent

TELLS = """#!{python}
import json, os, sys
home = os.environ.get("CODEX_HOME", "")
told = [word for word in sys.argv if word.endswith("/told") or "/told" in word]
path = told[0].split("=", 1)[-1].strip('"') if told else ""
seen = {{
    "words": sys.argv[1:], "given": sys.stdin.read(), "env": dict(os.environ), "cwd": os.getcwd(),
    "around": os.listdir("."), "told": open(path).read() if path else "", "group": os.getpgrp() == os.getpid(),
    "home": {{name: open(f"{{home}}/{{name}}").read() for name in os.listdir(home)
             if os.path.isfile(f"{{home}}/{{name}}")}} if home else {{}},
}}
with open({log!r}, "a") as file:
    file.write(json.dumps(seen) + "\\n")
{more}
"""


class Programs:
    """A folder on PATH with programs that tell what they were told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.log = folder / "log"
        self.env = {"HOME": str(folder), "PATH": f"{self.bin}:/usr/bin:/bin"}

    def put(self, word: str, more: str) -> None:
        path = self.bin / word
        path.write_text(TELLS.format(python=PYTHON, log=str(self.log), more=more), encoding="utf-8")
        path.chmod(0o755)

    def seen(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def shelf(tmp_path: Path) -> Programs:
    return Programs(tmp_path)


def claude_says(text: str = GOOD, status: int = 0, **more: Any) -> str:
    usage = {"input_tokens": 100, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 3, "output_tokens": 9}
    said = {"type": "result", "is_error": False, "result": text, "usage": usage, "modelUsage": {"small-5": {}}, **more}
    return f"print({json.dumps(said)!r}); sys.exit({status})"


def codex_says(text: str = GOOD) -> str:
    events = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": {"input_tokens": 123, "cached_input_tokens": 9, "output_tokens": 9}},
    ]
    return f"print({chr(10).join(json.dumps(one) for one in events)!r})"


def codex_fails(message: str) -> str:
    events = [{"type": "error", "message": "Reconnecting"}, {"type": "turn.failed", "error": {"message": message}}]
    return f"print({chr(10).join(json.dumps(one) for one in events)!r}); sys.exit(1)"


def claude(shelf: Programs, more: str, **env: str) -> Agent:
    shelf.put("claude", more)
    return Agent("claude-code", "haiku", {**shelf.env, **env})


def codex(shelf: Programs, more: str, **env: str) -> Agent:
    """Its catalog is empty, unless the program says something else first."""
    listed = "" if "models" in more else "if 'models' in sys.argv: print('{\"models\": []}'); sys.exit()\n"
    shelf.put("codex", f"{listed}{more}")
    return Agent("codex", "gpt-6-luna", {**shelf.env, **env})


Made = Callable[..., Agent]
both = pytest.mark.parametrize(("made", "says"), [(claude, claude_says()), (codex, codex_says())])


@pytest.mark.slow
@both
def test_an_answer_comes_with_its_tokens(shelf: Programs, made: Made, says: str) -> None:
    said = made(shelf, says).say(a_question(), 20)
    assert (said.text, said.tokens_in, said.tokens_out) == (GOOD, 123, 9)
    assert not said.is_estimated
    assert said.model in ("small-5", "gpt-6-luna")


@pytest.mark.slow
@both
def test_the_question_is_on_no_command_line(shelf: Programs, made: Made, says: str) -> None:
    made(shelf, says).say(a_question("private words"), 20)
    asked = shelf.seen()[-1]
    assert asked["given"] == "private words"
    assert "Decide what becomes of the flag." in asked["told"]
    assert not any("private" in word or "Decide" in word for word in asked["words"])


@pytest.mark.slow
@both
def test_it_stands_in_an_empty_folder_with_our_mark_and_without_the_session(
    shelf: Programs, made: Made, says: str
) -> None:
    session = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1", "CODEX_THREAD_ID": "t1", "HOLDFAST_SESSION": "s1"}
    made(shelf, says, **session, KEPT="yes").say(a_question(), 20)
    asked = shelf.seen()[-1]
    assert asked["around"] == []
    assert asked["env"]["HOLDFAST_CHILD"] == "1"
    assert asked["env"]["KEPT"] == "yes"
    assert not session.keys() & asked["env"].keys()
    assert asked["group"], "in a group of its own, to be killed whole"
    assert not Path(asked["cwd"]).exists(), "and nothing of it is left"


@pytest.mark.slow
@both
def test_one_that_never_ends_is_killed_with_all_that_it_started(shelf: Programs, made: Made, says: str) -> None:
    pids = shelf.folder / "pids"
    more = f"""
import subprocess, time
child = subprocess.Popen(["/bin/sleep", "600"])
with open({str(pids)!r}, "w") as file: file.write(f"{{os.getpid()}} {{child.pid}}")
time.sleep(600)
"""
    began = time.monotonic()
    with pytest.raises(JudgeFailed, match="did not answer within") as failed:
        made(shelf, more).say(a_question(), 1.5)
    assert time.monotonic() - began < 20
    assert (failed.value.again, failed.value.spent) == (True, True)
    wait_until(lambda: not any(runs(int(pid)) for pid in pids.read_text().split()))


def _then(failed: JudgeFailed) -> str:
    """Whether the same question is asked again, the next one, or none."""
    return "again" if failed.again else "over" if failed.final else "next"


@pytest.mark.slow
@pytest.mark.parametrize("made", [claude, codex])
@pytest.mark.parametrize("more", ["", "print('hello')", "print('{}')", "print('[' * 100000)", "sys.exit(3)"])
def test_one_that_says_nothing_of_use_may_be_asked_again(shelf: Programs, made: Made, more: str) -> None:
    with pytest.raises(JudgeFailed, match="ended without an answer") as failed:
        made(shelf, more).say(a_question(), 20)
    assert failed.value.again


@pytest.mark.parametrize("made", [claude, codex])
def test_one_that_is_not_there_is_said_so(shelf: Programs, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "BESIDE", ())
    judge = made(shelf, "")
    for path in shelf.bin.iterdir():
        path.unlink()
    with pytest.raises(JudgeFailed, match="is not on this machine's PATH") as failed:
        judge.say(a_question(), 5)
    assert failed.value.final


@pytest.mark.parametrize("made", [claude, codex])
def test_one_that_cannot_be_started_is_said_so(shelf: Programs, made: Made) -> None:
    judge = made(shelf, "")
    for path in shelf.bin.iterdir():
        path.write_text("#!/nowhere/at/all\n")
    with pytest.raises(JudgeFailed, match="could not be started"):
        judge.say(a_question(), 5)


def test_a_program_is_not_looked_for_where_one_stands(shelf: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("some-agent", "")
    monkeypatch.chdir(shelf.bin)
    assert programs.find("some-agent", {"HOME": "/nowhere", "PATH": ".:bin::/usr/bin"}) == ""
    assert programs.find("some-agent", {"HOME": "/nowhere", "PATH": str(shelf.bin)}) == str(shelf.bin / "some-agent")
    (shelf.folder / ".local").mkdir()
    shelf.bin.rename(shelf.folder / ".local" / "bin")
    bare = {"HOME": str(shelf.folder), "PATH": "/usr/bin"}
    assert programs.find("some-agent", bare).startswith(str(shelf.folder))
    assert programs.find("some-agent", bare, beside=False) == ""


# --- Claude Code


@pytest.mark.slow
def test_what_a_call_cost_by_claudes_own_account_is_handed_on(shelf: Programs) -> None:
    assert claude(shelf, claude_says(total_cost_usd=0.0125)).say(a_question(), 20).money == 0.0125
    for odd in (None, "1", True, -1, 0, float("nan"), float("inf")):
        assert claude(shelf, claude_says(total_cost_usd=odd)).say(a_question(), 20).money is None


@pytest.mark.slow
def test_claude_is_asked_without_tools_hooks_memory_or_record(shelf: Programs) -> None:
    claude(shelf, claude_says()).say(a_question(most_out=321), 20)
    (asked,) = shelf.seen()
    words = asked["words"]
    assert words[words.index("--tools") + 1] == ""
    assert json.loads(words[words.index("--settings") + 1]) == {"disableAllHooks": True}
    assert {"--safe-mode", "--no-session-persistence", "--strict-mcp-config"} <= set(words)
    assert words[words.index("--model") + 1] == "haiku"
    assert asked["env"]["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "321"
    assert asked["env"]["CLAUDE_CODE_MAX_RETRIES"] == "0"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "then", "words"),
    [
        ({"api_error_status": 401, "text": "Invalid API key"}, "over", "claude auth login"),
        ({"text": "Not logged in · Please run /login"}, "over", "claude auth login"),
        ({"api_error_status": 429, "text": "API Error: Request rejected (429)"}, "again", "429"),
        ({"api_error_status": 529, "text": "API Error: 529 overloaded"}, "again", "529"),
        ({"api_error": "connection_failed", "text": "API Error: Connection refused"}, "again", "could not reach"),
        ({"text": "You've hit your session limit"}, "over", "limit of your plan"),
        ({"api_error_status": 429, "text": "You've hit your limit · resets 3pm"}, "over", "limit of your plan"),
        ({"api_error_status": 400, "text": "API Error: 400 odd"}, "next", "failed with 400"),
        ({"api_error_status": 400, "text": "API Error: 400 /login, usage limit, odd"}, "next", "failed with 400"),
    ],
)
def test_what_claude_says_of_a_failure_decides_what_is_done(
    shelf: Programs, more: dict[str, Any], then: str, words: str
) -> None:
    text = more["text"]
    rest = {name: one for name, one in more.items() if name != "text"}
    with pytest.raises(JudgeFailed, match=words) as failed:
        claude(shelf, claude_says(text, 1, is_error=True, **rest)).say(a_question(), 20)
    assert _then(failed.value) == then
    assert failed.value.said == text, "kept, but apart from our own sentence"
    assert text not in str(failed.value)


@pytest.mark.slow
def test_a_question_too_long_for_claude_is_that_questions_fault_alone(shelf: Programs) -> None:
    failed = claude_says("API Error: 400 prompt is too long: 210000", 1, is_error=True, api_error_status=400)
    with pytest.raises(Unusable):
        claude(shelf, failed).say(a_question(), 20)


@pytest.mark.slow
def test_a_claude_too_old_for_its_switches_is_told_so(shelf: Programs) -> None:
    old = "print(\"error: unknown option '--safe-mode'\", file=sys.stderr); sys.exit(1)"
    with pytest.raises(JudgeFailed, match="too old to be a judge") as failed:
        claude(shelf, old).say(a_question(), 20)
    assert not failed.value.again


@pytest.mark.slow
def test_a_secret_in_what_a_program_complains_of_is_not_repeated(shelf: Programs, token: str) -> None:
    with pytest.raises(JudgeFailed) as failed:
        claude(shelf, f"print('bad key {token}', file=sys.stderr); sys.exit(1)").say(a_question(), 20)
    assert token not in failed.value.in_full
    assert "bad key" in failed.value.in_full


@pytest.mark.slow
def test_a_look_at_claude_spends_nothing(shelf: Programs) -> None:
    told = 'print(\'{"loggedIn": true}\' if "auth" in sys.argv else "2.1.325 (Claude Code)")'
    assert claude(shelf, told).look(20) == "Claude Code 2.1.325, logged in, model haiku"
    assert [one["words"] for one in shelf.seen()] == [["--version"], ["auth", "status"]]
    with pytest.raises(JudgeFailed, match="claude auth login"):
        claude(shelf, "print('{\"loggedIn\": false}'); sys.exit(1)").look(20)


# --- Codex


def config_of(shelf: Programs, text: str) -> Path:
    folder = shelf.folder / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(text, encoding="utf-8")
    (folder / "AGENTS.md").write_text("my memory", encoding="utf-8")
    (folder / "hooks.json").write_text("{}", encoding="utf-8")
    (folder / "auth.json").write_text('{"a": "login"}', encoding="utf-8")
    return folder


OWN = """
model = "gpt-6.1-sol"
model_provider = "mine"
notify = ["/bin/touch", "/tmp/x"]
[model_providers.mine]
base_url = "http://127.0.0.1:9/v1"
env_key = "MY_KEY"
request_max_retries = 7
[mcp_servers.files]
command = "files"
[hooks]
"""


@pytest.mark.slow
def test_codex_gets_a_home_with_the_login_and_the_provider_and_nothing_else(shelf: Programs) -> None:
    config_of(shelf, OWN)
    codex(shelf, codex_says()).say(a_question(), 20)
    asked = shelf.seen()[-1]
    assert set(asked["home"]) == {"auth.json", "config.toml"}
    assert asked["home"]["auth.json"] == '{"a": "login"}'
    import tomllib

    kept = tomllib.loads(asked["home"]["config.toml"])
    assert set(kept) == {"model_provider", "model_providers"}
    assert kept["model_providers"]["mine"] == {
        "base_url": "http://127.0.0.1:9/v1",
        "env_key": "MY_KEY",
        "request_max_retries": 0,
        "stream_max_retries": 0,
    }
    assert {"features.hooks=false", "features.shell_tool=false", 'web_search="disabled"'} <= set(asked["words"])
    assert {"--ephemeral", "--output-schema", "read-only"} <= set(asked["words"])


@pytest.mark.slow
@pytest.mark.parametrize("how", ["open(path, 'w').write('new')", "os.unlink(path); open(path, 'w').write('new')"])
def test_a_login_that_codex_renews_is_renewed_for_the_user(shelf: Programs, how: str) -> None:
    folder = config_of(shelf, OWN)
    codex(shelf, f"path = f'{{home}}/auth.json'; {how}\n{codex_says()}").say(a_question(), 20)
    assert (folder / "auth.json").read_text() == "new"


REPLACED = """
path = f'{home}/auth.json'
os.unlink(path); open(path, 'w').write('new')
"""


@pytest.mark.slow
def test_a_login_that_was_renewed_in_a_call_that_came_to_nothing_is_kept(shelf: Programs) -> None:
    folder = config_of(shelf, OWN)
    (folder / "auth.json").chmod(0o640)
    with pytest.raises(JudgeFailed, match="did not answer within"):
        codex(shelf, f"import time\n{REPLACED}\ntime.sleep(600)").say(a_question(), 1.5)
    assert (folder / "auth.json").read_text() == "new"
    assert (folder / "auth.json").stat().st_mode & 0o777 == 0o640


@pytest.mark.slow
def test_a_login_that_a_look_renewed_is_kept_too(shelf: Programs) -> None:
    folder = config_of(shelf, "")
    with pytest.raises(JudgeFailed, match="codex login"):
        codex(shelf, f"{REPLACED}\nprint('codex-cli 1'); sys.exit(1)").look(20)
    assert (folder / "auth.json").read_text() == "new"


@pytest.mark.slow
def test_a_login_that_the_user_changed_meanwhile_is_theirs(shelf: Programs) -> None:
    folder = config_of(shelf, OWN)
    theirs = f"open({str(folder / 'auth.json')!r}, 'w').write('theirs')"
    codex(shelf, f"{REPLACED}\n{theirs}\n{codex_says()}").say(a_question(), 20)
    assert (folder / "auth.json").read_text() == "theirs"


@pytest.mark.slow
def test_a_login_that_is_a_link_stays_one(shelf: Programs) -> None:
    folder = config_of(shelf, OWN)
    kept = shelf.folder / "kept.json"
    (folder / "auth.json").rename(kept)
    (folder / "auth.json").symlink_to(kept)
    codex(shelf, f"{REPLACED}\n{codex_says()}").say(a_question(), 20)
    assert (folder / "auth.json").is_symlink()
    assert kept.read_text() == "new"


@pytest.mark.slow
def test_a_model_that_brings_its_tools_along_is_asked_without_them(shelf: Programs) -> None:
    known = {"slug": "gpt-6-luna", "tool_mode": "code_mode_only", "shell_type": "unified_exec", "context_window": 7}
    listed = json.dumps({"models": [{"slug": "other"}, known]})
    kept = shelf.folder / "catalog"
    more = f"""
if "models" in sys.argv:
    print({listed!r}); sys.exit()
(path,) = [word.split("=", 1)[1].strip('"') for word in sys.argv if word.startswith("model_catalog_json")]
open({str(kept)!r}, "w").write(open(path).read())
{codex_says()}
"""
    judge = codex(shelf, more)
    judge.say(a_question(), 20)
    (model,) = json.loads(kept.read_text())["models"]
    assert (model["slug"], model["tool_mode"], model["shell_type"]) == ("gpt-6-luna", "direct", "disabled")
    assert model["context_window"] == 7
    judge.say(a_question(), 20)
    assert ["models" in one["words"] for one in shelf.seen()] == [True, False, False], "it is looked up once"


@pytest.mark.slow
@pytest.mark.parametrize("out", ["", "no such command", "[]", '{"models": 3}', '{"models": [{}]}', "[" * 100_000])
def test_a_codex_that_does_not_tell_its_models_tools_is_not_asked(shelf: Programs, out: str) -> None:
    shelf.put("codex", f"print({out!r} if 'models' in sys.argv else '')")
    with pytest.raises(JudgeFailed, match="which tools its models have"):
        Agent("codex", "gpt-6-luna", shelf.env).say(a_question(), 20)
    assert [one["words"][0] for one in shelf.seen()] == ["debug"]


@pytest.mark.slow
def test_a_login_in_the_keyring_needs_the_users_own_folder_with_all_switched_off(shelf: Programs) -> None:
    config_of(shelf, 'cli_auth_credentials_store = "keyring"\n[mcp_servers."my files"]\ncommand = "files"\n')
    codex(shelf, codex_says()).say(a_question(), 20)
    asked = shelf.seen()[-1]
    assert "CODEX_HOME" not in asked["env"]
    assert 'mcp_servers."my files".enabled=false' in asked["words"]
    assert "features.hooks=false" in asked["words"]
    assert codex_judge.is_in_keyring(shelf.env)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("message", "then", "words"),
    [
        ("unexpected status 401 Unauthorized: no", "over", "codex login"),
        ("exceeded retry limit, last status: 429 Too Many Requests", "again", "turned away"),
        ("We're currently experiencing high demand, which may cause temporary errors.", "again", "turned away"),
        ("Connection failed: error sending request", "again", "turned away"),
        ("unexpected status 503 Service Unavailable: x", "again", "turned away"),
        ("You've hit your usage limit. Try again at 7 PM.", "over", "limit of your plan"),
        ("unexpected status 400 Bad Request: please log in, usage limit, 401", "next", "failed with 400"),
        ('{"error": {"message": "odd"}}', "next", "Codex failed;"),
    ],
)
def test_what_codex_says_of_a_failure_decides_what_is_done(
    shelf: Programs, message: str, then: str, words: str
) -> None:
    with pytest.raises(JudgeFailed, match=words) as failed:
        codex(shelf, codex_fails(message)).say(a_question(), 20)
    assert _then(failed.value) == then
    assert failed.value.said == message
    assert message not in str(failed.value)


@pytest.mark.slow
def test_a_look_at_codex_spends_nothing(shelf: Programs) -> None:
    told = "print('codex-cli 0.166.0')\nif 'login' in sys.argv: sys.exit({status})"
    assert codex(shelf, told.format(status=0)).look(20) == "Codex 0.166.0, ready, model gpt-6-luna"
    with pytest.raises(JudgeFailed, match="codex login"):
        codex(shelf, told.format(status=1)).look(20)
    config_of(shelf, OWN)
    with pytest.raises(JudgeFailed, match="MY_KEY"):
        codex(shelf, told.format(status=1)).look(20)
    assert "ready" in codex(shelf, told.format(status=1), MY_KEY="x").look(20)
    assert not any("exec" in one["words"] for one in shelf.seen())


@pytest.mark.slow
def test_settings_of_codex_that_cannot_be_read_are_as_good_as_none(shelf: Programs) -> None:
    config_of(shelf, "model_provider = [")
    assert codex(shelf, codex_says()).say(a_question(), 20).text == GOOD
    assert os.path.islink(shelf.folder / ".codex" / "auth.json") is False
