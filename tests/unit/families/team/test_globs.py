"""Overlap of globs: by example, and against brute force over paths, where regular expressions are the oracle."""

import re
from collections.abc import Iterable
from itertools import chain, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.families.team.globs import intersect, is_literal, literal, parse


# Every set of the patterns below is told apart by these letters: z is in none of the sets that name a and b.
def names(longest: int, letters: str = "abz") -> list[str]:
    return ["".join(letter) for size in range(1, longest + 1) for letter in product(letters, repeat=size)]


def spliced(parts: list[str], stars: list[str]) -> str:
    return "".join(chain.from_iterable(zip(stars, [*parts, ""], strict=False))) or "*"


def paths(of: Iterable[str], deepest: int) -> list[str]:
    of = list(of)
    return ["/".join(parts) for depth in range(1, deepest + 1) for parts in product(of, repeat=depth)]


DEEP = paths("abz]", 6)
WIDE = paths(names(4), 2)
MIXED = sorted({*paths(names(2, "ab"), 4), *paths(names(3), 2)})

one_character = st.sampled_from(["a", "b", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[b-z]"])
shallow_name = st.one_of(one_character, st.sampled_from(["*", "[]a]", "[!]b]"]))
rich_name = st.builds(
    spliced,
    st.lists(one_character, max_size=2),
    st.lists(st.sampled_from(["", "*", "**"]), min_size=3, max_size=3),
).filter(lambda name: name != "**")
deep_pattern = st.lists(st.one_of(shallow_name, st.just("**")), min_size=1, max_size=3).map("/".join)
wide_pattern = st.lists(rich_name, min_size=1, max_size=2).map("/".join)
mixed_pattern = st.lists(st.one_of(rich_name, st.just("**")), min_size=1, max_size=4).map("/".join)


def expression(pattern: str) -> re.Pattern[str]:
    """The oracle: one regular expression per pattern, put together from texts."""
    parts = pattern.split("/")
    out = ""
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if part == "**":
            out += "(?:[^/]+/)*[^/]+" if last else "(?:[^/]+/)*"
        else:
            out += "(?=[^/])" + re.sub(r"\[[!^]?\]?[^\]]*\]|\*+|\?|.", _translated, part) + ("" if last else "/")
    return re.compile(out)


def _translated(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith("*"):
        return "[^/]*"
    if text == "?":
        return "[^/]"
    if len(text) > 2:
        inside = text[1:-1]
        negated = inside[0] in "!^"
        inside = inside[negated:].replace("]", r"\]")
        return f"(?![/])[{'^' if negated else ''}{inside}]"
    return re.escape(text)


def meant(pattern: str, among: list[str]) -> set[str]:
    matches = expression(pattern).fullmatch
    return {path for path in among if matches(path)}


@given(deep_pattern, deep_pattern)
def test_deep_globs_overlap_exactly_when_some_path_is_meant_by_both(one: str, other: str):
    assert intersect(parse(one), parse(other)) == bool(meant(one, DEEP) & meant(other, DEEP))


@given(wide_pattern, wide_pattern)
def test_globs_within_names_overlap_exactly_when_some_path_is_meant_by_both(one: str, other: str):
    assert intersect(parse(one), parse(other)) == bool(meant(one, WIDE) & meant(other, WIDE))


@settings(max_examples=60)
@given(mixed_pattern, mixed_pattern)
def test_globs_that_share_a_path_overlap(one: str, other: str):
    if meant(one, MIXED) & meant(other, MIXED):
        assert intersect(parse(one), parse(other))


@settings(max_examples=60)
@given(mixed_pattern)
def test_a_glob_overlaps_with_exactly_the_paths_that_it_means(pattern: str):
    read, own = parse(pattern), meant(pattern, MIXED)
    assert {path for path in MIXED if intersect(read, literal(path))} == own


@given(mixed_pattern, mixed_pattern)
def test_overlap_is_mutual(one: str, other: str):
    assert intersect(parse(one), parse(other)) == intersect(parse(other), parse(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a*", "src/*.py"),
        ("src/**", "**/*.py"),
        ("src/**/test_*.py", "src/test_x.py"),
        ("**", "a"),
        ("a/**/b", "a/b"),
        ("a/**/b", "a/x/y/b"),
        ("*.[ch]", "main.?"),
        ("[!a]*", "b"),
        ("é?", "éa"),
        ("x[*]", "x*"),
        ("a[", "a["),
        ("**/**/a", "a"),
        ("a**b", "axyb"),
        ("[]-a]", "^"),
    ],
)
def test_these_overlap(one: str, other: str):
    assert intersect(parse(one), parse(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/*.py", "src/*.ts"),
        ("src/*", "src/a/b"),
        ("src/**", "src"),
        ("a/**", "b/**"),
        ("a?", "a"),
        ("a?c", "a/c"),
        ("a[!x]c", "a/c"),
        ("[a-c]", "d"),
        ("[c-a]", "b"),
        ("[!a-z]*", "m"),
        ("a**b", "a/b"),
        ("*.py", "a/x.py"),
        ("x[*]", "xy"),
        ("README", "readme"),
    ],
)
def test_these_do_not(one: str, other: str):
    assert not intersect(parse(one), parse(other))


@pytest.mark.parametrize("text", ["src/auth.py", "a[", "a]", "ab[c/d]e", "plain"])
def test_a_path_without_wildcards_means_itself(text: str):
    assert is_literal(parse(text))


def test_globs_full_of_stars_are_decided_at_once():
    stars = "*a" * 120
    assert not intersect(parse(stars + "b"), parse(stars + "c"))
    assert intersect(parse("**/a/" * 40 + "b"), parse("**/a/" * 39 + "a/b"))
