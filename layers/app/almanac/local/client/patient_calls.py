"""Calls that are repeated after a pause where the same call may work later."""

from collections.abc import Callable
from typing import Any, Protocol

from almanac.kernel.errors import AlmanacError, NotFound, Unavailable
from almanac.local.client.tool_calls import Answer, Failed

Json = dict[str, Any]
_PAUSES = (0.5, 2.0, 5.0, 10.0)
_LONGEST_PAUSE = 120.0


class ServerRefusal(AlmanacError):
    """The server does not do what it is asked, now or later."""


class Rejected(ServerRefusal):
    """A tool answered with an error: something is wrong with these arguments, or with what it does with them."""


class Calls(Protocol):
    def call(self, tool: str, arguments: Json) -> Answer: ...


class PatientCalls:
    """Only for calls that a later one may replace.

    Each is repeated after a pause, four times without any success; how long it waits for a limit that the server names
    is not counted. `pause` waits for seconds, `tell` is given a line for people.
    """

    def __init__(
        self, calls: Calls, *, pause: Callable[[float], None], tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self._calls = calls
        self._pause = pause
        self._tell = tell

    def ask(self, tool: str, arguments: Json) -> Json:
        """Return the answer of the tool. Raises ServerRefusal, NotFound and Unavailable."""
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
    """The call did reach a tool."""
