"""Score the day of a turn by the dates that a question names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from almanac.platform.search.analysis.dates import DAY_MS, NamedDate
from almanac.platform.search.frame import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DAYS_AFTER = 8
_DAYS_INTO_NEXT_MONTH = 11
"""What happened on a day, or in a month, is mostly told of later."""


def nearness(dates: Sequence[NamedDate], at: "NDArray[np.int64]") -> Vector:
    """0..1 for each instant: that of the date which it is nearest to; 0 for instants that are not known."""
    best = np.zeros(len(at), dtype=np.float32)
    if not dates:
        return best
    days = at // DAY_MS
    for date in dates:
        best = np.maximum(best, _nearness(date, days))
    return np.where(at == 0, np.float32(0), best)


def _nearness(date: NamedDate, days: "NDArray[np.int64]") -> Vector:
    """For days since 1970."""
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    # A day whose year is open is meant in each year.
    years = months // 12 if date.year is None else np.full(len(days), date.year - 1970)
    if date.month is None:
        return (months // 12 == years).astype(np.float32)
    asked = years * 12 + date.month - 1
    if date.day is None:
        return _of_month(months - asked, days - _first_days(months))
    return _of_day(days - _first_days(asked) - date.day + 1)


def _first_days(months: "NDArray[np.int64]") -> "NDArray[np.int64]":
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _of_month(after: "NDArray[np.int64]", day: "NDArray[np.int64]") -> Vector:
    """`after` counts months, `day` the days of the month from 0."""
    soon_after = (after == 1) & (day < _DAYS_INTO_NEXT_MONTH)
    return np.where(after == 0, 1, np.where(soon_after, 0.4, 0)).astype(np.float32)


def _of_day(after: "NDArray[np.int64]") -> Vector:
    soon_after = (after > 0) & (after <= _DAYS_AFTER)
    return np.where(np.abs(after) <= 1, 1, np.where(soon_after, 0.5, 0)).astype(np.float32)
