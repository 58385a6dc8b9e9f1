"""Anchors: what holds, what changed, and that nothing outside of the project is ever looked at."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.vault import anchors
from holdfast.vault.anchors import Anchor

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """import db

class Orders:
    def place_order(self, order):
        with db.lock(order.id):
            return db.insert(order)

LIMIT = 3
"""


@pytest.fixture
def root(place: Path) -> str:
    (place / "shop" / "src").mkdir(parents=True)
    (place / "shop" / "src" / "orders.py").write_text(SOURCE)
    return f"{place}/shop"


def rewrite(root: str, text: str) -> None:
    with open(f"{root}/src/orders.py", "w") as file:
        file.write(text)


def made(root: str, evidence: str) -> Anchor:
    stored = anchors.make(root, evidence)
    assert stored is not None
    anchor = anchors.read(stored)
    assert anchor is not None
    return anchor


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("src/a.py", Anchor("src/a.py")),
        ("./src/a.py:241", Anchor("src/a.py", (241, 241))),
        ("src/a.py:241-245", Anchor("src/a.py", (241, 245))),
        ("src/a.py#place_order", Anchor("src/a.py", symbol="place_order")),
        ("a:b.py", Anchor("a:b.py")),
        (
            {"path": "a.py", "lines": 7, "hash": "ab", "commit": 1234567890},
            Anchor("a.py", (7, 7), "", "ab", "1234567890"),
        ),
        ({"path": "a.py", "lines": [7, 9]}, Anchor("a.py", (7, 9))),
        ({"path": "a.py", "lines": "7 - 9", "symbol": "x"}, Anchor("a.py", (7, 9), "x")),
    ],
)
def test_an_anchor_may_be_written_in_several_ways(value: Any, expected: Anchor) -> None:
    assert anchors.read(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        *("", "/etc/passwd", "../secret", "src/../../secret", "~/.ssh/id", "a\0b", "https://example.org/a.py"),
        *("a.py:0", "a.py:9-7", "a\nb.py", 7, None, ["a.py"], {}, {"path": ["a.py"]}, {"lines": 3}),
        *({"path": "a.py", "lines": "x"}, {"path": "a.py", "lines": []}, {"path": "a.py", "hash": ["x"]}),
        {"path": "../a.py", "lines": 3},
    ],
)
def test_nonsense_and_what_leaves_the_project_is_no_anchor(value: Any) -> None:
    assert anchors.read(value) is None


def test_evidence_with_a_line_stores_its_digest_and_holds(root: str) -> None:
    stored = anchors.make(root, "src/orders.py:4-5")
    assert stored is not None
    assert (stored["path"], stored["lines"], len(stored["hash"])) == ("src/orders.py", "4-5", 16)
    assert "commit" not in stored
    assert "place_order" not in str(stored)
    assert anchors.holds(root, made(root, "src/orders.py:4-5")) == "holds"


@pytest.mark.parametrize(
    "evidence", ["src/orders.py:5: the lock", "src/orders.py:5:9", "src/orders.py:5.", "src/orders.py:5 (the lock)"]
)
def test_what_people_write_behind_the_line_is_left_aside(root: str, evidence: str) -> None:
    assert made(root, evidence).place == "src/orders.py:5"


def test_an_absolute_path_within_the_project_becomes_a_relative_one(root: str) -> None:
    assert made(root, f"{root}/src/orders.py:5").path == "src/orders.py"


@pytest.mark.parametrize(
    "evidence",
    ["", "the lock is there", "nowhere.py:3", "src", "../shop/src/orders.py", "/etc/passwd", "x" * 5000, "a1b2c3d"],
)
def test_evidence_that_names_no_file_of_the_project_gives_no_anchor(root: str, evidence: str) -> None:
    assert anchors.make(root, evidence) is None


@pytest.mark.parametrize("evidence", ["src/orders.py:900", "src/orders.py:2", "src/orders.py#nothing_of_it"])
def test_a_place_that_is_not_there_or_blank_anchors_to_the_file_alone(root: str, evidence: str) -> None:
    assert anchors.make(root, evidence) == {"path": "src/orders.py"}


def test_a_made_anchor_carries_the_commit_of_its_worktree(root: str) -> None:
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", root, *words], check=True)
    head = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    assert made(root, "src/orders.py:5").commit == head[:10]
    assert anchors.make(root, "src/orders.py", "feedfeed01") == {"path": "src/orders.py", "commit": "feedfeed01"}


def test_lines_that_merely_moved_or_lost_trailing_blanks_still_hold(root: str) -> None:
    anchor = made(root, "src/orders.py:4-6")
    rewrite(root, "# a new line\n" * 30 + SOURCE.replace("(order)\n", "(order)  \t\n"))
    assert anchors.holds(root, anchor) == "holds"
    rewrite(root, SOURCE.replace("\n", "\r\n"))
    assert anchors.holds(root, anchor) == "holds"


def test_changed_lines_do_not_hold(root: str) -> None:
    anchor = made(root, "src/orders.py:4-6")
    rewrite(root, SOURCE.replace("db.lock", "db.row_lock"))
    assert anchors.holds(root, anchor) == "changed"
    assert anchors.needle(root, anchor) is None


def test_a_block_that_was_torn_apart_does_not_hold(root: str) -> None:
    anchor = made(root, "src/orders.py:4-5")
    rewrite(root, SOURCE.replace("        with", "        log()\n        with"))
    assert anchors.holds(root, anchor) == "changed"


def test_a_file_that_is_gone_and_a_root_that_is_missing_are_told_apart(root: str, place: Path) -> None:
    anchor = made(root, "src/orders.py:5")
    (place / "shop" / "src" / "orders.py").unlink()
    assert anchors.holds(root, anchor) == "gone"
    assert anchors.holds(f"{place}/elsewhere", anchor) == "unknown"
    assert anchors.holds("", anchor) == "unknown"


def test_a_line_without_a_digest_holds_while_the_file_reaches_so_far(root: str) -> None:
    assert anchors.holds(root, Anchor("src/orders.py", (8, 8))) == "holds"
    assert anchors.holds(root, Anchor("src/orders.py", (80, 80))) == "changed"


@pytest.mark.parametrize(
    "line",
    [
        *(
            "def place_order(x):",
            "    async def place_order(x):",
            "class place_order:",
            "func place_order(o Order) error {",
        ),
        *("func (s *Shop) place_order(o Order) {", "pub fn place_order<T>(x: T) {", "export function place_order() {"),
        *(
            "export const place_order = () => 1",
            "type place_order struct {",
            "interface place_order {",
            "place_order = 3",
        ),
        *("place_order: 3", '  "place_order": 3,', "  place_order(order) {", "static int place_order(int x) {"),
        *(
            "CREATE TABLE place_order (",
            "let mut_ = 1; var place_order = 2",
            "#define place_order 3",
            "self.place_order = 1",
        ),
    ],
)
def test_a_line_that_defines_a_symbol_is_recognised(line: str) -> None:
    assert anchors.definition(f"first\n{line}\nlast", "Shop.place_order") == line.rstrip()


@pytest.mark.parametrize(
    "line",
    [
        *(
            "x = place_order(1)",
            "if place_order(x) {",
            "return place_order",
            "place_order == 3",
            "def place_order_2():",
        ),
        *("# def place_order was here", "// class place_order", "class my_place_order:", "place_order(1);"),
    ],
)
def test_a_line_that_only_uses_a_symbol_is_no_definition(line: str) -> None:
    assert anchors.definition(f"first\n{line}\nlast", "place_order") is None


def test_a_symbol_holds_while_it_is_defined_whatever_its_body_is(root: str) -> None:
    anchor = made(root, "src/orders.py#Orders.place_order")
    rewrite(root, "def place_order():\n    pass\n")
    assert anchors.holds(root, anchor) == "holds"
    rewrite(root, "def put_order():\n    place_order()\n")
    assert anchors.holds(root, anchor) == "changed"


def test_a_hash_without_lines_is_that_of_the_whole_file(root: str) -> None:
    anchor = Anchor("src/orders.py", hash=anchors.digest(SOURCE.split("\n")))
    assert anchors.holds(root, anchor) == "holds"
    assert anchors.needle(root, anchor) == SOURCE
    rewrite(root, SOURCE + "# more\n")
    assert anchors.holds(root, anchor) == "changed"


def test_a_needle_is_found_in_the_file_as_it_stands_there(root: str) -> None:
    rewrite(root, SOURCE.replace("\n", "\r\n"))
    with open(f"{root}/src/orders.py", newline="") as file:
        content = file.read()
    block = anchors.needle(root, made(root, "src/orders.py:4-5"))
    assert block is not None
    assert block.startswith("    def place_order")
    assert block.endswith("(order.id):")
    assert block in content
    assert anchors.needle(root, Anchor("src/orders.py", symbol="LIMIT")) == "LIMIT = 3"
    assert anchors.needle(root, Anchor("src/orders.py")) == ""


def test_a_binary_or_very_large_file_is_known_by_its_size_and_ends(root: str) -> None:
    with open(f"{root}/picture", "wb") as file:
        file.write(b"\0" * 100)
    with open(f"{root}/big.csv", "wb") as file:
        file.write(b"a,b\n" * (1 << 20) + b"end")
    for name, byte_at in (("picture", 50), ("big.csv", (1 << 22) + 1)):
        anchor = made(root, f"{name}:12")
        assert "-" in anchor.hash
        assert anchors.holds(root, anchor) == "holds"
        assert anchors.needle(root, anchor) is None
        with open(f"{root}/{name}", "r+b") as file:
            file.seek(byte_at)
            file.write(b"X")
        assert anchors.holds(root, anchor) == "changed"


def test_a_text_that_grew_too_large_to_be_read_cannot_be_judged(root: str) -> None:
    anchor = made(root, "src/orders.py:5")
    rewrite(root, SOURCE + "x" * (5 << 20))
    assert anchors.holds(root, anchor) == "unknown"


def test_a_link_out_of_the_project_is_not_followed(root: str, place: Path) -> None:
    (place / "secret.py").write_text("KEY = 1\n")
    (place / "shop" / "leak.py").symlink_to(place / "secret.py")
    (place / "shop" / "up").symlink_to(place)
    (place / "shop" / "near.py").symlink_to(place / "shop" / "src" / "orders.py")
    for path in ("leak.py", "up/secret.py"):
        assert anchors.make(root, f"{path}:1") is None
        assert anchors.holds(root, Anchor(path)) == "gone"
        assert anchors.needle(root, Anchor(path, (1, 1))) is None
    assert anchors.holds(root, Anchor("near.py", symbol="LIMIT")) == "holds"


def test_folders_and_odd_files_break_nothing(root: str, place: Path) -> None:
    import os

    os.mkfifo(place / "shop" / "pipe")
    (place / "shop" / "loop").symlink_to("loop")
    (place / "shop" / "latin.py").write_bytes(b"caf\xe9 = 1\n")
    assert anchors.holds(root, Anchor("src")) == "holds"
    assert anchors.holds(root, Anchor("src", (1, 1))) == "gone"
    assert anchors.holds(root, Anchor("pipe", (1, 1))) == "gone"
    assert anchors.holds(root, Anchor("loop", (1, 1))) in ("gone", "unknown")
    assert anchors.holds(root, Anchor("x" * 5000, (1, 1))) in ("gone", "unknown")
    assert anchors.holds(root, made(root, "latin.py:1")) == "holds"


def test_the_sentence_names_commit_place_and_what_happened() -> None:
    anchor = Anchor("src/orders.py", (241, 241), commit="1a2b3c4d5e")
    assert anchors.sentence(anchor, "changed") == "was true at 1a2b3c4d5e, src/orders.py:241 changed since"
    assert anchors.sentence(anchor, "gone") == "was true at 1a2b3c4d5e, src/orders.py is gone"
    assert anchors.sentence(Anchor("a.py", (2, 4)), "changed") == "a.py:2-4 changed since"
    assert anchors.sentence(Anchor("a.py", symbol="x"), "unknown") == "a.py#x cannot be checked here"
    assert anchors.sentence(anchor, "holds") == ""
