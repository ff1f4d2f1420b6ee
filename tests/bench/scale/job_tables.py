"""Tables of scheduled jobs: the cost of an idle tenant, the length of rounds, and sentences with these figures."""

from collections.abc import Mapping

from tests.bench.page import Table
from tests.bench.scale.idle import MINUTES_A_MONTH, Empty, Idle, Minute
from tests.bench.scale.job_rounds import (
    GROUPS,
    HABITS,
    ROUND_SECONDS,
    TARGET_SECONDS,
    Load,
    simulate_habits,
    simulate_rounds,
)

SIZES = (1_000, 10_000, 100_000)
"""Tenants."""


def of_idle(idle: Idle, empty: Empty) -> str:
    rows = [
        ["tenant with one project", f"{idle.read:,g}", f"{idle.written:,}", str(idle.items), f"{idle.dollars:.4f}"],
        ["installation", f"{empty.read * MINUTES_A_MONTH:,g}", "0", "", f"{empty.dollars_a_month:.3f}"],
    ]
    table = Table(
        "What nobody calls",
        "A month of a filled tenant that nobody calls, from three days after its last call on, with an index to "
        "compare it with; and of an installation in which nothing is due, whose jobs look every minute. Units of the "
        "store, due items, dollars with the time of the function.",
        ["", "read", "written", "due items", "dollars a month"],
        rows,
    )
    said = f"An idle tenant costs ${idle.dollars:.4f} a month, a thousand of them ${1000 * idle.dollars:.2f}."
    return f"{table.markdown()}\n\n{said}"


def of_rounds(load: Load) -> str:
    found = [simulate_rounds(load, tenants, groups) for tenants in SIZES for groups in GROUPS]
    rows = [
        [f"{one.tenants:,}", str(one.groups), f"{one.items:,.0f}", f"{one.mean:.1f}", f"{one.longest:.1f}"]
        for one in found
    ]
    table = Table(
        "Rounds of scheduled jobs",
        "An hour of rounds while every tenant calls as in the busiest hour: due items of a round, seconds of the "
        "average round and of the longest.",
        ["tenants", "JobGroups", "due items", "average s", "longest s"],
        rows,
    )
    ends = [
        f"{_hundreds(load.ends_at(groups, TARGET_SECONDS))} tenants with JobGroups={groups}, and a minute with "
        f"{_hundreds(load.ends_at(groups, ROUND_SECONDS))}"
        for groups in GROUPS
    ]
    return f"{table.markdown()}\n\nA round takes {TARGET_SECONDS} seconds with {'; with '.join(ends)}."


def of_habits(load: Load, alone: Mapping[str, Minute]) -> str:
    found = [simulate_habits(load, alone, tenants, groups) for tenants in SIZES[:2] for groups in GROUPS]
    rows = [
        [
            f"{one.tenants:,}",
            str(one.groups),
            f"{one.items:,.0f}",
            f"{one.most:,}",
            f"{one.mean:.1f}",
            f"{one.longest:.1f}",
        ]
        for one in found
    ]
    each = ", ".join(f"{what} {times} times" for what, times in HABITS.items())
    table = Table(
        "Rounds with much to do",
        f"The busiest hour of tenants of whom each has much that is due in a day: {each}. All rules are due as the "
        "hour begins. Due items of the average round and of the fullest, seconds of the average and of the longest.",
        ["tenants", "JobGroups", "due items", "at most", "average s", "longest s"],
        rows,
    )
    one, four = found[-2:]
    said = (
        f"With {one.tenants:,} such tenants the longest round takes {one.longest:.1f} seconds with "
        f"JobGroups={one.groups}, and {four.longest:.1f} with JobGroups={four.groups}."
    )
    return f"{table.markdown()}\n\n{said}"


def _hundreds(number: int) -> str:
    return f"{number // 100 * 100:,}"
