"""What a request that is let in may do. Apart from the judging, so that a function behind it does not import that."""

from dataclasses import dataclass

from almanac.kernel.caller import Caller


@dataclass(frozen=True, slots=True)
class Pass:
    """An authorized request. Limits count requests, None means unlimited; they are enforced where it is answered."""

    caller: Caller
    per_minute: int | None = None
    per_day: int | None = None
