"""What a close costs: in parallel against in series, and by cheap questions against inline over the whole context.

    python bench/close.py [--delay 2.0] [--context 150000]

64 flags in 16 groups, of a session that goes on, against a model behind a real HTTP server of this bench that takes
two seconds an answer: once with 16 workers, once with one. The slowest single job is the longest that one question took
in that run, over HTTP and read; filing is what is left of the close without any question (the same close, verbatim).
A session that ends asks for its handoff too, and looks it over with a second question once that is there.
Then the tokens: all that the close sent and got, as the server counts it (four characters a token), against the least
that the same notes cost inline: the whole context read once, and the same words written. A session that writes each
note by a tool call of its own reads the context once for each; that is printed too.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from support import ROOT, machine

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture import episodes, flags, home, marks, queue, story
from holdfast.close.budget import Budget
from holdfast.close.drain import drain
from holdfast.close.judge_pool import Court
from holdfast.judge import choice
from holdfast.judge.seam import Judge, Question, Words
from holdfast.vault import notes

NOW = 1_790_000_000.0
THINGS = "login cart invoice search upload export mailer cache broker audit theme locale backup router parser metric"
PER_TOKEN = 4


@dataclass
class Model:
    """A server that answers as a model would, after a while, and counts."""

    delay: float
    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def serve(self) -> ThreadingHTTPServer:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                body = model.answer(raw)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def answer(self, raw: bytes) -> bytes:
        asked = json.loads(raw)
        given = "\n".join(str(one["content"]) for one in asked["messages"])
        text = json.dumps(answered(given))
        time.sleep(self.delay)
        used = {"prompt_tokens": len(raw) // PER_TOKEN, "completion_tokens": len(text) // PER_TOKEN}
        with self.lock:
            self.calls += 1
            self.tokens_in += used["prompt_tokens"]
            self.tokens_out += used["completion_tokens"]
        message = {"role": "assistant", "content": text}
        return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": used}).encode()


def answered(given: str) -> Any:
    """What a model could say to each of the questions of a close."""
    if "You write the handoff" in given:
        return {"title": "Sixteen things", "goals": [{"text": "Look at sixteen things", "cites": ["P1"]}]}
    if "You sort what is pending" in given:
        return {"items": [{"text": "Go on with the sixteen things", "state": "next", "cites": ["P1"]}]}
    if "You check the handoff" in given:
        return {"claims": []}
    said = re.findall(r'is="FLAG (F\d+)[^"]*">\n(.*?)\n</data-', given, re.DOTALL)
    lines = "\n".join(text for _, text in said)
    decision = {"flags": [one for one, _ in said], "action": "new", "name": lines[:40], "body": lines}
    return {"decisions": [{**decision, "description": "when it is needed"}]}


@dataclass
class Timed:
    """A judge, and how long each of its calls took."""

    judge: Judge
    took: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def model(self) -> str:
        return self.judge.model

    def say(self, question: Question[Any], timeout: float) -> Words:
        began = time.perf_counter()
        try:
            return self.judge.say(question, timeout)
        finally:
            self.took.append(time.perf_counter() - began)


def a_session(vault: str, *, ends: bool) -> None:
    """One that has flagged 64 facts about 16 things, and goes on or has ended."""
    state = home.state(vault)
    home.make_vault(vault)
    transcript = Path(vault).parent / "transcript.jsonl"
    said = {"role": "user", "content": [{"type": "text", "text": "Look at sixteen things"}]}
    transcript.write_text(json.dumps({"type": "user", "message": said}) + "\n")
    host = "claude-code"
    opened = episodes.Episode(host, "s1", 1, "shop-11111111", "/nowhere", NOW, transcript=str(transcript))
    key = episodes.open_episode(state, opened).key
    story.add(state, key, NOW, "Look at sixteen things")
    for nth, one in enumerate(THINGS.split() * 4):
        text = f"{one} {one}er part {nth} needs {one}ing before {one}ed rows are read, as {one}.py says"
        made, _ = flags.make(text, now=NOW + nth, episode=key, project="shop-11111111", host="bench", nth=nth)
        episodes.note_segment(state, key, queue.append(f"{state}/queue", [made], NOW))
    if ends:
        ended = episodes.end_episode(state, opened, episodes.ENDED, "", NOW + 90)
        marks.finish(state, ended, NOW + 90, NOW + 90)


def close(folder: Path, model: Model | None, workers: int, *, ends: bool = False) -> tuple[float, list[float]]:
    """Seconds of one close and of each of its questions."""
    vault = str(folder / "vault")
    folder.mkdir()
    a_session(vault, ends=ends)
    state = home.state(vault)
    timed, held, server = None, None, None
    if model:
        server = model.serve()
        config = {"judge": {"name": "openai", "url": f"http://127.0.0.1:{server.server_port}/v1", "model": "bench"}}
        judge = choice.chosen(config, {"OPENAI_API_KEY": "none"})
        assert judge
        timed = Timed(judge)
        held = Court(timed, Budget(state, {}, time.time), state, workers=workers)
    began = time.perf_counter()
    drain(vault, lambda: NOW + 100, also_open=True, court=held)
    spent = time.perf_counter() - began
    if server:
        server.shutdown()
    left = queue.read(f"{state}/queue", NOW + 200).entries
    made = len(list(notes.paths(vault)))
    assert not left, f"{len(left)} flags were not filed"
    assert made == (16 if model else 64), f"{made} notes"
    return spent, timed.took if timed else []


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--delay", type=float, default=2.0)
    options.add_argument("--context", type=int, default=150_000)
    given = options.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        close(Path(folder, "warm"), Model(0.0), 16)
        filing, _ = close(Path(folder, "verbatim"), None, 1)
        many, one = Model(given.delay), Model(given.delay)
        parallel, took = close(Path(folder, "parallel"), many, 16)
        serial, each = close(Path(folder, "serial"), one, 1)
        whole = Model(given.delay)
        ended, of_it = close(Path(folder, "ended"), whole, 32, ends=True)
    slowest = max(took)
    print(f"64 flags, {many.calls} questions of {given.delay:g} s each; filing alone (verbatim) {filing:.2f} s")
    most = slowest + filing
    print(f"16 workers {parallel:6.2f} s = {parallel / most:.2f} x (slowest job {slowest:.2f} s + filing); target 1.25")
    print(
        f" 1 worker  {serial:6.2f} s = {serial / max(each):.1f} x its slowest job, {serial / parallel:.1f} x 16 workers"
    )
    twice = 2 * max(of_it) + filing
    print(f"a session that ends: {whole.calls} questions, the second look at the handoff after the others, 32 workers:")
    spent = whole.tokens_in + whole.tokens_out
    print(f"           {ended:6.2f} s = {ended / twice:.2f} x (two such jobs + filing); {spent:,} tokens")
    total = many.tokens_in + many.tokens_out
    inline = given.context + many.tokens_out
    apart = given.context * many.calls + many.tokens_out
    print(f"tokens of the whole close: {many.tokens_in:,} in, {many.tokens_out:,} out, {total:,} together")
    print(
        f"inline over {given.context:,} tokens of context, in one answer: {inline:,} = {inline / total:.1f} x the close"
    )
    print(f"inline, a tool call for each of the {many.calls} notes: {apart:,} = {apart / total:.0f} x the close")


if __name__ == "__main__":
    main()
