"""Test that a server's instructions introduce what a key and an address offer, and nothing else."""

import re

from hypothesis import given
from hypothesis import strategies as st

from almanac.composition.families import FAMILIES, TOOL_SETS, families_for_docs
from almanac.kernel.caller import Caller, Scope
from almanac.protocol.introduction import introduction
from almanac.protocol.toolset import EVERYTHING, Selection, Toolset

_FAMILIES = families_for_docs()
_TOOLSET = Toolset(_FAMILIES)
_NAMES = {tool.name for family in _FAMILIES for tool in family.tools}
_WORD = re.compile(r"\w+")
_MOST_BYTES = 1900
"""Clients cut instructions at 2 KB."""
_KEEPING = "To keep something"


def caller(families: frozenset[str] | None = None, readonly: bool = False) -> Caller:
    return Caller(Scope("acme", "web"), "ann", "key", families=families, readonly=readonly)


some_families = st.none() | st.frozensets(st.sampled_from(FAMILIES), min_size=1)
patterns = st.sampled_from([*sorted(_NAMES), "*_c*", "list_*", "nothing"])
some_tools = st.none() | st.lists(patterns, min_size=1).map(tuple)
some_set = st.none() | st.sampled_from(list(TOOL_SETS.values()))


@given(some_families, st.booleans(), some_families, some_tools, st.booleans(), some_set)
def test_it_introduces_what_the_request_may_see(
    own: frozenset[str] | None,
    key_reads: bool,
    asked: frozenset[str] | None,
    tools: tuple[str, ...] | None,
    readonly: bool,
    within: frozenset[str] | None,
):
    view = _TOOLSET.view(caller(own, key_reads), Selection(asked, tools, readonly, within=within))
    text = introduction(view)
    offered = {tool.name for tool in view.tools}
    families = [family.name for family in view.families if any(tool.name in offered for tool in family.tools)]

    assert len(text.encode()) <= _MOST_BYTES
    if len(families) != 1:
        assert {*_WORD.findall(text)} & _NAMES <= offered
        introduced = re.findall(r"^- (\w+)(?: \(|:)", text.partition(_KEEPING)[0], re.MULTILINE)
        assert introduced == families


def test_the_whole_hub_says_what_to_do_first_and_how_what_remembers_differs():
    text = introduction(_TOOLSET.view(caller(), EVERYTHING))
    first, _, keeping = text.partition(_KEEPING)

    assert "First call context_orient" in first
    assert len(re.findall(r"^- ", keeping, re.MULTILINE)) == 8


def test_a_key_for_memory_begins_with_the_snapshot_and_one_for_a_single_family_reads_all_about_it():
    two = introduction(_TOOLSET.view(caller(frozenset({"memory", "time"}))))
    one = introduction(_TOOLSET.view(caller(frozenset({"code"}))))

    assert "First call get_snapshot" in two
    assert "code" not in two
    assert one == next(family.instructions.strip() for family in _FAMILIES if family.name == "code")


def test_every_family_has_a_line_and_names_its_own_tools():
    for family in _FAMILIES:
        own = {tool.name for tool in family.tools}
        assert family.summary
        assert family.remembers.keys() <= own
        assert family.first is None or family.first.tool in own
