"""What keys mean: which are the same, and which overlap."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from almanac.families.team.claim_keys import file_key, given_key, read_key
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.keys import sort_key

WRITTEN = st.text(
    st.sampled_from("ab/.*?[]{},\\!:-é#% \x00🚲") | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=256
)


@pytest.mark.parametrize(
    "text",
    [
        "file:src/auth.py",
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
    assert given_key(text).id == "file:src/auth.py"


def test_letters_that_look_the_same_are_the_same():
    assert read_key("file:cafe\u0301.py").id == read_key("file:caf\u00e9.py").id


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
    ],
)
def test_these_keys_overlap(one: str, other: str):
    assert read_key(one).overlaps(read_key(other))
    assert read_key(other).overlaps(read_key(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("story:1", "story:10"),
        ("story:src/a.py", "file:src/a.py"),
        ("branch:src/*", "file:src/a"),
        ("file:src/", "file:src"),
        ("file:src", "file:src/a.py"),
        ("/src/*", "src/a.py"),
        ("**", "/etc/hosts"),
        ("file:app/[id]/page.tsx", "file:app/[slug]/page.tsx"),
        ("story:ABC", "story:abc"),
        ("src/*.{ts,tsx}", "src/app.js"),
        ("app/{id}.tsx", "app/id.tsx"),
        ("**", "C:/src/a.py"),
    ],
)
def test_these_keys_do_not(one: str, other: str):
    assert not read_key(one).overlaps(read_key(other))


@pytest.mark.parametrize("text", ["file:", "FILE:", "  ", "{,a}"])
def test_a_path_that_is_empty_is_refused(text: str):
    with pytest.raises(InvalidInput, match="names no path"):
        given_key(text)


def test_a_glob_of_absolute_and_other_paths_is_refused():
    with pytest.raises(InvalidInput, match="absolute and other"):
        read_key("{/a,b}")


def test_a_drive_of_windows_is_no_scheme():
    assert read_key("C:/work/a.py").path == "C:/work/a.py"


def test_a_glob_that_is_too_long_is_refused():
    with pytest.raises(InvalidInput, match="at most 400 bytes"):
        read_key("file:" + "é" * 240 + "*")


@pytest.mark.parametrize("text", ["{a,b}" * 50, "{" + ",".join(map(str, range(65))) + "}", "{a,a}" * 30 + "{a,b}" * 7])
def test_a_bomb_of_braces_is_refused(text: str):
    with pytest.raises(InvalidInput, match="more than 64 keys"):
        read_key("story:" + text)


@given(WRITTEN)
def test_every_key_has_an_id_that_the_store_takes_and_overlaps_with_itself(text: str):
    try:
        key = read_key(text)
    except InvalidInput:
        return
    assert sort_key(key.id)
    assert key.is_glob or key.id.startswith(key.prefix)
    assert key.overlaps(key)


@given(WRITTEN)
@example("./{[],?!/}/..")
def test_the_id_of_a_glob_reads_as_the_same_glob(text: str):
    try:
        key = read_key(text)
    except InvalidInput:
        return
    if key.is_glob:
        again = read_key(key.id)
        assert (again.id, again.space, again.patterns) == (key.id, key.space, key.patterns)


@given(WRITTEN, WRITTEN)
def test_a_plain_key_that_a_glob_overlaps_with_is_found_by_its_prefix(one: str, other: str):
    try:
        glob, plain = read_key(one), read_key(other)
    except InvalidInput:
        return
    if glob.is_glob and not plain.is_glob and glob.overlaps(plain):
        assert plain.id.startswith(glob.prefix)


@given(WRITTEN)
def test_a_file_of_any_name_is_itself(text: str):
    assert not file_key(text).is_glob
