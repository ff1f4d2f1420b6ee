"""Families as a build prepares them, beside the families themselves: the same lists, introductions, calls and pages."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.composition.families import FAMILIES, TOOL_SETS, declaration, families_for_docs
from almanac.composition.prepared import read_prepared, write_prepared
from almanac.gateway.http.hosts import hub_server
from almanac.kernel.caller import Caller, Scope
from almanac.platform.services import Services
from almanac.protocol.family import Family, ToolModules
from almanac.protocol.message.revisions import SUPPORTED
from almanac.protocol.prepared import late_family, prepare
from almanac.protocol.toolset import Selection, Toolset
from almanac.protocol.wire import capabilities, lists, resources

_FAMILIES = families_for_docs()
_TOOLSET = Toolset(_FAMILIES)
_SERVER = hub_server(_FAMILIES)
_NAMES = sorted(tool.name for family in _FAMILIES for tool in family.tools)


def _fail_if_opened() -> Family:
    raise AssertionError("A list opened a family.")


_LATE = Toolset([late_family(prepare(family), _fail_if_opened) for family in _FAMILIES])

some_families = st.none() | st.frozensets(st.sampled_from(FAMILIES), min_size=1)
patterns = st.sampled_from([*_NAMES, "*_c*", "list_*", "*.*", "nothing"])
some_tools = st.none() | st.lists(patterns, min_size=1).map(tuple)
some_set = st.none() | st.sampled_from(list(TOOL_SETS.values()))
selections = st.builds(Selection, some_families, some_tools, st.booleans(), st.booleans(), some_set, st.booleans())
callers = st.builds(
    Caller,
    st.just(Scope("acme", "web")),
    st.just("ann"),
    st.just("key"),
    families=some_families,
    readonly=st.booleans(),
)


@given(callers, selections, st.sampled_from(SUPPORTED))
def test_what_is_listed_introduced_and_left_out_is_the_same_for_every_key_and_address_and_opens_nothing(
    caller: Caller, selection: Selection, revision: str
):
    view, late = _TOOLSET.view(caller, selection), _LATE.view(caller, selection)

    for method in lists.METHODS:
        assert lists.fields(late, method, revision) == lists.fields(view, method, revision)
    assert capabilities.initialize_result(late, _SERVER, revision) == capabilities.initialize_result(
        view, _SERVER, revision
    )
    assert capabilities.discover_result(late, revision) == capabilities.discover_result(view, revision)
    assert late.exclusion_reasons == view.exclusion_reasons
    assert late.by_name.keys() == view.by_name.keys()


def test_lists_of_tools_say_what_the_tools_declare():
    view = _LATE.view(_caller(), Selection(outputs=True))
    listed = json.loads(f"{{{lists.fields(view, 'tools/list', SUPPORTED[-1])}}}")["tools"]
    tools = {tool.name: tool for family in _FAMILIES for tool in family.tools}

    assert [each["name"] for each in listed] == _NAMES
    for each in listed:
        tool = tools[each["name"]]
        assert each.get("outputSchema") == tool.output_schema
        assert (each["title"], each["description"]) == (tool.title, tool.description)
        assert (each["inputSchema"], each["annotations"]) == (json.loads(tool.listing.input), tool.annotations)


@given(callers, selections, st.sampled_from(SUPPORTED))
def test_output_schemas_are_in_the_list_that_asks_for_them_and_the_lists_are_otherwise_the_same(
    caller: Caller, selection: Selection, revision: str
):
    def list_tools(outputs: bool) -> list[dict[str, Any]]:
        view = _LATE.view(caller, msgspec.structs.replace(selection, outputs=outputs))
        return json.loads(f"{{{lists.fields(view, 'tools/list', revision)}}}")["tools"]

    plain, whole = list_tools(outputs=False), list_tools(outputs=True)

    assert not any("outputSchema" in one for one in plain)
    assert all(("outputSchema" in one) is (revision >= "2025-06-18") for one in whole)
    assert [{key: one[key] for key in one if key != "outputSchema"} for one in whole] == plain


@pytest.mark.parametrize("family", _FAMILIES, ids=lambda family: family.name)
def test_every_prepared_tool_opens_as_the_family_declares_it(family: Family):
    late = late_family(prepare(family), lambda: family)

    assert isinstance(family.tools, ToolModules)
    for tool, real in zip(late.tools, family.tools, strict=True):
        assert (tool.callable_tool, tool.callable_tool.choices.keys()) == (real, real.choices.keys())
    assert dict(late.collaborators) == dict(family.collaborators)


def test_what_a_build_wrote_is_read_again_and_of_other_families_there_is_nothing(tmp_path: Path):
    for family in _FAMILIES:
        write_prepared(family, tmp_path)

    assert [read_prepared(name, tmp_path) for name in FAMILIES] == list(map(prepare, _FAMILIES))
    assert read_prepared("unknown", tmp_path) is None
    assert read_prepared("time") is None, "a working tree has none, so that none is out of date"


def test_pages_and_prompts_are_those_of_the_family():
    opened: list[str] = []

    def open_family(name: str) -> Family:
        opened.append(name)
        return declaration(name).open(Services({}))

    late = Toolset([late_family(prepare(each), lambda name=each.name: open_family(name)) for each in _FAMILIES])
    view, truth = late.view(_caller()), _TOOLSET.view(_caller())

    assert truth.resources
    assert truth.prompts
    for page in truth.resources:
        assert resources.read_resource(view, page.uri) == resources.read_resource(truth, page.uri)
    for prompt in truth.prompts:
        given: dict[str, Any] = {argument.name: "Europe/Berlin" for argument in prompt.arguments}
        mine = next(each for each in view.prompts if each.name == prompt.name)
        assert mine.render(given) == prompt.render(given)
        assert mine.questions == prompt.questions
        for argument in prompt.arguments:
            if prompt.complete is not None:
                assert mine.complete is not None
                assert mine.complete(argument.name, "Eu") == prompt.complete(argument.name, "Eu")
    assert opened == ["time"], "once, and no other family"


def _caller() -> Caller:
    return Caller(Scope("acme", "web"), "ann", "key")
