"""Test that nothing crosses from one tenant to another.

The tests name no tool of the product. They try every listed tool with everything that another tenant's calls produced.
The shelves, a family with such a defect, prove that the trial finds it.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.protocol.tool import Tool
from tests.bench.scale.typical_calls import AT_PROVIDERS
from tests.contract.tenancy import crossings, shelves
from tests.contract.tenancy.consequences import follow_all
from tests.contract.tenancy.crossings import Verdict, judge


def _shelves(folder: Path, *tools: Tool, private: bool) -> Verdict:
    return judge(lambda store, clock: shelves.open_shelves(tools, store, private=private), folder)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_crosses_between_tenants(tmp_path: Path):
    verdict = judge(
        lambda store, clock: every_family(services_for(store, clock)),
        tmp_path,
        open_following=follow_all,
        failing=AT_PROVIDERS,
    )

    assert verdict.silent <= AT_PROVIDERS, "no call of these succeeded: give their arguments examples=[...]"
    assert verdict.crossings[:5] == []
    assert verdict.defects == []
    assert verdict.sent > 100


def test_shelves_that_are_private_let_nothing_cross(tmp_path: Path):
    verdict = _shelves(tmp_path, *shelves.TOOLS, private=True)

    assert verdict.silent == set()
    assert verdict.crossings == []
    assert verdict.defects == []
    assert verdict.sent > 40


LEAKS: list[tuple[str, Sequence[Tool], str]] = [
    ("a note read by its id", (shelves.add_note, shelves.read_note), "the answer holds"),
    ("notes in a list", (shelves.add_note, shelves.page_notes), "the answer"),
    ("that a key is taken", (shelves.take_key,), "the answer differs"),
]


@pytest.mark.parametrize(("tools", "what"), [leak[1:] for leak in LEAKS], ids=[leak[0] for leak in LEAKS])
def test_a_shelf_for_all_tenants_is_found_out(tools: Sequence[Tool], what: str, tmp_path: Path):
    verdict = _shelves(tmp_path, *tools, private=False)

    assert any(crossing.what.startswith(what) for crossing in verdict.crossings)


def test_a_tool_that_writes_for_another_tenant_is_found_out(tmp_path: Path):
    verdict = _shelves(tmp_path, shelves.add_note, shelves.read_note, shelves.touch_note, private=True)

    assert "the other tenant's data changed" in {crossing.what for crossing in verdict.crossings}


def test_a_cursor_that_is_believed_from_anybody_is_found_out(tmp_path: Path):
    verdict = _shelves(tmp_path, shelves.add_note, shelves.turn_page, private=True)

    assert any(crossing.what.startswith("the answer holds") for crossing in verdict.crossings)


def test_a_tool_that_never_succeeds_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(crossings, "TRIES", 40)
    verdict = _shelves(tmp_path, shelves.read_note, private=True)

    assert verdict.silent == {"read_note"}
