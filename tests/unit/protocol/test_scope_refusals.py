"""Test the refusals of existing tools that a key or a request may not use."""

from dataclasses import replace

import pytest

from almanac.kernel.caller import Caller
from almanac.protocol.toolset import EVERYTHING, Selection, Toolset
from tests.clockwork import FAMILIES


def _exclusion_reason(caller: Caller, tool: str, selection: Selection = EVERYTHING) -> str | None:
    return Toolset(FAMILIES).view(caller, selection).exclusion_reasons.get(tool)


CHANGING = next(tool.name for family in FAMILIES for tool in family.tools if not tool.annotations["readOnlyHint"])
FAMILY = next(family.name for family in FAMILIES for tool in family.tools if tool.name == CHANGING)
OTHER = next(family.name for family in FAMILIES if family.name != FAMILY)


def test_a_read_only_key_hears_that_it_is_one(caller: Caller) -> None:
    assert "this API key is read-only" in (_exclusion_reason(replace(caller, readonly=True), CHANGING) or "")


def test_a_key_of_other_families_hears_which_it_may_use(caller: Caller) -> None:
    why = _exclusion_reason(replace(caller, families=frozenset({OTHER})), CHANGING)
    assert why == f"this API key may use only the families {OTHER}, and the tool is of {FAMILY}"


@pytest.mark.parametrize(
    "selection", [Selection(readonly=True), Selection(tools=("nothing_*",)), Selection(within=frozenset({"add"}))]
)
def test_a_narrowed_request_hears_that_the_request_is_what_narrows(caller: Caller, selection: Selection) -> None:
    assert "this request is narrowed" in (_exclusion_reason(caller, CHANGING, selection) or "")


def test_what_can_be_called_and_what_is_nowhere_have_no_reason(caller: Caller) -> None:
    assert _exclusion_reason(caller, CHANGING) is None
    assert _exclusion_reason(replace(caller, readonly=True), "nonsense") is None
