"""Which tools a key sees, through the official client of both eras."""

import pytest

from almanac.composition.families import families_for_docs
from tests.e2e.target import MODES, Target

every_mode = pytest.mark.parametrize("mode", MODES)


@every_mode
def test_the_hub_lists_the_tools_of_all_families_together(at: Target, mode: str):
    assert at.families
    hub = at.list_tools(mode=mode)
    assert hub == sorted(hub)
    apart = {tool for tools in at.families.values() for tool in tools}
    catalogued = {tool.name for family in families_for_docs() for tool in family.tools}
    assert set(hub) == (apart & catalogued if at.stack else apart)


@every_mode
@pytest.mark.parametrize("family", [family.name for family in families_for_docs()])
def test_a_family_lists_its_tools_at_its_own_address(at: Target, family: str, mode: str):
    if at.command_line is None and family not in at.families:
        pytest.skip(f"the family {family} is not served there")
    listed = at.list_tools(f"/{family}", mode=mode)
    if at.command_line is not None:  # it runs this very code
        (described,) = [each for each in families_for_docs() if each.name == family]
        assert listed == sorted(tool.name for tool in described.tools)
    assert listed == at.families[family]


@every_mode
def test_a_request_narrows_what_it_sees(at: Target, mode: str):
    assert at.list_tools("?families=time", mode=mode) == at.families["time"]
    assert at.list_tools("?tools=get_temporal_*,compute_*", mode=mode) == ["compute_duration", "get_temporal_context"]


def test_headers_narrow_as_the_query_does(at: Target):
    answer = at.post(headers={"x-almanac-families": "time", "x-almanac-tools": "convert_*"})
    listed = [tool["name"] for tool in answer.json()["result"]["tools"]]
    assert listed == ["convert_datetime", "convert_timezone"]


def test_what_only_reads_may_be_asked_for(at: Target):
    tools = at.post(path="?readonly=1").json()["result"]["tools"]
    assert tools
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)


def test_a_filter_that_names_no_family_is_told_which_there_are(at: Target):
    error = at.post(path="?families=tiem").json()["error"]
    assert "time" in error["message"]
