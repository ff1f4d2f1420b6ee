"""Order of a class's bases for attribute lookup."""

from codegraph.python.points_to.flow import Flow
from codegraph.python.points_to.program import Program

LONGEST_ORDER = 100
DEEPEST = 60


class Orders:
    """Method resolution orders. They follow C3 if the bases allow it, and otherwise list the bases from left to
    right."""

    def __init__(self, program: Program, flow: Flow) -> None:
        self._classes = program.classes
        self._flow = flow
        self._open: set[int] = set()
        self._known: dict[int, tuple[int, ...]] = {}

    def forget(self) -> None:
        self._known.clear()

    def of(self, number: int) -> tuple[int, ...]:
        order = self._known.get(number)
        return self._linearize(number) if order is None else order

    def _linearize(self, number: int) -> tuple[int, ...]:
        if number in self._open or len(self._open) >= DEEPEST:
            return ()
        known = self._known.get(number)
        if known is not None:
            return known
        self._open.add(number)
        bases = self._classes[number].bases
        rows = [list(order) for each in bases if (order := self._linearize(each))]
        self._open.discard(number)
        self._flow.budget -= 3 * len(rows) * sum(len(row) for row in rows)
        if self._flow.budget <= 0:
            rows = rows[:1]
        order = (number, *_linear([*rows, [row[0] for row in rows]]))[:LONGEST_ORDER]
        self._known[number] = order
        return order

    def outside(self, number: int) -> str:
        """Return the first base outside the set, or "" if all are in it."""
        for each in self.of(number):
            if self._classes[each].outside:
                return self._classes[each].outside[0]
        return ""


def _linear(rows: list[list[int]]) -> list[int]:
    result: list[int] = []
    rows = [each for each in rows if each]
    while rows and len(result) < LONGEST_ORDER:
        heads = [each[0] for each in rows]
        fitting = (head for head in heads if not any(head in each[1:] for each in rows))
        head = next(fitting, heads[0])
        result.append(head)
        rows = [[each for each in row if each != head] for row in rows]
        rows = [each for each in rows if each]
    return result
