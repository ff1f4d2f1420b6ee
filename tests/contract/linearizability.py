"""Is there one order of operations that explains what every client saw?

The check of Wing and Gong with Lowe's just-in-time linearization: calls and returns are taken in the order of their
times, and beside them the set of everything that may have happened so far. A configuration is a state of the model
and the operations under way that have taken effect in it. When an operation returns, operations under way take effect
in every order until it has; configurations where it cannot have answered as it did are dropped.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from msgspec import Struct


class Operation(Struct, frozen=True):
    """An operation of a client and its answer.

    `returned` is None while it is unknown whether the operation took effect.
    """

    called: int
    returned: int | None
    asked: Any
    answered: Any


Step = Callable[[Any, Any, Any, bool], tuple[Hashable] | None]
"""(state, asked, answered, answer known) -> the next state in a tuple of one, or None if it could not answer so."""

Configuration = tuple[Hashable, frozenset[int]]


def is_linearizable(history: Iterable[Operation], initial: Hashable, step: Step) -> bool:
    operations = list(history)
    events = [(operation.called, 0, number) for number, operation in enumerate(operations)]
    # A return comes before a call of the same instant: equal times count as one after the other.
    events += [(each.returned, -1, number) for number, each in enumerate(operations) if each.returned is not None]
    under_way: set[int] = set()
    possible: set[Configuration] = {(initial, frozenset())}
    for _, kind, number in sorted(events):
        if kind == 0:
            under_way.add(number)
            continue
        possible = _configurations_after(number, possible, under_way, operations, step)
        under_way.discard(number)
        if not possible:
            return False
    return True


def _configurations_after(
    number: int, possible: set[Configuration], under_way: set[int], operations: list[Operation], step: Step
) -> set[Configuration]:
    """The configurations in which operation `number` has taken effect, without it."""
    result: set[Configuration] = set()
    seen = set(possible)
    open_ones = list(possible)
    while open_ones:
        state, done = open_ones.pop()
        if number in done:
            result.add((state, done - {number}))
            continue
        for each in under_way - done:
            operation = operations[each]
            following = step(state, operation.asked, operation.answered, operation.returned is not None)
            if following is not None and (configuration := (following[0], done | {each})) not in seen:
                seen.add(configuration)
                open_ones.append(configuration)
    return result
