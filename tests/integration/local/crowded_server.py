"""`almanac serve` with tools that take a thread for as long as a test wants."""

import sys
from pathlib import Path

import msgspec

from almanac.kernel.caller import Caller
from almanac.local.data_folder import DataFolder
from almanac.local.start.laptop_server import serve
from almanac.local.start.zone_notes import Zones
from almanac.protocol.family import Family
from almanac.protocol.tool import Effect, tool
from tests.clockwork import ICON, counting


class SpinResult(msgspec.Struct):
    rounds: int


@tool(title="Spin", effect=Effect.READS)
def spin(until: str, *, caller: Caller) -> SpinResult:
    """Use the processor until a file is there."""
    rounds, file = 0, Path(until)
    Path(f"{until}.{caller.scope.tenant}.begun").touch()
    while not file.exists():
        rounds += sum(range(10_000)) > 0
    return SpinResult(rounds)


spinning = Family(name="spinning", title="Spinning", instructions="Spins.", icon=ICON, tools=(spin,))

if __name__ == "__main__":
    serve(
        lambda services: (counting, spinning),
        host="127.0.0.1",
        port=0,
        folder=DataFolder(Path(sys.argv[1])),
        given_key=None,
        zones=Zones(installation="UTC"),
        lock_seconds=30,
        out=sys.stdout,
        stop_seconds=1,
    )
