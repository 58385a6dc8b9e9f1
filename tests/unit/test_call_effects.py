"""What a call does, read from its input: the same effect however a command or an edit is written."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.hook import call_effects, call_match
from holdfast.hook.call_effects import Effects
from holdfast.hosts import claude_code, codex

CWD = "/work/shop"


def effects(tool: str, **given: Any) -> Effects:
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": CWD, "tool_name": tool, "tool_input": given}
    return call_effects.of(claude_code.moment(payload, {}))


def shell(command: str) -> Effects:
    return effects("Bash", command=command)


FORCED = "git push --force [main]"


@pytest.mark.parametrize(
    "command",
    [
        "git push --force",
        "git push -f",
        "git push -fu origin main",
        "git push --force-with-lease origin main",
        "git push --force-with-lease=main:abc origin main",
        "git push origin +main",
        "git push origin +HEAD:main",
        "git -C ../api push --force",
        "git -c user.name=x push -f origin main",
        "cd api && git push -f",
        "git fetch; git push --force || true",
        "sudo git push -f",
        "sudo -u deploy env A=1 git push -f",
        "env GIT_TRACE=1 git push --force",
        "A=1 git push --force",
        "bash -c 'git push --force'",
        'ssh host "git push --force"',
        "if true; then git push --force; fi",
        "echo $(git push --force)",
        "timeout 30 git push --force",
        "/usr/bin/git push --force",
    ],
)
def test_a_forced_push_is_one_however_it_is_written(command: str) -> None:
    assert call_match.runs(FORCED, shell(command))


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git push origin main",
        "git push --force origin feature/x",
        "git push origin +feature/x",
        "git commit -m 'git push --force'",
        "git log --grep push --force-with-lease",
        "echo 'git push --force'",
        "grep -rn 'git push --force' docs",
        "git push --force --dry-run",
        "cat > notes.md <<'END'\ngit push --force\nEND",
        "docker push --force main",
    ],
)
def test_what_only_speaks_of_it_or_goes_elsewhere_is_none(command: str) -> None:
    assert not call_match.runs(FORCED, shell(command))


def test_a_push_to_a_branch_is_known_by_its_name_or_by_the_branch_of_the_folder(tmp_path: Any) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    def pushes(command: str, cwd: str) -> bool:
        payload = {"hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": "Bash", "tool_input": {"command": command}}
        return call_match.runs("git push @main", call_effects.of(claude_code.moment(payload, {})))

    assert pushes("git push origin main", CWD)
    assert pushes("git push origin HEAD:main", CWD)
    assert pushes("git push", str(tmp_path))
    assert not pushes("git push", CWD), "nobody knows which branch that is"
    assert not pushes("git push origin topic", str(tmp_path))


AUTH = "**/config/auth.yaml"


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/a/b/' config/auth.yaml",
        "sed -i.bak -e 's/a/b/' config/auth.yaml",
        "sed -Ei 's/a/b/' config/auth.yaml",
        "perl -pi -e 's/a/b/' config/auth.yaml",
        "echo x > config/auth.yaml",
        "echo x >> ./config/auth.yaml",
        "echo x >config/auth.yaml 2>&1",
        "cat a | tee -a config/auth.yaml",
        "mv config/auth.yaml /tmp",
        "mv /tmp/auth.yaml config/",
        "cp new.yaml config/auth.yaml",
        "rm -f config/auth.yaml",
        "rm -rf config",
        "git checkout -- config/auth.yaml",
        "git mv config/auth.yaml config/a.yaml",
        "cd config && sed -i s/a/b/ auth.yaml",
        "truncate -s 0 config/auth.yaml",
        "yq -i '.a = 1' config/auth.yaml",
        "curl -o config/auth.yaml http://localhost/x",
        "dd if=/dev/zero of=config/auth.yaml",
        "prettier --write config/auth.yaml",
        "find config -name '*.yaml' -delete",
        "python - <<'END'\nopen('config/auth.yaml', 'w').write('x')\nEND",
        "python3 -c \"open('config/auth.yaml','w').write('')\"",
        "apply_patch <<'END'\n*** Begin Patch\n*** Update File: config/auth.yaml\n@@\n-a\n+b\n*** End Patch\nEND",
    ],
)
def test_a_file_that_a_command_changes_is_written(command: str) -> None:
    assert call_match.writes(AUTH, shell(command))


@pytest.mark.parametrize(
    "command",
    [
        "cat config/auth.yaml",
        "sed -n 1,5p config/auth.yaml",
        "grep -n timeout config/auth.yaml > /tmp/found",
        "cp config/auth.yaml /tmp/auth-copy.yaml",
        "diff config/auth.yaml other.yaml",
        "git diff config/auth.yaml",
        "git add config/auth.yaml",
        "python -c \"print(open('config/auth.yaml').read())\"",
        "prettier --check config/auth.yaml",
        "rm config/other.yaml",
        "echo config/auth.yaml",
    ],
)
def test_a_file_that_a_command_only_reads_is_not_written(command: str) -> None:
    assert not call_match.writes(AUTH, shell(command))


def test_edits_write_and_reads_do_not() -> None:
    path = f"{CWD}/config/auth.yaml"
    assert call_match.writes(AUTH, effects("Edit", file_path=path, old_string="a", new_string="b"))
    assert call_match.writes(AUTH, effects("Write", file_path=path, content="b"))
    assert call_match.writes(AUTH, effects("MultiEdit", file_path=path, edits=[{"old_string": "a", "new_string": "b"}]))
    assert call_match.writes(AUTH, effects("mcp__files__write_file", path=path, content="b"))
    assert not call_match.writes(AUTH, effects("Read", file_path=path))
    assert not call_match.writes(AUTH, effects("Grep", path=path, pattern="a"))
    patch = "*** Begin Patch\n*** Update File: config/auth.yaml\n@@\n-a\n+b\n*** End Patch\n"
    payload = {"hook_event_name": "PreToolUse", "cwd": CWD, "tool_name": "apply_patch", "tool_input": {"input": patch}}
    assert call_match.writes(AUTH, call_effects.of(codex.moment(payload, {})))


@pytest.mark.parametrize(
    "command",
    [
        "npm install left-pad",
        "npm i -D left-pad@1.3.0",
        "pnpm add left-pad",
        "yarn add left-pad",
        "cd web && npm add left-pad",
        "npm uninstall left-pad",
    ],
)
def test_a_package_is_installed_by_whichever_manager(command: str) -> None:
    assert call_match.packages("left-pad", shell(command))


def test_packages_of_python_are_found_with_extras_versions_and_either_dash() -> None:
    for command in ("pip install 'uvicorn[standard]>=0.3'", "python3 -m pip install -U uvicorn", "uv add uvicorn==1.0"):
        assert call_match.packages("uvicorn", shell(command))
    assert call_match.packages("typing-extensions", shell("uv pip install typing_extensions"))
    assert not call_match.packages("uvicorn", shell("uvicorn app:main"))
    assert not call_match.packages("uvicorn", shell("pip show uvicorn"))


def test_a_package_is_named_by_a_manifest_or_a_new_import_and_not_by_other_text() -> None:
    def edit(path: str, old: str, new: str) -> Effects:
        return effects("Edit", file_path=f"{CWD}/{path}", old_string=old, new_string=new)

    assert call_match.packages("requests", edit("pyproject.toml", '"httpx"', '"requests>=2"'))
    assert call_match.packages("requests", edit("a.py", "import httpx", "import requests"))
    assert call_match.packages("left-pad", edit("a.js", "", "const pad = require('left-pad')"))
    assert call_match.packages("react", edit("a.tsx", "", "import { useState } from 'react'"))
    assert not call_match.packages("react", edit("a.tsx", "", "import { render } from 'react-dom'"))
    assert not call_match.packages("requests", edit("a.py", "", "# counts requests per second"))
    assert not call_match.packages("requests", edit("a.py", "import requests\na = 1", "import requests\na = 2"))


def test_a_setting_is_changed_by_an_edit_or_a_command_and_not_by_a_look() -> None:
    def edit(old: str, new: str, path: str = "config/prod.yaml") -> Effects:
        return effects("Edit", file_path=f"{CWD}/{path}", old_string=old, new_string=new)

    assert call_match.sets("debug=true", edit("DEBUG=false", "DEBUG=true"))
    assert not call_match.sets("debug=true", edit("DEBUG=true", "PORT=1"))
    assert call_match.sets("debug", shell("DEBUG=true ./run"))
    assert call_match.sets("debug", shell("echo DEBUG=1 >> .env"))
    assert not call_match.sets("debug", shell("grep DEBUG .env"))
    assert not call_match.sets("debug", edit("DEBUG_LEVEL=1", "DEBUG_LEVEL=2"))
    assert call_match.sets("auth.timeout", edit("auth.timeout: 1", "auth.timeout: 2"))
    assert call_match.sets("auth.timeout", edit("timeout: 1", "timeout: 2", "config/auth.yaml"))
    assert not call_match.sets("auth.timeout", edit("timeout: 1", "timeout: 2"))
    assert not call_match.sets("ttl", edit("a: 1\nttl: 5", "a: 2\nttl: 5")), "the line around it did not change"


@pytest.mark.parametrize("command", ["", " ", ">", "a >", "(((", "sed -i", "mv", "rm", "find -exec", "git", "env", "'"])
def test_no_command_line_breaks_it(command: str) -> None:
    found = shell(command)
    assert not call_match.does({"runs": [FORCED], "writes": [AUTH], "packages": ["x"], "settings": ["y"]}, found)
