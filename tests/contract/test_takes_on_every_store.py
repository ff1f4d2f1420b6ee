"""However many agents take cards at once, no two get the same, and each gets one as long as there is one."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from tests.contract.backends import Place
from tests.unit.families.planner.planner_app import MORNING, PlannerApp

AGENTS, CARDS = 8, 20


@pytest.fixture(params=["sqlite", "dynoxide"])
def app(request: pytest.FixtureRequest, tmp_path: Path, scope: Scope) -> PlannerApp:
    technology: str = request.param
    address = str(tmp_path / "store.db") if technology == "sqlite" else request.getfixturevalue("dynoxide_address")
    return PlannerApp(tmp_path, store=Place(technology, address).open(FixedClock(MORNING)), scope=scope)


def test_no_two_agents_take_the_same_card(app: PlannerApp) -> None:
    ids = [app.do("kanban_create_card", columnId="col_todo", title=str(each))["id"] for each in range(CARDS)]
    for first, then in zip(ids[:5], ids[5:10], strict=True):
        ends = {"fromItemId": first, "fromItemType": "task", "toItemId": then, "toItemType": "task"}
        app.do("items_link", relationType="blocks", **ends)
    gate = threading.Barrier(AGENTS)
    finished: list[str] = []

    def agent(number: int) -> list[tuple[str, int]]:
        taken: list[tuple[str, int]] = []
        gate.wait(timeout=60)
        while (answer := app.do("kanban_take", holder=f"agent#{number}"))["card"] is not None:
            card, claim = answer["card"]["id"], answer["claim"]
            assert claim["holder"] == f"agent#{number}"
            if card in ids[5:10]:
                assert ids[ids.index(card) - 5] in finished, "it was taken while something blocked it"
            taken.append((card, claim["token"]))
            finished.append(card)
            app.do("kanban_move_card", cardId=card, columnId="col_done", claimToken=claim["token"])
        return taken

    with ThreadPoolExecutor(AGENTS) as agents:
        taken = [card for each in agents.map(agent, range(AGENTS)) for card, _ in each]
    left: Any = app.do("kanban_take", holder="last")
    while left["card"] is not None:
        taken.append(left["card"]["id"])
        app.do("kanban_move_card", cardId=taken[-1], columnId="col_done", claimToken=left["claim"]["token"])
        left = app.do("kanban_take", holder="last")
    assert sorted(taken) == sorted(ids)
