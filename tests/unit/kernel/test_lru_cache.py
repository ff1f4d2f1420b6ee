"""Test that results for short texts are cached while they are used."""

from hypothesis import given
from hypothesis import strategies as st

from almanac.kernel.lru_cache import LruCache


class Makes:
    """Texts in capitals, and how often each was made."""

    def __init__(self, most: int = 3, longest: int = 4) -> None:
        self.made: list[str] = []
        self.recent = LruCache(self._make, most, longest)

    def _make(self, text: str) -> str:
        self.made.append(text)
        return text.upper()


@given(st.lists(st.lists(st.text("abc", max_size=6), max_size=8), max_size=20))
def test_each_is_what_is_made_of_it(questions: list[list[str]]):
    makes = Makes()
    for keys in questions:
        assert makes.recent.of(keys) == [key.upper() for key in keys]
        assert [makes.recent[key] for key in keys] == [key.upper() for key in keys]


def test_what_comes_again_is_made_once_however_much_comes_between():
    makes = Makes(most=3)
    for number in range(50):
        makes.recent.of([f"{number}", "oft"])
    assert makes.made.count("oft") == 1


def test_what_does_not_come_again_is_forgotten():
    makes = Makes(most=3)
    makes.recent["once"]
    for number in range(10):
        makes.recent[f"{number}"]
    makes.recent["once"]
    assert makes.made.count("once") == 2


def test_what_is_long_is_made_each_time():
    makes = Makes(longest=4)
    assert makes.recent.of(["shor", "a long one", "a long one"]) == ["SHOR", "A LONG ONE", "A LONG ONE"]
    assert makes.recent["a long one"] == "A LONG ONE"
    assert (makes.made.count("a long one"), makes.made.count("shor")) == (3, 1)
