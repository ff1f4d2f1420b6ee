"""Tool calls that are repeated after a pause if the same call may succeed later."""

from collections.abc import Callable
from typing import Any, Protocol

from almanac.kernel.errors import AlmanacError, NotFound, Unavailable
from almanac.local.client.tool_calls import Answer, Failed

Json = dict[str, Any]
_PAUSES = (0.5, 2.0, 5.0, 10.0)
_LONGEST_PAUSE = 120.0


class ServerRefusal(AlmanacError):
    """Raised if the server refuses the call, and repeating it would not help."""


class Rejected(ServerRefusal):
    """Raised if a tool answered with an error, because of these arguments or the data it works on."""


class Calls(Protocol):
    def call(self, tool: str, arguments: Json) -> Answer: ...


class PatientCalls:
    """Tool calls with retries, for calls that are safe to repeat.

    A call is given up after four retries. If the server names the time after which a limit allows another call, that
    wait does not count as a retry. `pause` waits for the given seconds, and `tell` gets messages for people.
    """

    def __init__(
        self, calls: Calls, *, pause: Callable[[float], None], tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self._calls = calls
        self._pause = pause
        self._tell = tell

    def ask(self, tool: str, arguments: Json) -> Json:
        """Return the tool's structured result. Raises ServerRefusal, NotFound and Unavailable."""
        failures = 0
        while True:
            problem = self._attempt(tool, arguments)
            if not isinstance(problem, Failed):
                return problem
            if not problem.passing:
                kind = Rejected if isinstance(problem, _ToolFailed) else ServerRefusal
                raise kind(str(problem)) from problem
            if problem.retry_after is None:
                if failures == len(_PAUSES):
                    hint = "When it is up again, repeat the command to continue."
                    raise Unavailable(str(problem), hint) from problem
                seconds = _PAUSES[failures]
                failures += 1
            else:
                seconds = min(max(problem.retry_after, _PAUSES[0]), _LONGEST_PAUSE)
            self._tell(f"{problem} Trying again in {seconds:g} s.")
            self._pause(seconds)

    def _attempt(self, tool: str, arguments: Json) -> Json | Failed:
        try:
            answer = self._calls.call(tool, arguments)
        except Failed as failed:
            return failed
        if not answer.is_error:
            return answer.structured
        if answer.text.startswith("not_found: "):
            raise NotFound(answer.text.removeprefix("not_found: "))
        return _ToolFailed(answer.text, 1, passing=answer.passing, retry_after=answer.retry_after)


class _ToolFailed(Failed):
    """A failure of the tool itself. The call did reach it."""
