"""Test twenty agents that book overlapping slots at once. One succeeds, and the others learn its event.

The emulator runs fewer rounds, because a call takes half a second there. tests/contract runs all of them on its
DynamoDB.
"""

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from secrets import token_hex

import pytest

from tests.e2e.target import Target
from tests.integration.calendar.race import CLIENTS, ROUNDS, Client, all_at_once, attempts, booker_at, check

pytestmark = pytest.mark.timeout(900)


def test_of_twenty_agents_one_gets_the_slot_and_the_others_are_told_its_event(calendar: Target):
    room = f"e2e-{token_hex(4)}"
    calendar.ask("create_calendar", "/calendar", name=room, calendar_id=room)
    chance = random.Random(6)
    for number in range(ROUNDS if calendar.stack is None else max(1, ROUNDS // 10)):
        # New ones for each round: on a busy machine a round outlasts what the emulator keeps an idle connection for.
        with ExitStack() as stack, ThreadPoolExecutor(CLIENTS) as pool:
            clients = [
                stack.enter_context(closing(Client(f"{calendar.url}/calendar", calendar.key))) for _ in range(CLIENTS)
            ]
            wanted = attempts(room, number, chance)
            outcomes = all_at_once(pool, [booker_at(client) for client in clients], wanted)
            check(outcomes, room, number, clients[:2])
