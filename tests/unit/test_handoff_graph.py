"""The graph of handoffs: a lane for each branch, and lines that lead where a handoff continues another."""

from __future__ import annotations

from holdfast.page.handoff_graph import MOST_LANES, Edge, Node, drawn, laid_out


def chain(*branches: str) -> list[Node]:
    """Handoffs of these branches, the newest first; each continues the one below it."""
    count = len(branches)
    return [
        Node(f"h{count - at}", branch, (f"h{count - at - 1}",) if at < count - 1 else ())
        for at, branch in enumerate(branches)
    ]


def test_one_branch_is_one_straight_lane() -> None:
    found = laid_out(chain("main", "main", "main"))
    assert found.lanes == (0, 0, 0)
    assert found.count == 1
    assert all(edge.left == edge.right == 0 for edge in found.edges)


def test_the_branch_with_most_handoffs_is_on_the_left_also_where_another_is_newer() -> None:
    assert laid_out(chain("fix", "main", "main", "fix", "main")).lanes == (1, 0, 0, 1, 0)


def test_a_lane_is_free_for_another_branch_once_its_branch_has_ended() -> None:
    found = laid_out(chain("main", "one", "main", "two", "main"))
    assert found.lanes == (0, 1, 0, 1, 0)
    assert found.count == 2


def test_branches_that_go_on_at_the_same_time_have_lanes_of_their_own() -> None:
    assert laid_out(chain("one", "main", "two", "one", "main", "two", "main")).count == 3


def test_two_sessions_that_continue_the_same_handoff_both_lead_to_it() -> None:
    nodes = [Node("c", "main", ("a",)), Node("b", "fix", ("a",)), Node("a", "main")]
    found = laid_out(nodes)
    assert [(one.top, one.bottom) for one in found.edges] == [(0, 2), (1, 2)]
    assert found.edges[1] == Edge(1, 1, 2, 0, 2)


def test_a_line_changes_lanes_at_once_where_its_own_lane_has_others_below() -> None:
    nodes = [Node("d", "fix", ("a",)), Node("c", "main", ("b",)), Node("b", "fix", ("a",)), Node("a", "main")]
    first = laid_out(nodes).edges[0]
    assert (first.top, first.bottom, first.bend) == (0, 3, 1)


def test_a_parent_on_an_older_page_is_below_the_end() -> None:
    found = drawn([Node("b", "main", ("a",))], row=50, step=18)
    assert found.paths == (("M13 25V50", 0),)


def test_a_parent_that_would_be_newer_draws_no_line() -> None:
    assert laid_out([Node("b", "main"), Node("a", "main", ("b",))]).edges == ()


def test_more_branches_than_lanes_share_the_last_one() -> None:
    nodes = [Node(f"n{at}", f"branch {at}", ("end",)) for at in range(2 * MOST_LANES)] + [Node("end", "main")]
    found = laid_out(nodes)
    assert found.count == MOST_LANES
    assert max(found.lanes) == MOST_LANES - 1


def test_a_narrow_drawing_has_one_lane_for_all() -> None:
    nodes = chain("main", "fix", "main")
    assert {x for x, _, _, _ in drawn(nodes, row=80, step=14, is_narrow=True).dots} == {11}
    assert len({x for x, _, _, _ in drawn(nodes, row=80, step=14).dots}) == 2


def test_nothing_is_drawn_of_nothing() -> None:
    assert drawn([], row=50, step=18).paths == ()
    assert laid_out([]).lanes == ()
