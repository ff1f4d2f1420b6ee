"""Rows of length 1, of a table that may still be being made."""

import numpy as np
import pytest

from almanac.search.analysis import unit_rows
from almanac.search.analysis.unit_rows import UnitRows
from tests.doubles.five_words import Table


def test_one_call_waits_for_some_rows_that_are_not_made_and_others_are_alike_to_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unit_rows, "MOST_LACKING", 1)
    table = Table(frozenset([1, 2, 4]))
    rows = UnitRows(table)
    assert rows.of(np.arange(5)).diagonal().tolist() == [1, 1, 0, 1, 0]
    assert rows.of(np.arange(5)).diagonal().tolist() == [1, 1, 1, 1, 0]
    table.lacking = frozenset()
    assert rows.of(np.arange(5)).tolist() == np.eye(5).tolist()
