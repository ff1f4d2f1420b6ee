"""Abstract values, which are what an expression may stand for. Each has a number."""

from typing import NamedTuple


class Value(NamedTuple):
    """`kind` says what `first` and `second` are:

    function, class, instance: place in the program · bound: function, number of its receiver · module: its name ·
    constant: the key · container: number of its place, or of its generator function · method: number of a container,
    name · super: class, class of the receiver · external: dotted name · made: dotted name of the class outside that it
    is an instance of · unknown: something of outside."""

    kind: str
    first: int | str
    second: int | str = 0


class Values:
    """Values met so far, by number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, type, int | str, int | str], int] = {}
        self.all: list[Value] = []
        self.unknown = self.number("unknown", "")

    def number(self, kind: str, first: int | str, second: int | str = 0) -> int:
        key = (kind, type(first), first, second)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.all)
            self.all.append(Value(kind, first, second))
        return number

    def external(self, name: str) -> int:
        """Return the value for a name from outside the files. Long chains of names share the unknown value."""
        return self.number("external", name) if name.count(".") < 8 else self.unknown
