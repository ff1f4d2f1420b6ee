"""Two tiny families for tests of doors and servers. One counts and breaks, the other waits."""

from pathlib import Path

import msgspec

from almanac.kernel.caller import Caller
from almanac.kernel.errors import NotFound
from almanac.protocol.family import Family, Icon
from almanac.protocol.tool import Effect, tool

ICON = Icon("data:image/svg+xml;base64,PHN2Zy8+", "image/svg+xml")


class Sum(msgspec.Struct):
    total: int
    tenant: str
    project: str
    actor: str


class TextResult(msgspec.Struct):
    said: str


@tool(title="Add", effect=Effect.READS)
def add(a: int, b: int, *, caller: Caller) -> Sum:
    """Add two numbers, and say for whom."""
    return Sum(a + b, caller.scope.tenant, caller.scope.project, caller.actor)


@tool(title="Find", effect=Effect.READS)
def find(name: str) -> TextResult:
    """Find what is not there."""
    raise NotFound(f"There is no {name}.", "Look elsewhere.")


@tool(title="Break", effect=Effect.ADDS)
def smash() -> TextResult:
    """Break by a defect of its own."""
    raise ZeroDivisionError("a secret of the server")


@tool(title="Wait", effect=Effect.SETS)
def wait(pipe: str) -> TextResult:
    """Block until a test writes into the named pipe `pipe`. Before that, write a line into `pipe`.begun."""
    Path(pipe + ".begun").write_text("begun\n")
    return TextResult(Path(pipe).read_text())


counting = Family(name="counting", title="Counting", instructions="Counts.", icon=ICON, tools=(add, find, smash))
waiting = Family(name="waiting", title="Waiting", instructions="Waits.", icon=ICON, tools=(wait,))
FAMILIES = (counting, waiting)
