"""Any endpoint that speaks OpenAI's chat completions: OpenAI itself, Ollama, vLLM, LM Studio, OpenRouter.

They differ in how an answer is held to a schema. The strictest way is tried first; one that the server refuses is
never tried again by this object. Whatever way, judge/reading has the last word.

Anthropic's Messages API. The schema stands in the prompt, and goes with the request where the endpoint takes it.

An agent's own command line as a judge, with the user's login: one turn, no tools, nothing else of theirs.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed
from holdfast.hosts import KNOWN, programs
from holdfast.hosts.host import host
from holdfast.hosts.programs import KEPT, Asked, Call
from holdfast.judge import http, seam
from holdfast.judge.seam import PER_TOKEN, Words
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.judge.seam import Question

OWN = "https://api.openai.com/v1"
OLLAMA = "http://127.0.0.1:11434/v1"
OPENAI_KEY = "OPENAI_API_KEY"
OPENAI_MODEL = "gpt-6-luna"  # OpenAI's smallest of its current line
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
        """Look without spending anything: whether the server answers and has the model."""
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
                {"role": "system", "content": seam.told(question)},
                {"role": "user", "content": question.given or "Answer now."},
            ],
            limit: question.most_out,
            "stream": False,
        }
        schema = seam.strict(question) if FORMS[form] == "schema" else None
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
            counted[0] or (len(seam.told(question)) + len(question.given)) // PER_TOKEN,
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


URL = "https://api.anthropic.com"
ANTHROPIC_KEY = "ANTHROPIC_API_KEY"
ANTHROPIC_MODEL = "claude-haiku-5-5"
VERSION = "2023-06-01"


class Anthropic:
    """One endpoint and model."""

    def __init__(self, model: str, url: str, key_env: str, env: Mapping[str, str]) -> None:
        self.name = "anthropic"
        self.model = model
        self.where = http.place(self.name, url.rstrip("/").removesuffix("/v1"), key_env, env)
        self.takes_schema = True  # until it says that it does not

    def say(self, question: Question[Any], timeout: float) -> Words:
        """One answer; a schema that is refused costs a request and no tokens."""
        ends = time.monotonic() + timeout
        schema = seam.strict(question) if self.takes_schema else None
        try:
            found = http.call(self.where, "/v1/messages", self._headers(), timeout, self._body(question, schema))
        except http.Refused as error:
            if schema is None or error.status != 400:
                raise
            left = max(0.1, ends - time.monotonic())
            found = http.call(self.where, "/v1/messages", self._headers(), left, self._body(question, None))
            self.takes_schema = False
        return self._words(found, question)

    def look(self, timeout: float) -> str:
        """Look without spending anything: whether the key is accepted and the model is there."""
        try:
            http.call(self.where, f"/v1/models/{quote(self.model, safe='')}", self._headers(), timeout)
        except http.Refused as error:
            if error.status == 404:
                what = f"{self.where.host} does not know the model {self.model}; nothing was changed."
                raise JudgeFailed(what, final=True) from None
            raise
        return f"{self.where.host} accepts the key and has {self.model}"

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self.where.key, "anthropic-version": VERSION}

    def _body(self, question: Question[Any], schema: dict[str, Any] | None) -> dict[str, Any]:
        body = {
            "model": self.model,
            "max_tokens": question.most_out,
            "system": seam.told(question),
            "messages": [{"role": "user", "content": question.given or "Answer now."}],
        }
        return body | ({"output_config": {"format": {"type": "json_schema", "schema": schema}}} if schema else {})

    def _words(self, found: Any, question: Question[Any]) -> Words:
        blocks = found.get("content") if isinstance(found, dict) else None
        if not isinstance(blocks, list):
            what = f"{self.name} ({self.where.host}) answered without an answer in it; nothing was changed."
            raise JudgeFailed(f"{what} Is the address right?", spent=True)
        text = "".join(
            str(one.get("text", "")) for one in blocks if isinstance(one, dict) and one.get("type") == "text"
        )
        model = found.get("model")
        return seam.words(found, text, question, model if isinstance(model, str) and model else self.model)


class Agent:
    """The program of one host on this machine."""

    def __init__(self, name: str, model: str, env: Mapping[str, str]) -> None:
        self._host, self._env = host(name), dict(env)
        self.name, self.model = name, model or self._host.judge.MODEL
        self._kept: dict[str, str] = {}

    def say(self, question: Question[Any], timeout: float) -> Words:
        judge = self._host.judge
        asked = Asked(self.model, seam.told(question), seam.strict(question), question.most_out)
        with self._call(question.most_out) as call:
            ends = time.monotonic() + timeout
            words = judge.words(call, asked, timeout)
            ran = call.run(words, question.given or "Answer now.", max(0.1, ends - time.monotonic()))
        found = judge.answer(ran, asked)
        said = seam.words({"usage": found.usage}, found.text, question, found.model)
        return replace(said, money=found.money)

    def look(self, timeout: float) -> str:
        """Look without spending anything: its version, and whether somebody is logged in."""
        with self._call(0) as call:
            return self._host.judge.look(call, self.model, timeout)

    def program(self) -> str:
        found = programs.find(self._host.program, self._env)
        if not found:
            raise JudgeFailed(f"{self._host.title} is not on this machine's PATH; {KEPT}.", final=True)
        return found

    @contextmanager
    def _call(self, most_out: int) -> Iterator[Call]:
        program = self.program()
        with programs.scratch() as folder:
            own = programs.alone(self._env, folder)
            with self._host.judge.lent(self._env, own, folder, most_out) as env:
                yield Call(self._host.title, program, folder, env, self._env, self._kept)


def payer(judge: str, env: Mapping[str, str]) -> str:
    """The payer of a judge's calls, as far as the agent's own files and variables tell; "" where it is no agent. Where
    there is no telling, that is what is said: a cap on money is then no place for a guess."""
    return host(judge).judge.payer(env) if judge in KNOWN else ""
