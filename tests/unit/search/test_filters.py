"""Test the documents that pass filters."""

import pytest

from almanac.search.analysis.derivation import Deriver
from almanac.search.filters import passes
from almanac.search.port import Document, Filters

ENTRY = Deriver(None).entry(
    Document(
        id="d",
        kind="turn",
        profile="talk",
        version=1,
        session="s",
        role="user",
        speaker="Ann",
        at=1000,
        tags=("red", "blue"),
        fields={"path": "src", "actor": "bot"},
    )
)


@pytest.mark.parametrize(
    "filters",
    [
        Filters(),
        Filters(kinds=("card", "turn"), sessions=("s",), roles=("user",)),
        Filters(speakers=("ANN",)),
        Filters(tags=("blue",)),
        Filters(since=1000, until=1001),
        Filters(fields={"path": "src"}),
        Filters(except_ids=frozenset({"e"})),
    ],
)
def test_what_all_filters_allow_may_be_found(filters: Filters):
    assert passes(ENTRY, filters)


@pytest.mark.parametrize(
    "filters",
    [
        Filters(kinds=("card",)),
        Filters(sessions=("S",)),
        Filters(roles=("assistant",)),
        Filters(speakers=("Anna",)),
        Filters(tags=("blue", "green")),
        Filters(since=1001),
        Filters(until=1000),
        Filters(fields={"path": "src", "actor": "ann"}),
        Filters(fields={"missing": ""}),
        Filters(except_ids=frozenset({"d"})),
        Filters(kinds=("turn",), roles=("assistant",)),
    ],
)
def test_what_one_filter_forbids_may_not(filters: Filters):
    assert not passes(ENTRY, filters)
