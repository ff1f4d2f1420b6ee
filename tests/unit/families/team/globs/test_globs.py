"""Overlap of globs: by example, and against brute force over paths, where regular expressions are the oracle."""

import re
from collections.abc import Iterable
from itertools import chain, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.families.team.globs import overlap
from almanac.families.team.globs.overlap import (
    STEPS_OF_A_PAIR,
    Allowance,
    Literal,
    Matcher,
    intersect,
    parse,
)


# Every set of the patterns below is told apart by these letters: z is in none of the sets that name a and b.
def names(longest: int, letters: str = "abz") -> list[str]:
    return ["".join(letter) for size in range(1, longest + 1) for letter in product(letters, repeat=size)]


def splice(parts: list[str], stars: list[str]) -> str:
    return "".join(chain.from_iterable(zip(stars, [*parts, ""], strict=False))) or "*"


def paths(of: Iterable[str], deepest: int) -> list[str]:
    of = list(of)
    return ["/".join(parts) for depth in range(1, deepest + 1) for parts in product(of, repeat=depth)]


DEEP = paths("abz]", 6)
WIDE = paths(names(4), 2)
MIXED = sorted({*paths(names(2, "ab"), 4), *paths(names(3), 2)})
LITERALS = [(path, Literal(path)) for path in MIXED]

one_character = st.sampled_from(["a", "b", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[b-z]"])
shallow_name = st.one_of(one_character, st.sampled_from(["*", "[]a]", "[!]b]"]))
rich_name = st.builds(
    splice,
    st.lists(one_character, max_size=2),
    st.lists(st.sampled_from(["", "*", "**"]), min_size=3, max_size=3),
).filter(lambda name: name != "**")
deep_pattern = st.lists(st.one_of(shallow_name, st.just("**")), min_size=1, max_size=3).map("/".join)
wide_pattern = st.lists(rich_name, min_size=1, max_size=2).map("/".join)
BRACE = "\x00"
braced_pattern = st.recursive(
    st.sampled_from(["a", "b", "?", "*", "**", "[ab]", "/", "[!a]", "/**/"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda each: "{" + ",".join(each) + "}"),
    ),
    max_leaves=8,
)
hostile_pattern = st.lists(
    st.sampled_from(["*", "**", "/", "a", "?", "{a,*b}", "{,a}", "{*a,*b}", "**/", "{**/a,b}", "[!b]", "{,*a,[ab]}"]),
    min_size=1,
    max_size=120,
).map(lambda parts: "".join(parts)[:222])
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
            out += "(?=[^/])" + re.sub(r"\[[!^]?\]?[^\]]*\]|\*+|\?|.", _translate, part) + ("" if last else "/")
    return re.compile(out)


def _translate(found: re.Match[str]) -> str:
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


def paths_matching(pattern: str, among: list[str]) -> set[str]:
    matches = expression(pattern).fullmatch
    return {path for path in among if matches(path)}


def overlaps_among(pattern: str) -> set[str]:
    """Return those of MIXED that the pattern overlaps with."""
    read = parse(pattern)
    return {path for path, whole in LITERALS if intersect(read, whole)}


@given(deep_pattern, deep_pattern)
def test_deep_globs_overlap_exactly_when_some_path_is_meant_by_both(one: str, other: str):
    assert intersect(parse(one), parse(other)) == bool(paths_matching(one, DEEP) & paths_matching(other, DEEP))


@pytest.mark.slow
@given(wide_pattern, wide_pattern)
def test_globs_within_names_overlap_exactly_when_some_path_is_meant_by_both(one: str, other: str):
    assert intersect(parse(one), parse(other)) == bool(paths_matching(one, WIDE) & paths_matching(other, WIDE))


@settings(max_examples=60)
@given(mixed_pattern, mixed_pattern)
def test_globs_that_share_a_path_overlap(one: str, other: str):
    if paths_matching(one, MIXED) & paths_matching(other, MIXED):
        assert intersect(parse(one), parse(other))


@pytest.mark.slow
@settings(max_examples=60)
@given(mixed_pattern)
def test_a_glob_overlaps_with_exactly_the_paths_that_it_means(pattern: str):
    assert overlaps_among(pattern) == paths_matching(pattern, MIXED)


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
    assert isinstance(parse(text), Literal)


def expand_braces(pattern: str) -> set[str]:
    """Return the patterns without braces that a pattern stands for."""
    return {one.replace(BRACE, "") for one in expand_braces_marked(pattern)}


def expand_braces_marked(pattern: str) -> set[str]:
    """Return the expanded patterns with a mark in place of each brace."""
    brace = re.search(r"\{([^{}]*)\}", pattern)
    if brace is None:
        return {pattern}
    before, after = pattern[: brace.start()] + BRACE, BRACE + pattern[brace.end() :]
    return set(chain.from_iterable(expand_braces_marked(before + one + after) for one in brace[1].split(",")))


def plain(pattern: str) -> bool:
    """Whether every name of it is spelled, once braces are opened: the oracle reads no folders and no empty names, and
    would take stars that a brace kept apart for `**`."""
    apart = any(re.search(rf"\*{BRACE}+\*", one) for one in expand_braces_marked(pattern))
    return not apart and all(all(one.split("/")) and "***" not in one for one in expand_braces(pattern))


def test_stars_that_a_brace_keeps_apart_are_not_two_stars():
    assert intersect(parse("*{a,*}"), parse("ab"))
    assert not intersect(parse("*{a,*}"), parse("a/b"))
    assert intersect(parse("{a,**}"), parse("a/b"))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(braced_pattern.filter(plain), braced_pattern.filter(plain))
def test_braces_mean_what_their_alternatives_mean(one: str, other: str):
    ours = {path for each in expand_braces(one) for path in paths_matching(each, MIXED)}
    theirs = {path for each in expand_braces(other) for path in paths_matching(each, MIXED)}
    assert overlaps_among(one) == ours
    if ours & theirs:
        assert intersect(parse(one), parse(other))


@settings(max_examples=100, deadline=None)
@given(braced_pattern.filter(plain), braced_pattern.filter(plain))
def test_patterns_with_braces_overlap_exactly_when_some_alternatives_do(one: str, other: str):
    pairs = [intersect(parse(mine), parse(theirs)) for mine in expand_braces(one) for theirs in expand_braces(other)]
    assert intersect(parse(one), parse(other)) == any(pairs)


@given(hostile_pattern, hostile_pattern)
def test_no_pair_takes_more_steps_than_it_is_allowed(one: str, other: str):
    allowance = Allowance()
    found = intersect(parse(one), parse(other), allowance)
    assert allowance.left > -STEPS_OF_A_PAIR
    assert found or not allowance.is_spent


@pytest.mark.parametrize("form", ["*a", "{a,b}", "{*a,b}?", "src/{a,b}*/", "[ab]*"])
def test_what_globs_cost_grows_as_their_lengths_multiplied(form: str):
    def steps(count: int) -> int:
        allowance = Allowance(10**9)
        assert not intersect(parse("x" + form * count + "c"), parse("x" + form * count + "y/c"), allowance)
        return 10**9 - allowance.left

    assert steps(40) <= 4.5 * max(steps(20), 1)


def test_what_is_too_hard_to_decide_counts_as_overlapping():
    one, other = parse("{*a,*b}" * 30 + "/*c"), parse("{*b,*a}" * 30 + "/*/c")
    allowance = Allowance()
    assert intersect(one, other, allowance)
    assert allowance.is_spent


def test_globs_full_of_stars_are_decided_at_once():
    stars = "*a" * 120
    assert not intersect(parse(stars + "b"), parse(stars + "c"))
    assert intersect(parse("**/a/" * 40 + "b"), parse("**/a/" * 39 + "a/b"))


@given(st.one_of(deep_pattern, wide_pattern, braced_pattern, mixed_pattern), st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_matcher_means_what_the_pattern_shares_with_a_text(text: str, lists_folders: bool) -> None:
    pattern = parse(text, lists_folders=lists_folders)
    matcher, allowance = Matcher(pattern), Allowance(10_000_000)
    for path, literal in LITERALS[:400]:
        expected = intersect(pattern, literal, Allowance(10_000_000))
        assert matcher.matches(literal, allowance) == expected, (text, path)
        folder = Literal(path, is_folder=True)
        assert matcher.matches(folder, allowance) == intersect(pattern, folder, Allowance(10_000_000)), (text, path)
    assert not allowance.is_spent


def hostile_globs() -> list[str]:
    """Two hundred globs over which an expression that goes back takes exponential time."""
    units = ["*a", "*?", "?*", "[ab]*", "{a,*}", "{a,aa}", "{*a,a*}", "**/", "*{,a}", "a*b*"]
    ends = ["", "z", "/z", "*/z"]
    return [unit * times + end for unit in units for times in (8, 16, 24, 32, 40) for end in ends]


def test_hostile_globs_take_steps_in_proportion_to_the_texts() -> None:
    globs = hostile_globs()
    assert len(globs) == 200
    for text in globs:
        matcher, length = Matcher(parse(text)), 200
        steps: list[int] = []
        for number in range(20):
            allowance = Allowance(10_000_000)
            matcher.matches(Literal("a" * length + "b" * number), allowance)
            steps.append(10_000_000 - allowance.left)
        # The first text makes the sets of states; those after it are looked up.
        assert max(steps) <= 60 * length * len(text), text
        assert steps[-1] <= 2 * (length + 20) + 60 * len(text), text


def test_a_matcher_that_forgot_its_sets_goes_on_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "_MOST_SETS", 2)
    pattern = parse("**/a*b/{a,bb}*")
    matcher = Matcher(pattern)
    for _, literal in LITERALS[:2000]:
        assert matcher.matches(literal, Allowance()) == intersect(pattern, literal)
