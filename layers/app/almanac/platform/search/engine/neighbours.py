"""The neighbours of a hit: what was said before and after it."""

from almanac.platform.search.frame import Frame


def neighbours(frame: Frame, row: int, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of up to `most` documents on each side of a row in its session, in their order."""
    sides = ([*range(row - 1, -1, -1)], [*range(row + 1, len(frame.ids))])
    before, after = ([each for each in side[:most] if frame.session[each] == frame.session[row]] for side in sides)
    return tuple(frame.ids[each] for each in reversed(before)), tuple(frame.ids[each] for each in after)
