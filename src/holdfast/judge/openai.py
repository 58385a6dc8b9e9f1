"""Any endpoint that speaks OpenAI's chat completions: OpenAI itself, Ollama, vLLM, LM Studio, OpenRouter.

They differ in how an answer is held to a schema. The strictest way is tried first; one that the server refuses is
never tried again by this object. Whatever way, judge/reading has the last word.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed
from holdfast.judge import http, shapes
from holdfast.judge.asking import PER_TOKEN
from holdfast.judge.seam import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.judge.seam import Question

OWN = "https://api.openai.com/v1"
OLLAMA = "http://127.0.0.1:11434/v1"
KEY_ENV = "OPENAI_API_KEY"
MODEL = "gpt-6-luna"  # OpenAI's smallest of its current line
OLLAMA_NAME = "ollama"
FORMS = ("schema", "object", "plain")
FORM_REFUSED = (400, 422, 501)


def base(url: str) -> str:
    """The address as its calls need it: most people leave /v1 away."""
    return f"{url.rstrip('/')}/v1" if not urlsplit(url).path.strip("/") else url.rstrip("/")


def shown(url: str) -> str:
    return urlsplit(url).hostname or "its address"


class OpenAI:
    """One endpoint and model."""

    def __init__(self, name: str, model: str, url: str, key_env: str, env: Mapping[str, str]) -> None:
        self.name = name
        self.model = model
        self.where = http.place(name, url, key_env, env)
        self.form = 0  # of FORMS: the strictest that has not been refused

    def say(self, question: Question[Any], timeout: float) -> Words:
        """One answer; a form that is refused costs a request and no tokens."""
        ends = time.monotonic() + timeout
        form = self.form
        while True:
            left = max(0.1, ends - time.monotonic())
            try:
                found = http.call(self.where, "/chat/completions", self._headers(), left, self._body(question, form))
            except http.Refused as error:
                if error.status not in FORM_REFUSED or form == len(FORMS) - 1:
                    raise
                form += 1
                continue
            self.form = max(self.form, form)
            return self._words(found, question)

    def look(self, timeout: float) -> str:
        """What can be said without spending anything: whether the server answers and has the model."""
        try:
            found = http.call(self.where, "/models", self._headers(), timeout)
        except http.Refused as error:
            if error.status == 404:
                return f"{self.where.host} answers; it does not list its models"
            raise
        listed = found.get("data") if isinstance(found, dict) else None
        known = [_name(str(one["id"])) for one in listed or () if isinstance(one, dict) and "id" in one]
        if self.name != OLLAMA_NAME and len(known) == 1 and known[0] != self.model:
            # As llama.cpp's, which has one model and does not look at the name that it is asked for.
            return f"{self.where.host} answers; it has {known[0]}, under whatever name"
        if known and not {self.model, f"{self.model}:latest"} & set(known):
            has = ", ".join(known[:5]) + (" …" if len(known) > 5 else "")
            what = f"{self.where.host} does not have the model {self.model}; nothing was changed."
            raise JudgeFailed(what, final=True, said=f"it has {has}")
        return f"{self.where.host} answers and has {self.model}"

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.where.key}"} if self.where.key else {}

    def _body(self, question: Question[Any], form: int) -> dict[str, Any]:
        # OpenAI's own reasoning models refuse the old name of the limit; the others know no other.
        limit = "max_completion_tokens" if self.where.host == "api.openai.com" else "max_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": shapes.told(question)},
                {"role": "user", "content": question.given or "Answer now."},
            ],
            limit: question.most_out,
            "stream": False,
        }
        schema = shapes.strict(question) if FORMS[form] == "schema" else None
        if schema:
            named = {"name": question.job, "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif FORMS[form] != "plain":
            body["response_format"] = {"type": "json_object"}
        return body

    def _words(self, found: Any, question: Question[Any]) -> Words:
        try:
            said = found["choices"][0]["message"]
            text = said.get("content") or said.get("refusal") or ""
        except (KeyError, IndexError, TypeError, AttributeError):
            raise self._no_answer(found) from None
        if isinstance(text, list):
            text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
        usage = found.get("usage")
        counted = [_count(usage, name) for name in ("prompt_tokens", "completion_tokens")]
        model = found.get("model")
        return Words(
            str(text),
            counted[0] or (len(shapes.told(question)) + len(question.given)) // PER_TOKEN,
            counted[1] or (0 if counted[0] else len(str(text)) // PER_TOKEN),
            model if isinstance(model, str) and model else self.model,
            is_estimated=not counted[0],
        )

    def _no_answer(self, found: Any) -> JudgeFailed:
        """Some gateways answer 200 with an error in it."""
        error = found.get("error") if isinstance(found, dict) else None
        code = error.get("code") if isinstance(error, dict) else None
        begin = f"{self.name} ({self.where.host}) answered without an answer in it"
        if isinstance(code, int) and (code == 429 or code >= 500):
            return JudgeFailed(f"{begin} ({code}); nothing was changed.", again=True)
        return JudgeFailed(f"{begin}; nothing was changed. Is the address right?", spent=True)


def _name(text: str) -> str:
    """A model as its server calls it: a short word for a terminal."""
    return redact("".join(one for one in text if one.isprintable()))[0][:80]


def _count(usage: Any, name: str) -> int:
    found = usage.get(name) if isinstance(usage, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
