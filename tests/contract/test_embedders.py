"""The contract of an embedder, run against every implementation: unit length, the same text the same vector, whatever
stands beside it.

The endpoint is a real server that embeds with the default model; the local one runs where its extra is installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest

from holdfast.field import embedder_models, embedders
from holdfast.field.embedder_models import WordLlama
from holdfast.field.embedders import Embedder

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit"))
from judge_server import Handler, Server

NAMES = [name for name in embedders.TITLES if name != embedders.NONE]
TEXTS = [
    "The lock is released by the next claim.",
    "Wer h\u00e4lt die Sperre?",
    "\u8a18\u61b6\u306f\u30d5\u30a1\u30a4\u30eb\u306b\u3042\u308b",
    "\U0001f512 \u2713",
    "x",
]


def served(handler: Handler) -> None:
    asked = handler.server.own.asked[-1].body["input"]
    rows = [{"index": at, "embedding": row} for at, row in enumerate(WordLlama().embed(asked).tolist())]
    handler.put(200, json.dumps({"object": "list", "data": rows, "model": "served"}).encode())


@pytest.fixture(params=NAMES)
def model(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "openai":
        with Server(served) as server:
            config = {"embed": {"name": "openai", "url": server.url, "model": "served", "key_env": "KEY"}}
            made = embedders.chosen(config, {"KEY": "k"})
            assert made
            yield made
        return
    if request.param == "onnx" and embedder_models.onnx_folder() is None:
        pytest.skip("the extra `local` is not installed")
    made = embedders.chosen({"embed": {"name": request.param}}, {})
    assert made
    yield made


@pytest.mark.slow
def test_it_has_a_name_and_a_dimension(model: Embedder) -> None:
    assert model.name
    assert model.embed(TEXTS).shape == (len(TEXTS), model.dimension)


@pytest.mark.slow
def test_every_vector_is_of_unit_length_in_single_precision(model: Embedder) -> None:
    made = model.embed(TEXTS)
    assert made.dtype == numpy.float32
    assert numpy.allclose(numpy.linalg.norm(made, axis=1), 1.0, atol=1e-5)


@pytest.mark.slow
def test_a_vector_does_not_depend_on_its_company(model: Embedder) -> None:
    together = model.embed(TEXTS)
    alone = numpy.concatenate([model.embed([text]) for text in TEXTS])
    assert numpy.array_equal(together, alone)
    assert numpy.array_equal(model.embed(TEXTS[::-1]), together[::-1])


@pytest.mark.slow
def test_nothing_gives_nothing(model: Embedder) -> None:
    assert model.embed([]).shape == (0, model.dimension)
    made = model.embed(["", " \n\t", "a lock"])
    assert not made[:2].any()
    assert made[2].any()


@pytest.mark.slow
def test_space_around_a_text_says_nothing(model: Embedder) -> None:
    assert numpy.array_equal(model.embed(["  a lock\n"]), model.embed(["a lock"]))


@pytest.mark.slow
def test_a_very_long_text_is_embedded_too(model: Embedder) -> None:
    made = model.embed(["a line about locks and leases\n" * 7000, "y" * 50_000])
    assert numpy.isfinite(made).all()
    assert numpy.allclose(numpy.linalg.norm(made, axis=1), 1.0, atol=1e-5)


@pytest.mark.slow
def test_half_a_sign_and_signs_that_are_none_do_no_harm(model: Embedder) -> None:
    made = model.embed(["cut \ud83d here", "\x00 null \x1b", "e\u0301 \u200d"])
    assert numpy.isfinite(made).all()
    assert numpy.allclose(numpy.linalg.norm(made, axis=1), 1.0, atol=1e-5)


@pytest.mark.slow
def test_what_means_the_same_is_nearer_than_what_does_not(model: Embedder) -> None:
    asked, near, far = model.embed(
        ["how do I fix the database connection", "repairing the link to the database", "a recipe for apple cake"]
    )
    assert float(asked @ near) > float(asked @ far) + 0.1


@pytest.mark.slow
def test_many_may_ask_at_once(model: Embedder) -> None:
    gate = threading.Barrier(4)
    wanted = model.embed(TEXTS)

    def one(_: int) -> bool:
        gate.wait(10)
        return numpy.array_equal(model.embed(TEXTS), wanted)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(4))) == [True] * 4


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "openai"])
def test_another_process_makes_the_same_vectors_without_a_network(name: str) -> None:
    if name == "onnx" and embedder_models.onnx_folder() is None:
        pytest.skip("the extra `local` is not installed")
    script = (
        "import json, socket, sys\n"
        "def refused(*_): raise OSError('no network here')\n"
        "socket.socket.connect = refused\n"
        "from holdfast.field import embedders\n"
        f"model = embedders.chosen({{'embed': {{'name': {name!r}}}}}, {{}})\n"
        "print(json.dumps(model.embed(json.loads(sys.argv[1])).tolist()))"
    )
    done = subprocess.run([sys.executable, "-c", script, json.dumps(TEXTS)], capture_output=True, check=True)
    made = embedders.chosen({"embed": {"name": name}}, {})
    assert made
    assert numpy.array_equal(made.embed(TEXTS), numpy.array(json.loads(done.stdout), dtype=numpy.float32))
