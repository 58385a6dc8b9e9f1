"""Where the prompt stands in a host's command line: before it goes a task's memory, and into no option's value."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.tasks import run_command as host_words


@pytest.mark.parametrize(
    "line",
    [
        "claude -p PROMPT",
        "claude --print --model haiku PROMPT",
        "claude -p PROMPT --model haiku",
        "claude -p --allowedTools Bash Read --verbose PROMPT",
        "claude -pc PROMPT",
        "claude -p --resume=abc PROMPT",
        "claude -p --resume abc PROMPT",
        "claude -p --output-format=json -- PROMPT",
        "/usr/local/bin/claude -p PROMPT",
        "codex exec PROMPT",
        "codex exec -m o3 --json PROMPT",
        "codex -c model=o3 exec -s workspace-write PROMPT",
        "codex e -i a.png b.png --json PROMPT",
        "codex exec resume --last PROMPT",
        "codex exec resume abc PROMPT",
        "gemini -p PROMPT",
        "gemini -m flash --prompt PROMPT",
        "gemini --yolo PROMPT",
        "qwen -p PROMPT --approval-mode yolo",
        "opencode run PROMPT",
        "opencode run -m a/b PROMPT more words",
        "copilot -p PROMPT --allow-all-tools",
        "copilot --allow-tool write shell --prompt PROMPT",
    ],
)
def test_the_memory_goes_before_the_prompt_and_nowhere_else(line: str) -> None:
    command = line.split()
    changed = host_words.put(command, host_words.place(command), "MEMORY")
    assert changed == [word.replace("PROMPT", "MEMORY\nPROMPT") for word in command]


@pytest.mark.parametrize("option", ["--prompt=", "-p="])
def test_a_prompt_behind_an_equals_sign_is_found(option: str) -> None:
    command = ["gemini", f"{option}PROMPT"]
    assert host_words.put(command, host_words.place(command), "MEMORY") == ["gemini", f"{option}MEMORY\nPROMPT"]


@pytest.mark.parametrize(
    "line",
    ["claude -p", "claude -p --model haiku", "codex exec", "codex exec -", "codex exec resume --last", "opencode run"],
)
def test_a_host_without_a_prompt_reads_it_from_stdin(line: str) -> None:
    assert host_words.place(line.split()) == host_words.Insertion()


@pytest.mark.parametrize(
    "line",
    [
        "claude -p --brand-new value",
        "claude -p one two",
        "claude -p --input-format stream-json",
        "codex PROMPT",
        "codex exec review PROMPT",
        "opencode PROMPT",
        "sh -c PROMPT",
        "timeout 60 claude -p PROMPT",
    ],
)
def test_where_the_prompt_is_not_certain_the_caller_is_asked(line: str) -> None:
    with pytest.raises(UsageError, match=r"nothing was started. Write \{memory\}"):
        host_words.place(line.split())


def test_every_placeholder_is_replaced_and_nothing_else_is_touched() -> None:
    command = ["timeout", "60", "agent", "--ask", "{memory} and {memory}", "-p"]
    assert host_words.put(command, host_words.place(command), "M") == [
        "timeout",
        "60",
        "agent",
        "--ask",
        "M and M",
        "-p",
    ]


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.sampled_from(
            [("--model", "haiku"), ("--verbose",), ("--effort", "low"), ("-c",), ("--settings", "{}"), ("-p",)]
        )
    ),
    st.integers(0, 6),
)
def test_no_value_of_an_option_is_ever_taken_for_the_prompt(options: list[tuple[str, ...]], at: int) -> None:
    parts = [*options[:at], ("PROMPT",), *options[at:]]
    command = ["claude", *(word for part in parts for word in part)]
    changed = host_words.put(command, host_words.place(command), "MEMORY")
    assert changed == [word.replace("PROMPT", "MEMORY\nPROMPT") for word in command]
