"""Numbered lines of a file for results."""

from collections import Counter
from collections.abc import Iterable, Sequence

from almanac.families.code.core.codec import Part

LONGEST_LINE = 240


def number_lines(lines: Sequence[str], shown: Iterable[int]) -> str:
    """Return the lines of these numbers, counted from 1, each after its number. Long lines are cut."""
    there = [at for at in shown if 1 <= at <= len(lines)]
    width = len(str(max(there, default=1)))
    return "\n".join(f"{at:>{width}} | {_cut(lines[at - 1])}".rstrip() for at in there)


def own_lines(parts: Sequence[Part], place: int) -> list[int]:
    """Return the lines of one part without the lines of parts nested in it. `parts` are in order."""
    part = parts[place]
    own = set(range(part.start, part.end + 1))
    for other in parts[place + 1 :]:
        if other.start > part.end:
            break
        if other.start > part.start and other.end <= part.end:
            own.difference_update(range(other.start, other.end + 1))
    return sorted(own)


def window(lines: Sequence[str], start: int, end: int, most: int, terms: Sequence[str]) -> tuple[int, int]:
    """Return the first and last line of the best window of up to `most` lines. The best one contains the most different
    `terms`, which are in lower case; the first of several wins. Without any term the window begins at the start."""
    last = min(end, len(lines))
    if last - start < most:
        return start, last
    of_line = [[term for term in terms if term in line] for line in map(str.casefold, lines[start - 1 : last])]
    inside = Counter(term for found in of_line[:most] for term in found)
    best, begin = len(inside), 0
    for left, entered in enumerate(of_line[most:]):
        inside.update(entered)
        inside.subtract(of_line[left])
        inside = +inside
        if len(inside) > best:
            best, begin = len(inside), left + 1
    return start + begin, start + begin + most - 1


def _cut(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
