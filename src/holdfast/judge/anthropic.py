"""Anthropic's Messages API. The schema stands in the prompt, and goes with the request where the endpoint takes it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from holdfast.errors import JudgeFailed
from holdfast.judge import http, shapes, usage
from holdfast.judge.seam import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.judge.seam import Question

URL = "https://api.anthropic.com"
KEY_ENV = "ANTHROPIC_API_KEY"
MODEL = "claude-haiku-5-5"
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
        schema = shapes.strict(question) if self.takes_schema else None
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
        """What can be said without spending anything: whether the key is accepted and the model is there."""
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
            "system": shapes.told(question),
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
        return usage.words(found, text, question, model if isinstance(model, str) and model else self.model)
