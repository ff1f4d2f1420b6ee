"""The steps that one resolution or walk may take."""


class Budget:
    """Counts down; `spent` once nothing is left, for good."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def take(self, steps: int = 1) -> bool:
        """Take steps; false where there were none left."""
        self._left -= steps
        return self._left >= 0
