"""How much traffic a system of a given number of tenants is reckoned to have."""

SIZES = (1_000, 100_000, 10_000_000)
"""Tenants."""
CALLS_A_DAY = 200
"""Of an average tenant."""
PEAK = 3
"""How many times the average the busiest hour has."""
LISTENERS = 1
"""Connections that an average tenant keeps open."""


def calls_a_second(tenants: int) -> float:
    """Return the calls per second in the busiest hour."""
    return tenants * CALLS_A_DAY * PEAK / 86_400


def size_name(tenants: int) -> str:
    return f"{tenants // 1_000_000} M" if tenants >= 1_000_000 else f"{tenants // 1000} k"
