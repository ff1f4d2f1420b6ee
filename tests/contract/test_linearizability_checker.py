"""Test that the checker accepts histories that one order explains, and no others."""

import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.leases import Standing, Verb, lease_step
from tests.contract.linearizability import Operation, is_linearizable

ANN, BOB = "ann", "bob"
DONE = (True, None)
VERBS: list[Verb] = ["claim", "claim", "renew", "release", "look"]


def _simulate_lease(seed: int, count: int) -> list[Operation]:
    """A history of a correct lease: each operation takes effect at a moment of its own between call and return."""
    chance = random.Random(seed)
    state: Standing = None
    history: list[Operation] = []
    for moment in range(0, count * 100, 100):
        asked = (chance.choice(VERBS), chance.choice("abcd"))
        answers = [(True, state)] if asked[0] == "look" else [DONE, (False, state)]
        answered, (state,) = next(
            (answer, following) for answer in answers if (following := lease_step(state, asked, answer, True))
        )
        called, returned = moment - chance.randrange(150), moment + chance.randrange(150)
        history.append(Operation(called, returned, asked, answered))
    return history


@pytest.mark.parametrize("seed", range(50))
def test_a_history_of_a_correct_lease_is_accepted(seed: int):
    assert is_linearizable(_simulate_lease(seed, 60), None, lease_step)


def test_a_second_winner_is_caught():
    caught = tried = 0
    for seed in range(200):
        history = _simulate_lease(seed, 60)
        lost = [number for number, each in enumerate(history) if each.asked[0] == "claim" and each.answered != DONE]
        for number in lost[:1]:
            forged = Operation(history[number].called, history[number].returned, history[number].asked, DONE)
            tried += 1
            caught += not is_linearizable([*history[:number], forged, *history[number + 1 :]], None, lease_step)
    assert tried > 150
    # A few forged histories have another explanation: the loser's claim overlaps the winner's release.
    assert caught > tried * 0.9


def test_two_claims_that_overlap_cannot_both_win():
    history = [Operation(0, 10, ("claim", ANN), DONE), Operation(5, 15, ("claim", BOB), DONE)]
    assert not is_linearizable(history, None, lease_step)
    released = Operation(8, 9, ("release", ANN), DONE)
    assert is_linearizable([*history, released], None, lease_step)
    assert not is_linearizable([*history, Operation(16, 17, ("release", ANN), DONE)], None, lease_step)


def test_a_look_does_not_see_what_was_overwritten_before_it():
    claim = Operation(0, 1, ("claim", ANN), DONE)
    renewed = Operation(2, 3, ("renew", ANN), DONE)
    assert is_linearizable([claim, renewed, Operation(2, 4, ("look", BOB), (True, (ANN, 0)))], None, lease_step)
    assert not is_linearizable([claim, renewed, Operation(4, 5, ("look", BOB), (True, (ANN, 0)))], None, lease_step)


def test_what_got_no_answer_may_have_happened_or_not_and_late():
    lost = Operation(0, None, ("claim", ANN), None)
    assert is_linearizable([lost, Operation(5, 6, ("claim", BOB), DONE)], None, lease_step)
    assert is_linearizable([lost, Operation(5, 6, ("claim", BOB), (False, (ANN, 0)))], None, lease_step)
    before, after = Operation(5, 6, ("look", BOB), (True, None)), Operation(7, 8, ("look", BOB), (True, (ANN, 0)))
    assert is_linearizable([lost, before, after], None, lease_step)
    swapped = [Operation(5, 6, ("look", BOB), (True, (ANN, 0))), Operation(7, 8, ("look", BOB), (True, None))]
    assert not is_linearizable([lost, *swapped], None, lease_step)


def _register(state: int, asked: tuple[str, int], answered: int, known: bool) -> tuple[int] | None:
    if asked[0] == "write":
        return (asked[1],)
    return (state,) if answered == state or not known else None


def _is_explained(history: list[Operation]) -> bool:
    """Try every order that keeps operations which ended before others began."""
    for order in permutations(history):
        if any(later.returned < earlier.called for i, earlier in enumerate(order) for later in order[i + 1 :]):  # type: ignore[operator]
            continue
        state: int | None = 0
        for operation in order:
            following = _register(state, operation.asked, operation.answered, True)
            if following is None:
                break
            (state,) = following
        else:
            return True
    return False


def _operation(called: int, length: int, verb: str, value: int) -> Operation:
    return Operation(called * 2, (called + length) * 2 + 1, (verb, value), value)


_operations = st.builds(
    _operation,
    st.integers(0, 8),
    st.integers(0, 5),
    st.sampled_from(["read", "write"]),
    st.integers(0, 2),
)


@given(st.lists(_operations, max_size=6))
def test_it_agrees_with_trying_every_order(history: list[Operation]):
    assert is_linearizable(history, 0, _register) == _is_explained(history)
