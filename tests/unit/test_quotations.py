# ruff: noqa: RUF001
"""Quotations over a compaction: every one that the session marked as one is kept verbatim, and told as far as there is
room. The incident that this is about: a summary claimed to have its quotes, and 5 of 11 were missing."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hook_support import Home

from holdfast.hook import snapshot
from holdfast.text import details, transcript

NOW = 1_790_000_000.0
# What was quoted, and the message that quoted it: eleven people, in the marks that people and models really use.
QUOTED = {
    "nobody restarts the broker on a Friday, not even for a patch": (
        'From the ops call. Maria (ops): "nobody restarts the broker on a Friday, not even for a patch". '
        "That settles the window for us, and the runbook should say it."
    ),
    "The budget for storage is 40,000 € until June. We decide again in March, and not before.": (
        "The minutes are explicit about money:\n\n> The budget for storage is 40,000 € until June.\n"
        "> We decide again in March, and not before.\n\nSo the second replica has to wait."
    ),
    "we would rather lose a day of metrics than a single invoice": (
        "Ines put the priority like this: “we would rather lose a day of metrics than a single invoice”."
    ),
    "Ohne Freigabe von Recht geht kein ‚kleiner Fix‘ an die Verträge": (
        "Legal answered in German: „Ohne Freigabe von Recht geht kein ‚kleiner Fix‘ an die Verträge“ (mail of Tuesday)."
    ),
    "on garde l'ancien format d'export jusqu'à la fin de l'été": (
        "Paris wants stability: « on garde l'ancien format d'export jusqu'à la fin de l'été » dit Camille."
    ),
    "the importer is allowed to be slow, it is not allowed to be wrong twice in the same row": (
        'The customer wrote "the importer is allowed to be slow, it is not allowed to be\n'
        'wrong twice in the same row" in the ticket, and I read that as: idempotence first.'
    ),
    "She asked me ‘is it safe?’ and I said ‘ask me after the audit’": (
        "“She asked me ‘is it safe?’ and I said ‘ask me after the audit’” — Tom, retrospective"
    ),
    "本番には来週まで触らないでください": "Osaka is short: 「本番には来週まで触らないでください」",
    "> It was green yesterday. It was green because the job was skipped.": (
        "Two voices from the thread:\n\n> > It was green yesterday.\n> It was green because the job was skipped.\n"
    ),
    "der Bericht darf fehlen, aber er darf nie geschätzte Zahlen enthalten": (
        "Controlling: »der Bericht darf fehlen, aber er darf nie geschätzte Zahlen enthalten«"
    ),
    "If the “fast path” is off, say so on the page; do not let people guess": (
        'Support asked for one thing: "If the “fast path” is off, say so on the page; do not let people guess".'
    ),
}
BY_USER = (3, 7)  # the user pasted these two, the model wrote the others


def line(role: str, *blocks: object) -> str:
    return json.dumps({"type": role, "message": {"role": role, "content": list(blocks)}}, ensure_ascii=False) + "\n"


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def work(nth: int, size: int) -> str:
    """A step of work: a remark with numbers and terms, a call, and its long result with quotation marks in it."""
    call = {
        "type": "tool_use",
        "id": f"c{nth}",
        "name": "Bash",
        "input": {"command": f"rg -n 'batch' src/part_{nth}.py"},
    }
    result = {
        "type": "tool_result",
        "tool_use_id": f"c{nth}",
        "content": f'log "nobody said these words, {nth}" ' * size,
    }
    remark = f"Part {nth} reads its rows in batches; `part_{nth}.py` line {nth} is where the cursor moves."
    return line("assistant", text(remark), call) + line("user", result)


def long_session(path: Path, size: int) -> str:
    """The eleven quotations at its beginning, a hundred steps of work behind them."""
    with path.open("w", encoding="utf-8") as file:
        for nth, message in enumerate(QUOTED.values()):
            file.write(line("user" if nth in BY_USER else "assistant", text(message)))
            file.write(work(nth, 1))
        for nth in range(100):
            file.write(work(nth, size))
    return str(path)


def flat(words: str) -> str:
    return " ".join(words.split())


@pytest.mark.parametrize("size", [10, 1500], ids=["in the last 4 MB", "before the last 4 MB"])
def test_all_eleven_quotations_are_in_the_snapshot_word_for_word(tmp_path: Path, size: int) -> None:
    path = long_session(tmp_path / "t.jsonl", size)
    assert (os.path.getsize(path) > snapshot.MOST_READ) == (size > 10)
    snap = snapshot.make(transcript.CLAUDE, path, (), (), NOW)
    missing = [words for words in QUOTED if words not in flat(snap.text)]
    assert missing == []
    assert snap.quotations == 11, "and nothing else is taken for one: not what a tool printed, not terms, not code"
    assert "nobody said these words" not in "\n".join(snapshot.read(snap.text)[snapshot.QUOTED])


def test_who_said_it_stays_with_it(tmp_path: Path) -> None:
    snap = snapshot.make(transcript.CLAUDE, long_session(tmp_path / "t.jsonl", 10), (), (), NOW)
    kept = flat(snap.text)
    for who in ("Maria (ops): “nobody", "Ines put the priority like this: “we would", "audit’” — Tom, retrospective"):
        assert who in kept
    assert "The minutes are explicit about money: “The budget" in kept


def test_after_the_compaction_the_model_has_all_eleven_back(fresh: Home, tmp_path: Path) -> None:
    fresh.reply(fresh.event("SessionStart", source="startup"))
    prompts = [message for nth, message in enumerate(QUOTED.values()) if nth in BY_USER]
    for prompt in prompts:
        fresh.reply(fresh.event("UserPromptSubmit", prompt=prompt))
    said = {"transcript_path": long_session(tmp_path / "t.jsonl", 10)}
    fresh.answer(fresh.event("PreCompact", trigger="auto", **said))
    told = fresh.answer(fresh.event("SessionStart", source="compact", **said))
    assert len(told) <= 9_000
    assert [words for words in QUOTED if words not in flat(told)] == []
    shown = flat(told.partition("<holdfast-snapshot>")[2].partition("</holdfast-snapshot>")[0])
    twice = [words for words in QUOTED if shown.count(words) > 1]
    assert twice == [], "what the user's own words show is not shown again as a quotation"


def test_with_too_little_room_the_rest_is_counted(tmp_path: Path) -> None:
    snap = snapshot.make(transcript.CLAUDE, long_session(tmp_path / "t.jsonl", 10), (), (), NOW)
    part = snapshot.told(snap.text, 1500, "/v/s.md")
    assert "Quotations:" in part
    assert "more left out.)" in part
    assert "The whole snapshot: /v/s.md" in part


def test_a_quotation_said_again_is_kept_once_at_its_newest_place(tmp_path: Path) -> None:
    words = "we would rather lose a day of metrics than a single invoice"
    path = tmp_path / "t.jsonl"
    first = line("assistant", text(f'Ines: "{words}"'))
    path.write_text(first + work(1, 1) + line("assistant", text(f"As Ines said, “{words.capitalize()}.” So be it.")))
    snap = snapshot.make(transcript.CLAUDE, str(path), (), (), NOW)
    (item,) = snapshot.read(snap.text)[snapshot.QUOTED]
    assert item.startswith("- @")
    assert int(item[3:].partition(" ")[0]) > len(first)


def test_a_quotation_within_a_longer_one_is_not_kept_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    whole = "the importer is allowed to be slow, it is not allowed to be wrong"
    path.write_text(line("assistant", text(f'He: "{whole}"')) + line("assistant", text('"allowed to be slow" it is')))
    snap = snapshot.make(transcript.CLAUDE, str(path), (), (), NOW)
    assert snap.quotations == 1


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Ben: 'we ship on the 3rd, whatever the dashboards say'.", "we ship on the 3rd, whatever the dashboards say"),
        ("Zoë wrote ‘don’t touch the ledger before the audit’ twice.", "don’t touch the ledger before the audit"),
        ('- **"Ask me before you rename anything"** (Ines, ops)', "Ask me before you rename anything"),
        ('1. "It is fine as `x = 1` and stays so"', "It is fine as `x = 1` and stays so"),
        ("Notes:\n   > one\n   >\n   > two\n", "one\n\ntwo"),
    ],
)
def test_other_marks_that_people_use_are_quotations_too(said: str, words: str) -> None:
    assert [one.text for one in details.quotations(said) if not one.is_term] == [words]


def test_a_quotation_that_the_agent_wrote_into_a_document_is_kept(tmp_path: Path) -> None:
    words = "The board wants the numbers before the story"
    given = {"file_path": "/srv/notes/minutes.md", "content": f"# Minutes\n\n> {words}\n"}
    code = {"file_path": "/srv/app.py", "content": 'LONG = "this is a string in a program"\n'}
    calls = [
        {"type": "tool_use", "id": str(nth), "name": "Write", "input": one} for nth, one in enumerate((given, code))
    ]
    path = tmp_path / "t.jsonl"
    path.write_text(line("assistant", *calls))
    (item,) = snapshot.read(snapshot.make(transcript.CLAUDE, str(path), (), (), NOW).text)[snapshot.QUOTED]
    assert item == f"- @0 wrote minutes.md: “{words}”"


def test_no_secret_is_kept_because_somebody_quoted_it(tmp_path: Path, token: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(line("user", text(f'Ops wrote: "use {token} for the deploy and tell nobody"')) + work(1, 1))
    snap = snapshot.make(transcript.CLAUDE, str(path), (), (), NOW)
    assert "for the deploy and tell nobody" in snap.text
    assert token[:12] not in snap.text


@pytest.mark.parametrize(
    "words",
    [
        'a 5" pipe and a 6" pipe are not the same thing at all',
        'call `print("one two three four five")` there',
        'x = f("one two three four five")',
        '```\n"one two three four five"\n> six seven\n```',
        "it's the dog's dinner, isn't it, and the cat's too",
        'an unclosed "mark at the beginning of a very long line',
        'the "name" field, the “id” field and «x»',
    ],
)
def test_what_nobody_said_is_no_quotation(words: str) -> None:
    assert [one.text for one in details.quotations(words) if not one.is_term] == []


def exact(*texts: str, commands: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """The details of these texts, the newest first."""
    found: list[details.Fact] = []
    for nth, words in enumerate(texts):
        found += details.of_text(words, f"@{nth}", list(details.quotations(words)))
    for nth, words in enumerate(commands):
        found += details.of_command(words, f"@{nth}")
    return [(one.kind, one.text) for one in details.each_once(found)]


@pytest.mark.parametrize(
    "words",
    [
        "see src/orders.py:88 and line 91, lines 10-20, col 4",
        "2026-11-17T10:22:01Z started\n2026-11-17 10:22:01,113 INFO up\nat 10:22:01 it ended",
        "commit 3f9a2c1 and 91ab33e0, digest 7d793037a0760186574b0282f2f435e7",
        "Downloading 45%|████▌     | 45/100\n[ 12%] Building\n[=====>    ] 61 done",
        "1. first\n2) second\n### 3. third\n- (4) fourth",
        "the server is up on http://127.0.0.1:38411 and localhost:43007, port 51234",
        "all of them passed in 0.43s",
        "step [3/7], pid 41234",
    ],
)
def test_noise_is_no_number(words: str) -> None:
    assert [one for one in exact(words) if one[0] == "number"] == []


@pytest.mark.parametrize(
    "words", ["localhost:5432", "port 8080", "at most 7 times", "issue #12", "on 2026-03-01", "45 %"]
)
def test_a_number_that_means_something_is_kept(words: str) -> None:
    assert [kind for kind, _ in exact(f"it is {words} now")] == ["number"]


def test_the_same_number_of_the_same_thing_is_kept_once_and_another_thing_beside_it() -> None:
    found = exact(
        "the retry limit is 5 now", "raise the retry limit to 5", "there are 5 workers", "wait 30 s", "30 s cap"
    )
    assert [text for _, text in found] == ["the retry limit is 5 now", "there are 5 workers", "wait 30 s"]


def test_a_number_that_stands_in_a_quotation_is_not_a_detail_too(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    quoted = line("assistant", text("> The budget for storage is 40,000 € until June.\n"))
    path.write_text(quoted + line("assistant", text("So the budget of 40,000 € holds, with 3 replicas.")))
    snap = snapshot.make(transcript.CLAUDE, str(path), (), (), NOW)
    numbers = [one for one in snapshot.read(snap.text)[snapshot.DETAILS] if "number" in one]
    assert len(numbers) == 1
    assert "3 replicas" in numbers[0]


def test_a_command_is_kept_once_whatever_its_output_was_sent_to() -> None:
    commands = (
        "python -m pytest -q tests/unit",
        "python -m pytest -q tests/unit 2>&1 | tail -5",
        "cd /srv/shop && python -m pytest -q tests/unit > out.txt 2>&1; echo $?",
        "python -m pytest -q tests/e2e",
        "git status --short && git diff | head -40",
        "ls -la src && cat setup.py",
        "sed -n 1,20p src/a.py",
        "git commit -m 'x'",
    )
    assert [text for _, text in exact(commands=commands)] == [commands[0], commands[3], commands[7]]


def test_a_path_is_kept_once_however_much_of_it_was_written() -> None:
    found = exact(
        "look at src/orders.py and `tests/test_orders.py`", "in /srv/shop/src/orders.py it is, not and/or os.path"
    )
    assert found == [("path", "tests/test_orders.py"), ("path", "src/orders.py")]


@pytest.mark.slow
def test_the_search_of_a_long_transcript_stays_far_within_a_hooks_patience(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for nth in range(200):
            file.write(work(nth, 2500))
    assert path.stat().st_size > snapshot.MOST_SEARCHED
    began = time.perf_counter()
    snapshot.make(transcript.CLAUDE, str(path), (), (), NOW)
    assert time.perf_counter() - began < 2.0, "two seconds, where it takes a twentieth: a hook has five"
