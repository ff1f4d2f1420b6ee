"""Test the meaning of keys: which are equal, and which overlap."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from almanac.families.team.claims.key_syntax import file_key, parse_given_key, parse_key
from almanac.families.team.claims.paths import PathRules, read_root
from almanac.families.team.globs.automaton import Automaton
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.keys import sort_key

WRITTEN = st.text(
    st.sampled_from("ab/.*?[]{},\\!:-é#% \x00🚲") | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=256
)

ROOTED = PathRules("/home/ann/project")


@pytest.mark.parametrize(
    "text",
    [
        "file:src/auth.py",
        "file:src/auth.py/",
        "src/auth.py/.",
        "src/auth.py",
        "./src/auth.py",
        "src//auth.py",
        "src/./auth.py",
        "lib/../src/auth.py",
        "src\\auth.py",
        " src/auth.py\n",
        "src/{auth,auth}.py",
    ],
)
def test_spellings_of_one_path_are_one_key(text: str):
    assert parse_given_key(text).id == "file:src/auth.py"


def test_letters_that_look_the_same_are_the_same():
    assert parse_key("file:cafe\u0301.py").id == parse_key("file:caf\u00e9.py").id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a*", "src/*.py"),
        ("file:src/", "file:src/deep/er/x.py"),
        ("file:.", "x.py"),
        ("file:app/[slug]/page.tsx", "file:app/[[]slug]/page.tsx"),
        ("file:app/[slug]/page.tsx", "app/*/page.tsx"),
        ("file:app/[slug]/page.tsx", "app/[slug]/page.tsx"),
        ("branch:release/*", "branch:release/7"),
        ("FILE:src/a", "file:src/a"),
        ("/etc/*", "/etc/hosts"),
        ("src/*.{ts,tsx}", "src/app.tsx"),
        ("src/{a,lib/{b,c}}.py", "src/lib/c.py"),
        ("src/{a,b}/", "file:src/b/deep/x.py"),
        ("src/{../lib/x,a}.py", "lib/x.py"),
        ("./src/{a,b}.py", "src\\{b,c}.py"),
        ("app/[id]/{a,b}.ts", "file:app/[id]/b.ts"),
        ("story:{1,2}", "story:2"),
        ("C:\\src\\*", "C:/src/a.py"),
        ("c:/src/a.py", "C:/src/a.py"),
        ("file:src/", "file:src"),
        ("file:src", "file:src/a.py"),
        ("file:pkg.v2", "file:pkg.v2/deep/er/a.py"),
        ("src/lib", "src/*/a.py"),
        ("src", "src/lib/*.py"),
        ("src/{a,b}", "src/b/x.py"),
        ("{src/,lib//}{a,/b}.py", "lib/b.py"),
        ("{**,src}/a.py", "deep/er/a.py"),
        ("/src/*", "src/a.py"),
        ("**", "C:/src/a.py"),
        ("/home/ann/shop/src/x.py", "src/x.py"),
        ("/home/ann/shop/src/x.py", "x.py"),
        ("/home/ann/shop/src/x.py", "src/**"),
        ("/home/ann/shop/src/x.py", "src"),
        ("/home/ann/shop/src/x.py", "src/{x,y}.*"),
        ("/home/ann/shop/src", "src/x.py"),
        ("/home/ann/shop/src/**", "src/x.py"),
        ("/home/ann/shop/**/*.py", "src/x.py"),
        ("/home/ann/shop/{src/*.py,docs/*.md}", "docs/x.md"),
        ("{/home/ann/shop,/home/bob/shop}/src/x.py", "src/x.py"),
        ("{/home/ann,/home/bob}/x.py", "/home/bob/x.py"),
        ("C:\\work\\shop\\src\\x.py", "src/*.py"),
        ("file:///home/ann/shop/src/x.py", "file:src/x.py"),
        ("/home/ann/shop/app/[id]/page.tsx", "app/[id]/page.tsx"),
    ],
)
def test_these_keys_overlap(one: str, other: str):
    assert parse_key(one).overlaps(parse_key(other))
    assert parse_key(other).overlaps(parse_key(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("story:1", "story:10"),
        ("story:src/a.py", "file:src/a.py"),
        ("branch:src/*", "file:src/a"),
        ("file:src", "file:src2/a.py"),
        ("file:src", "src2"),
        ("story:src", "story:src/a.py"),
        ("src/*.py", "src/a/b.py"),
        ("src/{a,b}", "src/c/x.py"),
        ("file:app/[id]/page.tsx", "file:app/[slug]/page.tsx"),
        ("story:ABC", "story:abc"),
        ("src/*.{ts,tsx}", "src/app.js"),
        ("app/{id}.tsx", "app/id.tsx"),
        ("/home/ann/shop/src/x.py", "docs/x.py"),
        ("/home/ann/shop/src/x.py", "src/y.py"),
        ("/home/ann/shop/src/x.py", "rc/x.py"),
        ("/home/ann/shop/src/x.py", "lib/src/x.py"),
        ("/home/ann/shop/src/**", "docs/x.md"),
        ("/home/ann/shop/src/*", "README.md"),
        ("/home/ann/shop/src/*.py", "docs/a.py"),
        ("/home/ann/shop/src/x.py", "/home/bob/shop/src/x.py"),
        ("/home/ann/shop/src/x.py", "story:src/x.py"),
    ],
)
def test_these_keys_do_not(one: str, other: str):
    assert not parse_key(one).overlaps(parse_key(other))


@pytest.mark.parametrize("text", ["file:", "FILE:", "  ", "{,a}"])
def test_a_path_that_is_empty_is_refused(text: str):
    with pytest.raises(InvalidInput, match="is not a path"):
        parse_given_key(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{/a,b}", "absolute and relative"),
        ("file:" + "é" * 240 + "*", "at most 400 bytes"),
        ("x" + "{,*a,*b,**c}" * 18, "too many brace alternatives"),
        ("src/*/../a.py", "after a wildcard"),
    ],
)
def test_a_glob_that_cannot_be_a_key_is_refused(text: str, message: str):
    with pytest.raises(InvalidInput, match=message):
        parse_key(text)


def test_a_drive_of_windows_is_no_scheme():
    assert parse_key("C:/work/a.py").name == "C:/work/a.py"


@pytest.mark.parametrize("text", ["{a,b}" * 50, "{" + ",".join(map(str, range(65))) + "}", "{a,a}" * 30 + "{a,b}" * 7])
def test_a_bomb_of_braces_costs_its_length(text: str):
    key = parse_key("story:" + text)
    assert isinstance(key.pattern, Automaton)
    assert len(key.pattern.edges) <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "/home/ann/project/src/a.py",
        "/home//ann/./project/lib/../src/a.py",
        "../project/src/a.py",
        "file:/home/ann/project/src/a.py",
    ],
)
def test_what_lies_in_the_root_is_named_from_there(text: str):
    assert parse_key(text, ROOTED).id == "file:src/a.py"
    assert parse_key("src/a.py", ROOTED).id == "file:src/a.py"


def test_the_root_itself_is_all_that_lies_in_it():
    whole = parse_key("/home/ann/project/", ROOTED)
    assert whole.overlaps(parse_key("src/a.py", ROOTED))
    assert parse_key("/home/ann/projects/a.py", ROOTED).id == "file:/home/ann/projects/a.py"
    assert parse_key("/home/ann/project/src/*.py", ROOTED).overlaps(parse_key("src/a.py", ROOTED))
    assert parse_key("../other/a.py", ROOTED).id == "file:/home/ann/other/a.py"


def test_a_glob_across_the_root_is_refused():
    with pytest.raises(InvalidInput, match="inside and outside"):
        parse_key("/home/**", ROOTED)
    assert parse_key("/etc/*", ROOTED).is_glob


def test_capitals_do_not_count_where_the_project_says_so():
    rules = PathRules(ignore_case=True)
    assert parse_key("SRC/A.py", rules).id == parse_key("src/a.PY", rules).id
    assert parse_key("SRC/*.PY", rules).overlaps(parse_key("src/a.py", rules))
    assert parse_key("story:ABC", rules).id != parse_key("story:abc", rules).id
    assert not parse_key("SRC/A.py").overlaps(parse_key("src/a.py"))
    windows = PathRules(read_root("C:\\Work\\Repo", ignore_case=True), ignore_case=True)
    assert parse_key("c:\\work\\repo\\A.py", windows).id == "file:a.py"


@pytest.mark.parametrize("text", ["src", "", "../x", "/a/*", "/a/{b,c}"])
def test_a_root_that_is_no_folder_is_refused(text: str):
    with pytest.raises(InvalidInput, match="not the absolute path"):
        read_root(text, ignore_case=False)


@given(WRITTEN)
def test_every_key_has_an_id_that_the_store_takes_and_overlaps_with_itself(text: str):
    try:
        key = parse_key(text)
    except InvalidInput:
        return
    assert sort_key(key.id)
    assert key.is_glob or key.id.startswith(key.prefix)
    assert key.overlaps(key)


@given(WRITTEN)
@example("./{[],?!/}/..")
def test_the_id_of_a_glob_reads_as_the_same_glob(text: str):
    try:
        key = parse_key(text)
    except InvalidInput:
        return
    if key.is_glob:
        again = parse_key(key.id)
        assert (again.id, again.space, again.pattern) == (key.id, key.space, key.pattern)


@given(WRITTEN, WRITTEN)
def test_a_plain_key_that_a_glob_overlaps_with_is_found_by_its_prefix(one: str, other: str):
    try:
        glob, plain = parse_key(one), parse_key(other)
    except InvalidInput:
        return
    if glob.is_glob and not plain.is_glob and glob.overlaps(plain):
        assert plain.id.startswith(glob.prefix) or plain.id in glob.above


@given(WRITTEN)
def test_a_file_of_any_name_is_itself(text: str):
    assert not file_key(text).is_glob


NAMES = st.sampled_from(["a", "b", "a.py", "*", "**", "*.py", "[ab]"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(PATHS, PATHS)
def test_an_absolute_path_overlaps_with_what_one_of_its_ends_overlaps_with(absolute: str, relative: str):
    names = absolute.split("/")
    ends = ["/".join(names[at:]) for at in range(len(names)) if not {*names[at:]} <= {"*", "**"}]
    is_glob = any(map(_is_wild, names))
    # A glob means no more than it says; a path means what lies below it too.
    keys = [file_key(end) if is_glob and not _is_wild(end) else parse_key(end) for end in ends]
    expected = any(key.overlaps(parse_key(relative)) for key in keys)

    assert parse_key(f"/{absolute}").overlaps(parse_key(relative)) is expected
    assert parse_key(relative).overlaps(parse_key(f"/{absolute}")) is expected


def _is_wild(path: str) -> bool:
    return not {*"*["}.isdisjoint(path)
