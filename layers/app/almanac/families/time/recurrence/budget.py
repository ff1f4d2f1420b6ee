"""Limit on the work of one expansion, so that every call ends within tens of milliseconds."""

from almanac.kernel.errors import InvalidInput

MAX_STEPS = 20_000


class Budget:
    """Counter of the steps left: one per examined period and one per instance. Unlike a clock, it is deterministic."""

    __slots__ = ("left",)

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Count steps. Raises InvalidInput (path `rrule`, code RRULE_TOO_LONG) when none are left."""
        self.left -= steps
        if self.left < 0:
            raise InvalidInput(
                f"The rule needs more than {MAX_STEPS} steps to expand.",
                "Ask for fewer instances or a shorter window, move dtstart closer to the window, "
                "or write the rule with a coarser FREQ.",
                path="rrule",
                code="RRULE_TOO_LONG",
            )
