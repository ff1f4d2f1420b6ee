"""docs/scale.md: `python -m tests.bench.scale.report --write`; without --write it fails where the page is not current.

Counts what every listed tool takes of the store, prices it, and simulates the table under skewed traffic. All of it
comes out the same each time: CPU times are kept in measured.json, and change with `make scale-measure` only.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.fresh_process import ROOT
from tests.bench.page import fill_page
from tests.bench.scale import cost_tables, job_tables, key_tables, measured
from tests.bench.scale.besides import besides
from tests.bench.scale.ceilings import average, ceilings
from tests.bench.scale.costs import weights
from tests.bench.scale.heat import charges_of, heats
from tests.bench.scale.idle import due_alone, empty_round, idle_month, working_minutes
from tests.bench.scale.job_rounds import Load
from tests.bench.scale.key_mix import mix_of
from tests.bench.scale.key_skew import simulate
from tests.bench.scale.search_costs import of_search
from tests.bench.scale.sizes import SIZES, calls_a_second
from tests.bench.scale.tenant_contents import NOTHING
from tests.bench.scale.typical_calls import CALLS, TypicalCalls
from tests.bench.scale.units import count, empty_system, furnished_system, stored_bytes

PAGE = ROOT / "docs/scale.md"
EXPONENTS = (0.8, 1.0, 1.2)
HOURS = 4
"""Of a working tenant, whose rounds are counted."""


def tables() -> Iterator[tuple[str, str]]:
    """(name of the place in the page, text) of every computed part."""
    kept = measured.read_measured()
    with tempfile.TemporaryDirectory() as folder, furnished_system(Path(folder)) as (system, typical):
        megabytes = round(stored_bytes(Path(folder)) / 1e6, 1)
        counted = count(system, typical)
        share = weights(counted)
        charges = {tool: charges_of(system, typical, tool) for tool in CALLS}
        mix = mix_of(charges, share)
        more = besides(system, typical)
        load = Load(working_minutes(system, typical, share, HOURS), kept.parts["rules"])
        idle = idle_month(system)
        empty = empty_round(system)
    with empty_system() as system:
        alone = due_alone(system)
    typical_call = average(counted, mix, kept, load)
    hot = [heat for tool, held in charges.items() for heat in heats(tool, held)]
    with empty_system(per_minute=1_000_000, per_day=1_000_000) as system:
        tool = "get_temporal_context"
        system.do(tool)  # begins the windows
        hot += heats(tool, charges_of(system, TypicalCalls(system, NOTHING), tool))
    outcomes = [
        simulate(mix, size, calls_a_second(size), size * megabytes / 1000, exponent)
        for size in SIZES
        for exponent in EXPONENTS
    ]
    yield "cost of families", cost_tables.by_family(counted, kept).markdown()
    yield "cost besides", cost_tables.of_besides(more).markdown()
    yield "cost of tools", cost_tables.by_tool(counted, kept).markdown()
    yield "search", of_search().markdown()
    yield "idle", job_tables.of_idle(idle, empty)
    yield "rounds", job_tables.of_rounds(load)
    yield "habits", job_tables.of_habits(load, alone)
    yield "heat", key_tables.of_heat(hot).markdown()
    yield "turns", key_tables.of_turns(counted).markdown()
    yield "skew", key_tables.of_skew(outcomes).markdown()
    busiest = {one.tenants: one.largest for one in outcomes if one.exponent == 1}
    yield "limits", key_tables.of_ceilings(ceilings(typical_call, busiest))
    yield "basis", cost_tables.basis(kept, megabytes)


def page() -> str:
    """The page as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    for name, part in tables():
        text = fill_page(text, f"make scale, {name}", part)
    return text


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--write", action="store_true", help="Write docs/scale.md; otherwise fail where it is not current."
    )
    chosen = options.parse_args()
    current = page()
    if chosen.write:
        PAGE.write_text(current, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == current:
        return 0
    sys.stderr.write("docs/scale.md is not what the code says: run make scale\n")
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
