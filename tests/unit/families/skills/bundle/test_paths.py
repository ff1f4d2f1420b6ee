"""Paths within a bundle: plain ones pass unchanged, everything else is refused."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.skills.bundle.paths import check_collisions, check_path, check_segment, fold_path
from almanac.kernel.errors import InvalidInput

PLAIN = [
    "README.md",
    "references/format.md",
    "a/b/c/d/e.txt",
    ".hidden/.env.example",
    "with space/and (brackets) [x] {y}.md",
    "~/notes.md",
    "-rf",
    "%2e%2e/%2f/%5c",
    "...more",
    "a..b/c...d",
    "übung/整理/файл.md",
    "console.md",
    "comic/com10.txt",
    "nullable.sql",
    "a" * 255,
]
HOSTILE = [
    "",
    "/",
    "/etc/passwd",
    "//server/share",
    "\\\\server\\share",
    "\\\\?\\C:\\x",
    "a\\b",
    "..",
    ".",
    "../a",
    "a/../b",
    "a/./b",
    "a//b",
    "a/",
    "./a",
    "a/..",
    "C:/x",
    "c:x",
    "a/b:stream",
    "file:///etc/passwd",
    "a\0b",
    "a\nb",
    "a\tb",
    "a\x7fb",
    "a\u202eb",
    "a\u2066b",
    "a\u200bb",
    "a\u200db",
    "a\ufeffb",
    "a\u00adb",
    "a\u2028b",
    "a\ud800b",
    "a\U000e0041b",
    "nul",
    "NUL.txt",
    "a/con",
    "Aux.md",
    "prn .txt",
    "com1",
    "LPT9.log",
    "com\u00b9",
    "CONIN$",
    "clock$.x",
    "a.",
    "a ",
    " a",
    "a./b",
    "a /b",
    ". .",
    ".. ",
    "...",
    "\uff0e\uff0e/a",
    "\u2025/a",
    "\u2024\u2024/x",
    "a\uff0fb",
    "a\uff3cb",
    "\u2100",
    "a" * 256,
    "é" * 128,
    "/".join("a" * 21),
    "a" * 200 + "/" + "b" * 200 + "/" + "c" * 200,
    "é" * 120 + "/" + "é" * 120 + "/" + "é" * 120,
]


@pytest.mark.parametrize("path", PLAIN)
def test_a_plain_path_passes_as_it_is(path: str):
    assert check_path(path) == path


@pytest.mark.parametrize("path", HOSTILE, ids=ascii)
def test_what_may_lead_elsewhere_is_refused(path: str):
    with pytest.raises(InvalidInput) as refused:
        check_path(path)

    assert refused.value.path == "path"
    assert len(str(refused.value)) < 900
    assert str(refused.value).isascii()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "is empty"),
        ("/a", "is absolute"),
        ("a\\b", "has a backslash"),
        ("a/" * 50_000, "has 100000 characters"),
        ("a//b", "has an empty part"),
        ("\u2100", "stands for a slash"),
        ("a/../b", "leads to another folder"),
        ("COM1", "the name of a device"),
        ("c:", "has a colon"),
    ],
)
def test_a_refusal_says_why(path: str, reason: str):
    with pytest.raises(InvalidInput, match=reason):
        check_path(path)


def test_a_decomposed_name_is_composed():
    assert check_path("u\u0308bung.md") == "\u00fcbung.md"


def test_nothing_is_decoded():
    assert check_path("%2e%2e%2fetc") == "%2e%2e%2fetc"
    assert check_path("&#46;&#46;") == "&#46;&#46;"


@pytest.mark.parametrize("segment", ["a/b", "a\\b", "..", "", "nul", "x" * 256])
def test_a_segment_is_one_part(segment: str):
    with pytest.raises(InvalidInput):
        check_segment(segment)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a.md", "A.MD"),
        ("Straße", "STRASSE"),
        ("é", "É"),
        ("Σ", "ς"),
        ("a", "a/b"),
        ("A/b", "a"),
        ("x/Y", "X/y/z"),
        ("x/y/z/a", "x/Y"),
    ],
)
def test_files_that_are_one_on_some_systems_collide_in_any_order(one: str, other: str):
    for paths in ([one, other], [other, one], ["first", one, "q/r", other]):
        with pytest.raises(InvalidInput):
            check_collisions(paths)


def test_the_same_path_twice_collides():
    with pytest.raises(InvalidInput):
        check_collisions(["a", "b", "a"])


def test_neighbours_in_one_folder_do_not_collide():
    check_collisions(["a/b", "a/c", "A/d", "ab"])


parts = st.sampled_from(
    [
        "..",
        ".",
        "",
        "a",
        "B",
        "nul",
        "x:",
        "\\",
        "~",
        "%2e%2e",
        " ",
        "\uff0e",
        "é",
        "e\u0301",
        "\u2028",
        "com1.md",
        "c d",
    ]
)


@given(st.one_of(st.lists(parts, max_size=6).map("/".join), st.lists(parts, max_size=6).map("".join), st.text()))
def test_what_passes_stays_below_its_folder_on_every_system(text: str):
    try:
        path = check_path(text)
    except InvalidInput:
        return
    for read_as in (PurePosixPath, PureWindowsPath):
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            pure = read_as(unicodedata.normalize(form, path))
            assert not pure.is_absolute()
            assert not pure.drive
            assert ".." not in pure.parts
            assert len(pure.parts) == path.count("/") + 1 == text.count("/") + 1
    assert check_path(path) == path
    assert fold_path(path) == fold_path(path.upper().lower()) or "ß" in fold_path(path) or not path.isascii()
