from collections.abc import Sequence

from codegraph.bounded_walk import Direction, Hub, Supplier, walk
from codegraph.edges import Edge, EdgeKind, How


def edge(src: str, dst: str, how: How = "scope", kind: EdgeKind = "calls", confidence: float = 0.5) -> Edge:
    resolved = how not in ("ambiguous", "unresolved")
    return Edge(src=src, dst=dst, kind=kind, how=how, confidence=confidence, resolved=resolved, path="a", line=1)


def graph(*edges: Edge) -> Supplier:
    def supplier(name: str, direction: Direction) -> Sequence[Edge]:
        return [each for each in edges if name == (each.src if direction == "out" else each.dst)]

    return supplier


def test_nodes_come_by_distance_and_then_by_confidence() -> None:
    supplier = graph(edge("a", "b", confidence=0.3), edge("a", "c", confidence=0.9), edge("b", "d"))
    walked = walk(supplier, ["a"], hops=2, kinds=["calls"], direction="out")
    assert [(node.name, node.distance, node.confidence) for node in walked.nodes] == [
        ("a", 0, 1.0),
        ("c", 1, 0.9),
        ("b", 1, 0.3),
        ("d", 2, 0.15),
    ]
    assert walked.cut == ()


def test_a_circle_is_walked_once() -> None:
    walked = walk(graph(edge("a", "b"), edge("b", "a")), ["a"], hops=5, kinds=["calls"], direction="out")
    assert [node.name for node in walked.nodes] == ["a", "b"]
    assert len(walked.edges) == 2


def test_a_walk_in_goes_to_the_callers_and_both_ways_to_all() -> None:
    supplier = graph(edge("a", "b"), edge("b", "c"))
    assert [each.name for each in walk(supplier, ["b"], hops=1, kinds=["calls"], direction="in").nodes] == ["b", "a"]
    assert {each.name for each in walk(supplier, ["b"], hops=1, kinds=["calls"], direction="both").nodes} == {
        "a",
        "b",
        "c",
    }


def test_only_the_kinds_asked_for_are_walked() -> None:
    walked = walk(graph(edge("a", "b", kind="imports")), ["a"], hops=1, kinds=["calls"], direction="out")
    assert [node.name for node in walked.nodes] == ["a"]


def test_a_leaf_is_told_and_not_walked_to() -> None:
    leaf = edge("a", "x", "unresolved")
    walked = walk(graph(leaf, edge("x", "y")), ["a"], hops=3, kinds=["calls"], direction="out")
    assert walked.edges == (leaf,)
    assert [node.name for node in walked.nodes] == ["a"]


def test_a_hub_on_the_way_is_cut_and_counted() -> None:
    supplier = graph(edge("a", "hub"), *(edge("hub", f"n{at}") for at in range(4)))
    walked = walk(supplier, ["a"], hops=3, kinds=["calls"], direction="out", most_edges=3)
    assert [node.name for node in walked.nodes] == ["a", "hub"]
    assert walked.hubs == (Hub(name="hub", direction="out", edges=4),)
    assert walked.cut == ("hubs",)


def test_a_hub_to_start_from_gives_its_surest_edges() -> None:
    supplier = graph(*(edge("hub", f"n{at}", confidence=at / 10) for at in range(5)))
    walked = walk(supplier, ["hub"], hops=1, kinds=["calls"], direction="out", most_edges=2)
    assert [node.name for node in walked.nodes] == ["hub", "n4", "n3"]
    assert walked.hubs[0].edges == 5


def test_what_is_farther_than_asked_is_told() -> None:
    walked = walk(graph(edge("a", "b"), edge("b", "c")), ["a"], hops=1, kinds=["calls"], direction="out")
    assert walked.cut == ("hops",)
    assert [node.name for node in walked.nodes] == ["a", "b"]


def test_the_number_of_nodes_and_steps_is_bounded() -> None:
    supplier = graph(*(edge(f"n{at}", f"n{at + 1}") for at in range(20)))
    few = walk(supplier, ["n0"], hops=8, kinds=["calls"], direction="out", most_nodes=3)
    assert ([node.name for node in few.nodes], few.cut) == (["n0", "n1", "n2"], ("nodes",))
    short = walk(supplier, ["n0"], hops=8, kinds=["calls"], direction="out", steps=4)
    assert "steps" in short.cut
    assert len(short.nodes) < 8
    assert len(walk(supplier, ["n0"], hops=99, kinds=["calls"], direction="out").nodes) == 9
