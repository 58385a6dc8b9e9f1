"""The prompts of bench/user_words.py through the product, a session a day, with a judge that answers as labelled.

Each day's prompts go through the hook, the session ends, and the close asks the judge about them; the judge answers
with the labelled spans, each behind its prompt's handle, and one that it made up for every prompt. A prompt counts as
shown when a note of the user's words is made of it: in starts, in `holdfast review`, or among the facts.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from holdfast.capture import home
from holdfast.close.budget import Budget
from holdfast.close.drain import drain
from holdfast.close.judge_pool import Court
from holdfast.close.statements import JOB
from holdfast.hook import main as hook
from holdfast.judge.seam import Question, Words
from holdfast.vault import index

NOW = 1_790_000_000.0
DAY = 86400.0
KINDS = {"order": "order", "correction": "correction", "remember": "order", "fact": "fact"}


class AsLabelled:
    """A judge that knows the labels of one day's prompts, by their numbers."""

    name, model = "labelled", "reader"

    def __init__(self, prompts: list[dict[str, Any]]) -> None:
        self.prompts = prompts

    def say(self, question: Question[Any], timeout: float) -> Words:  # noqa: ARG002
        answer: dict[str, Any] = {}
        if question.job == JOB:
            statements = []
            for number, one in enumerate(self.prompts, 1):
                if f'PROMPT P{number}"' in question.given:
                    kind = KINDS[one["labels"][0]] if one["labels"] else "order"
                    spans = [*one["spans"], f"the user wants prompt {number} framed"]
                    statements += [{"prompt": f"P{number}", "quote": span, "kind": kind} for span in spans]
            answer = {"statements": statements[:60]}
        elif question.job == "handoff":
            answer = {"title": "A day"}
        text = json.dumps(answer)
        return Words(text, len(question.given) // 4, len(text) // 4, self.model)


def shown(data: list[dict[str, Any]]) -> tuple[set[int], int, int]:
    """The prompts of which a note was made, how many rules are in force, and how many made-up spans were filed."""
    days = sorted({int(one["day"]) for one in data})
    reached: set[int] = set()
    rules = invented = 0
    with tempfile.TemporaryDirectory() as folder:
        vault = str(Path(folder, "vault"))
        project = Path(folder, "project")
        project.mkdir()
        env = {"HOME": folder, "HOLDFAST_HOME": vault, "HOLDFAST_CLOSE": "off", "LANG": "C.UTF-8"}
        for day in days:
            mine = [at for at, one in enumerate(data) if int(one["day"]) == day]
            prompts = [data[at] for at in mine]
            now = NOW + day * DAY

            def event(name: str, now: float = now, day: int = day, **more: object) -> None:
                payload = {"hook_event_name": name, "session_id": f"day-{day}", "cwd": str(project), **more}
                hook.answer("claude-code", json.dumps(payload).encode(), env, now, 0)

            event("SessionStart", source="startup")
            for nth, one in enumerate(prompts):
                event("UserPromptSubmit", now + nth, prompt=one["prompt"])
            event("SessionEnd", now + len(prompts), reason="other")
            state = home.state(vault)
            court = Court(AsLabelled(prompts), Budget(state, {}, lambda now=now: now), state, workers=1)
            drain(vault, lambda now=now: now, court=court)
        known = index.load(vault).notes
        texts = [(" ".join(note.description.removesuffix("…").split()), note) for note in known]
        for at, one in enumerate(data):
            said = " ".join(str(one["prompt"]).split())
            spans = [" ".join(span.split()) for span in one["spans"]]
            hits = [text for text, _ in texts if text in said and any(text in span or span in text for span in spans)]
            if one["labels"] and hits:
                reached.add(at)
        rules = sum(1 for note in known if note.is_always_on)
        invented = sum(1 for text, _ in texts if text.startswith("the user wants prompt"))
    return reached, rules, invented
