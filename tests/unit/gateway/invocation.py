class Invocation:
    """Lambda's context of an invocation. It says that time is left, but only `times` times."""

    def __init__(self, times: int = 1000) -> None:
        self._times = times

    def get_remaining_time_in_millis(self) -> int:
        self._times -= 1
        return 300_000 if self._times >= 0 else 0
