"""What other memory systems answer to the same questions, each in its own virtual environment, without any model but
the embedder that ours uses: it is served to them on loopback as an OpenAI-compatible endpoint.

    python bench/retrieval_peers.py --venvs FOLDER --out peers.jsonl [--system NAME …] [--set NAME …] [--minutes 10]

Then `python bench/retrieval.py --peers peers.jsonl`. The packages are installed into FOLDER where they are missing, and
driven through their own calls at their defaults: MemPalace's collection and `search_memories`, mem0's `add` with infer
off and `search`, mcp-memory-service's storage with `retrieve` and `retrieve_hybrid`. One that cannot be installed or
run is left out, and why is said. mcp-memory-service needs a Python whose sqlite3 loads extensions: --python.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

DEPTH = 20
MODEL = "served"
PACKAGES = {
    "mempalace": "mempalace==3.11.*",
    "mem0": "mem0ai==2.2.*",
    "mcp-memory-service": "mcp-memory-service==12.2.*",
}
Say = Callable[[str, list[str]], None]


# In the peer's own interpreter: nothing of ours is importable there.


def mempalace(folder: Path, group: dict[str, Any], say: dict[str, Say], _url: str) -> None:
    from mempalace.palace import get_collection  # type: ignore[import-not-found]
    from mempalace.searcher import search_memories  # type: ignore[import-not-found]

    path = str(folder / "palace")
    collection = get_collection(path)
    ids = [ident for ident, _ in group["docs"]]
    for begin in range(0, len(ids), 64):
        some = group["docs"][begin : begin + 64]
        known = [{"wing": "bench", "room": "bench", "source_file": ident} for ident, _ in some]
        collection.upsert(documents=[text for _, text in some], ids=[ident for ident, _ in some], metadatas=known)
    for ident, text, *_ in group["queries"]:
        for how in ("vector", "union"):
            found = search_memories(text, path, n_results=DEPTH, candidate_strategy=how)
            say[f"MemPalace 3.11, {how}"](ident, [one["source_file"] for one in found.get("results", [])])


def mem0(folder: Path, group: dict[str, Any], say: dict[str, Say], url: str) -> None:
    from mem0 import Memory  # type: ignore[import-not-found]

    store = {"path": str(folder / "qdrant"), "collection_name": "bench", "embedding_model_dims": 256, "on_disk": True}
    embedder = {"model": MODEL, "openai_base_url": url, "api_key": "none"}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": {"provider": "openai", "config": embedder},
            "llm": {"provider": "openai", "config": {"api_key": "none", "openai_base_url": url}},
            "history_db_path": str(folder / "history.db"),
        }
    )
    for ident, text in group["docs"]:
        memory.add(text, user_id="bench", infer=False, metadata={"doc": ident})
    for ident, text, *_ in group["queries"]:
        found = memory.search(text, filters={"user_id": "bench"}, top_k=DEPTH, threshold=0.0)
        say["mem0 2.2, infer off"](ident, [one["metadata"]["doc"] for one in found["results"]])


def mcp_memory_service(folder: Path, group: dict[str, Any], say: dict[str, Say], _url: str) -> None:
    import asyncio

    from mcp_memory_service.models.memory import Memory  # type: ignore[import-not-found]
    from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage  # type: ignore[import-not-found]

    async def run() -> None:
        storage = SqliteVecMemoryStorage(str(folder / "memory.db"))
        await storage.initialize()
        made = [Memory(text, f"{at:064x}", metadata={"doc": ident}) for at, (ident, text) in enumerate(group["docs"])]
        for begin in range(0, len(made), 64):
            await storage.store_batch(made[begin : begin + 64])
        for ident, text, *_ in group["queries"]:
            for how, ask in (("vector", storage.retrieve), ("hybrid", storage.retrieve_hybrid)):
                found = await ask(text, n_results=DEPTH)
                say[f"mcp-memory-service 12.2, {how}"](ident, [one.memory.metadata["doc"] for one in found])

    asyncio.run(run())


RUNS = {"mempalace": mempalace, "mem0": mem0, "mcp-memory-service": mcp_memory_service}


class _Say(dict[str, Say]):
    """A voice for each name that a system gives itself."""

    def __init__(self, out: Any, chosen: str) -> None:
        super().__init__()
        self.out, self.chosen = out, chosen

    def __missing__(self, system: str) -> Say:
        def say(query: str, ids: list[str]) -> None:
            line = {"system": system, "set": self.chosen, "query": query, "ids": list(dict.fromkeys(ids))}
            self.out.write(json.dumps(line) + "\n")

        self[system] = say
        return say


def inside(system: str, chosen: str, source: Path, out: Path, url: str) -> None:
    for line in source.read_text(encoding="utf-8").strip("\n").split("\n"):  # a text may have other ends of lines in it
        with tempfile.TemporaryDirectory(prefix="holdfast-peer-") as folder, out.open("a", encoding="utf-8") as answers:
            RUNS[system](Path(folder), json.loads(line), _Say(answers, chosen), url)


# In ours.


class _Served(BaseHTTPRequestHandler):
    """The default embedder, as an endpoint."""

    protocol_version = "HTTP/1.1"
    embed: Callable[[list[str]], Any]

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))["input"]
        rows = type(self).embed([asked] if isinstance(asked, str) else asked).tolist()
        data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        body = json.dumps({"object": "list", "data": data, "model": MODEL, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def served() -> Iterator[str]:
    from holdfast.field.embedder_models import WordLlama

    model = WordLlama()
    handler = type("Handler", (_Served,), {"embed": staticmethod(model.embed)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()


def environment(folder: Path, url: str) -> dict[str, str]:
    """A home of its own, the served embedder, and nothing of the caller's."""
    return {
        "HOME": str(folder),
        "PATH": os.environ.get("PATH", os.defpath),
        "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
        "MEMPALACE_EMBEDDING_API_URL": url,
        "MEMPALACE_EMBEDDING_API_MODEL": MODEL,
        "MCP_EXTERNAL_EMBEDDING_URL": f"{url}/embeddings",
        "MCP_EXTERNAL_EMBEDDING_MODEL": MODEL,
        "MCP_SEMANTIC_DEDUP_ENABLED": "false",
        "MEM0_TELEMETRY": "false",
        "ANONYMIZED_TELEMETRY": "false",
    }


def installed(system: str, venvs: Path, python: str) -> Path | None:
    place = venvs / system
    program = place / "bin" / "python"
    if not program.exists():
        subprocess.run([python, "-m", "venv", str(place)], check=True)
        done = subprocess.run([str(program), "-m", "pip", "install", "--quiet", PACKAGES[system]], check=False)
        if done.returncode:
            print(f"{system}: cannot be installed (pip ended with {done.returncode})", file=sys.stderr)
            return None
    return program


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--venvs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--system", action="append", choices=sorted(RUNS))
    parser.add_argument("--set", action="append")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    from support import ROOT

    sys.path.insert(0, str(ROOT / "src"))
    import gzip

    from retrieval_data import SETS

    data = given.data or Path(os.environ.get("HOLDFAST_BENCH_DATA") or ROOT.parent / "shared" / "bench")
    ends = served()
    url = next(ends)
    for system in given.system or sorted(RUNS):
        program = installed(system, given.venvs, given.python)
        for chosen in (given.set or list(SETS)) if program else ():
            with tempfile.TemporaryDirectory(prefix="holdfast-peers-") as folder:
                source = Path(folder) / "groups.jsonl"
                source.write_bytes(gzip.decompress((data / SETS[chosen]).read_bytes()))
                # -P: bench/requests.py is not the package that a peer means by that name.
                command = [str(program), "-P", __file__, "inside", system, chosen, str(source), str(given.out), url]
                began = time.perf_counter()
                try:
                    env = environment(Path(folder), url)
                    done = subprocess.run(command, env=env, timeout=given.minutes * 60, check=False)
                    said = f"ended with {done.returncode}"
                except subprocess.TimeoutExpired:
                    said = f"was stopped after {given.minutes:.0f} minutes"
                print(f"{system}, {chosen}: {said}, {time.perf_counter() - began:.0f} s", file=sys.stderr)
    next(ends, None)


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(sys.argv[2], sys.argv[3], Path(sys.argv[4]), Path(sys.argv[5]), sys.argv[6])
    else:
        main()
