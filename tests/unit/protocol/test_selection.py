import pytest

from almanac.kernel.errors import InvalidInput
from almanac.protocol import selection
from almanac.protocol.toolset import EVERYTHING, Selection

_FAMILIES = ("time", "calendar")
_SETS = {"core": frozenset({"book_slot", "resolve_datetime"}), "tidy": frozenset({"release"})}


def _read(query: dict[str, str] | None = None, headers: dict[str, str] | None = None) -> Selection:
    return selection.read(query or {}, headers or {}, _FAMILIES, _SETS)


def test_without_filters_everything_is_seen() -> None:
    assert _read(headers={"host": "x"}) is EVERYTHING
    assert _read({"unrelated": "1"}) == EVERYTHING


def test_lists_are_split_at_commas_and_stripped() -> None:
    chosen = _read({"families": " time , calendar,time", "tools": "list_*, get_memory"})
    assert chosen == Selection(frozenset(_FAMILIES), ("list_*", "get_memory"))


def test_output_schemas_are_listed_where_either_asks_and_the_query_wins() -> None:
    header = {"x-almanac-output-schemas": "1"}
    assert _read({"output_schemas": "1"}) == _read({}, header) == Selection(outputs=True)
    assert not _read({"output_schemas": "0"}, header).outputs
    assert _read({"output_schemas": "true", "set": "core"}) == Selection(within=_SETS["core"], outputs=True)


@pytest.mark.parametrize(("text", "meant"), [("1", True), ("TRUE", True), ("yes", True), ("0", False), ("", False)])
def test_readonly_is_a_truth_value(text: str, meant: bool) -> None:
    assert _read({"readonly": text}).readonly is meant


def test_a_set_stands_for_its_tools_and_several_are_taken_together() -> None:
    assert _read({"set": "core"}) == Selection(within=_SETS["core"])
    assert _read({}, {"x-almanac-set": "core"}) == Selection(within=_SETS["core"])
    assert _read({"set": "core,tidy"}).within == {"book_slot", "resolve_datetime", "release"}
    assert _read({"set": "tidy", "families": "time", "tools": "a*", "readonly": "1"}) == Selection(
        frozenset({"time"}), ("a*",), readonly=True, within=_SETS["tidy"]
    )


def test_an_unknown_set_hears_which_there_are() -> None:
    with pytest.raises(InvalidInput, match=r'No set "cor" is served here\. Sets: core, tidy\.'):
        _read({"set": "cor"})
    with pytest.raises(InvalidInput, match="Leave it out for all"):
        selection.read({"set": "core"}, {}, _FAMILIES)


def test_headers_say_the_same_and_the_query_wins() -> None:
    headers = {"x-almanac-families": "calendar", "x-almanac-tools": "a*", "x-almanac-names": "dotted"}
    assert _read({}, headers) == Selection(frozenset({"calendar"}), ("a*",), dotted=True)
    assert _read({"families": "time"}, headers).families == frozenset({"time"})


def test_either_may_ask_for_readonly_and_none_can_take_it_back() -> None:
    assert _read({"readonly": "0"}, {"x-almanac-readonly": "1"}).readonly
    assert _read({"readonly": "1"}, {"x-almanac-readonly": "0"}).readonly


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"families": "tiem"}, "families"),
        ({"families": ""}, "families"),
        ({"set": "Core"}, "set"),
        ({"set": ""}, "set"),
        ({"set": "core,x"}, "set"),
        ({"tools": " , "}, "tools"),
        ({"tools": "a b"}, "tools"),
        ({"tools": "x" * 65}, "tools"),
        ({"tools": ",".join(f"t{i}" for i in range(33))}, "tools"),
        ({"readonly": "maybe"}, "readonly"),
        ({"names": "colons"}, "names"),
        ({"output_schemas": "all"}, "output_schemas"),
    ],
)
def test_a_value_that_means_nothing_is_refused_by_name(query: dict[str, str], path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        _read(query)
    assert refused.value.path == path
    assert refused.value.hint
