"""The envelope of every planner result, refusals included: `{ok, data, error}`."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from msgspec import Struct

from almanac.protocol.tool import Effect, Tool, tool

T = TypeVar("T")


class Result(Struct, Generic[T], frozen=True):
    """`ok` true: `data` is there. `ok` false: nothing was changed, and `error` is a sentence that says what to do."""

    ok: bool
    data: T | None = None
    error: str | None = None


def success(data: T) -> Result[T]:
    return Result(ok=True, data=data)


def refusal(sentence: str) -> Result[None]:
    return Result(ok=False, error=sentence)


def planner_tool(*, title: str, effect: Effect) -> Callable[[Callable[..., Any]], Tool]:
    """Declare a planner tool, with camelCase arguments on the wire and refusals as a Result beside isError. The
    function returns `Result[Data]`, made with `success`, and raises errors from `almanac.kernel.errors`."""
    return tool(title=title, effect=effect, refusal=refusal, naming="camel")
