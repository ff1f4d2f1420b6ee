"""How much a memory matters at an instant."""

from almanac.families.memory.core.records import Memory

_HALF_LIFE_MS = 30 * 86_400_000


def salience_at(memory: Memory, now: int) -> float:
    """0 to 1: half of it is left 30 days after the memory was last used."""
    return memory.salience * 0.5 ** (max(0, now - memory.used_at) / _HALF_LIFE_MS)
