"""Paths that mean the same place, and paths that mean none."""

import pytest

from almanac.families.context.core.places import place_of
from almanac.families.memory.core.documents import place_tags
from almanac.kernel.errors import InvalidInput


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/home/user/myapp", "/home/user/myapp"),
        ("/home/user/myapp/", "/home/user/myapp"),
        ("/home/user/./myapp/../myapp", "/home/user/myapp"),
        ("//home/user", "/home/user"),
        ("C:\\repo\\.", "c:/repo"),
        ("c:/repo/", "c:/repo"),
        ("file:///home/user/myapp", "/home/user/myapp"),
        ("packages/api", "packages/api"),
        ("/home/user/../../../etc", "/etc"),
        (".", None),
        ("", None),
        (None, None),
    ],
)
def test_a_place_has_one_form(path: str | None, place: str | None) -> None:
    assert place_of(path) == place


@pytest.mark.parametrize("path", ["..", "../other", "a/../../other", "x" * 1025])
def test_what_leads_out_of_itself_or_is_too_long_is_no_place(path: str) -> None:
    with pytest.raises(InvalidInput):
        place_of(path)


def test_what_lies_in_a_place_is_found_by_it_and_what_lies_beside_it_is_not() -> None:
    below = place_tags("/home/user/myapp/packages/api")
    assert place_tags("/home/user/myapp")[-1] in below
    assert place_tags("/home/user/my")[-1] not in below
    assert place_tags("/")[-1] in below
    assert place_tags(None) == ()
