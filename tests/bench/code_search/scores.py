"""What an answer is worth."""

from collections.abc import Sequence

from tests.bench.code_search.tasks import Place, Task

LOOKED_AT = 10
"""Places of an answer to a question that a reader goes through, the first ones."""


def f1(task: Task, places: Sequence[Place]) -> float:
    """The harmonic mean of precision and recall, 0..1. For a setting places are read in their order, up to the last
    right one among the first ten: those behind it are not looked at, and do not count."""
    if task.kind == "setting":
        places = places[:LOOKED_AT]
        right = [at for at, place in enumerate(places) if place in task.answer]
        places = places[: right[-1] + 1] if right else places
    wanted, given = set(task.answer), set(places)
    common = len(wanted & given)
    return 2 * common / (len(wanted) + len(given)) if common else 0.0
