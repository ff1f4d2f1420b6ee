"""Read precise indexes from any of the supported tools."""

from collections.abc import Sequence

from codegraph.precise.pyrefly import read_pyrefly
from codegraph.precise.scip import PreciseUse, read_scip


def read_precise(
    scip: bytes | None = None, definitions: Sequence[bytes] = (), call_graphs: Sequence[bytes] = (), root: str = ""
) -> list[PreciseUse]:
    """Return the uses in a SCIP index, then those in pyrefly's report of calls: its definitions and call graphs, of
    files below the folder `root`. Raises ValueError if the data is no such index."""
    found = [] if scip is None else read_scip(scip)
    return found + read_pyrefly(definitions, call_graphs, root)
