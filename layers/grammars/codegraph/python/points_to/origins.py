"""How the name in a slot leads to its definition: by scope, through imports, or by flow of values."""

from codegraph.edges import How
from codegraph.python.points_to.flow import Flow
from codegraph.python.points_to.program import Program
from codegraph.python.points_to.values import Values

_FARTHEST = 30
_SEVERAL = -2


class Origins:
    def __init__(self, program: Program, flow: Flow, values: Values) -> None:
        self._flow = flow
        self._values = values
        self._defined: set[int] = set()
        self._imported: set[int] = set()
        self._sources: dict[int, int] = {}
        self.loaded_of: dict[int, int] = {}
        """Result of each attribute: the slot of its object."""
        for file in program.files:
            summary, base = file.summary, file.base
            self._defined.update(each.slot + base for each in (*summary.functions, *summary.classes))
            self._imported.update(each.slot + base for each in summary.modules)
            self.loaded_of.update((each[2] + base, each[0] + base) for each in summary.loads)
            copies = iter(summary.copies)
            for source, target in zip(copies, copies, strict=True):
                slot = target + base
                self._sources[slot] = _SEVERAL if slot in self._sources else source + base

    def how(self, slot: int) -> How:
        for _ in range(_FARTHEST):
            if slot in self._defined:
                return "scope"
            if slot in self._imported:
                return "import"
            if slot in self.loaded_of:
                return "import" if self._is_module(self.loaded_of[slot]) else "flow"
            slot = self._sources.get(slot, _SEVERAL)
            if slot == _SEVERAL:
                return "flow"
        return "flow"

    def _is_module(self, slot: int) -> bool:
        held = self._flow.values[slot] or ()
        return bool(held) and all(self._values.all[each].kind in {"module", "external"} for each in held)

    def nothing_known(self, slot: int) -> bool:
        """Whether a slot is an attribute of something of which nothing is known."""
        base = self.loaded_of.get(slot)
        return base is not None and not self._flow.values[base]
