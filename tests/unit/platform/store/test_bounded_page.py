"""Pages of lists that look at rows and leave some out."""

import pytest

from almanac.platform.store.page_cursors import ListPage, bounded_page


def _even(number: int) -> bool:
    return number % 2 == 0


@pytest.mark.parametrize(
    ("rows", "limit", "most_read", "page"),
    [
        (list[int](), 2, 9, ListPage[int]([], None, None)),
        ([2, 4], 2, 9, ListPage([2, 4], 4, None)),
        ([2, 4, 5, 6, 8], 2, 9, ListPage([2, 4], 5, 6)),
        ([1, 3, 5, 6], 2, 3, ListPage([], 5, 6)),
        ([1, 3, 5], 2, 3, ListPage([], 5, None)),
    ],
    ids=["empty", "just full", "one more", "short of what was looked at", "all were looked at"],
)
def test_a_page_tells_where_it_ended(rows: list[int], limit: int, most_read: int, page: ListPage[int]) -> None:
    assert bounded_page(rows, _even, limit=limit, most_read=most_read) == page


def test_a_page_ends_before_it_grows_too_large_but_the_first_row_has_room() -> None:
    def page(*rows: str) -> list[str]:
        return bounded_page(rows, bool, limit=9, size_of=len, most_bytes=5).rows

    assert page("aaa", "bb", "c") == ["aaa", "bb"]
    assert page("aaaaaaaa", "b") == ["aaaaaaaa"]


def test_rows_that_do_not_match_cost_what_is_read() -> None:
    page = bounded_page(
        ["aaa", "aaa", "b", "b"], lambda row: row == "b", limit=9, size_of=len, most_bytes=9, most_bytes_read=5
    )
    assert page == ListPage([], "aaa", "b")


def test_no_row_is_read_before_it_is_needed() -> None:
    rows = iter(range(9))
    bounded_page(rows, _even, limit=2, most_read=9)
    assert next(rows) == 5
