"""Which paths are the same file, and which files a path or a glob means."""

import pytest

from almanac.families.context.window.files import FileFilter, file_path, is_same_file
from almanac.kernel.errors import InvalidInput

HOME = "/home/user/app"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/main.ts", "src/main.ts"),
        ("./src//main.ts", "src/main.ts"),
        ("src\\main.ts", "src/main.ts"),
        ("/home/user/app/src/main.ts", "src/main.ts"),
        ("file:///home/user/app/src/main.ts", "src/main.ts"),
        ("/home/user/application/main.ts", "/home/user/application/main.ts"),
        ("C:\\repo\\main.ts", "c:/repo/main.ts"),
        ("../lib/x.ts", "../lib/x.ts"),
        (" ", None),
        (".", None),
        (None, None),
    ],
)
def test_a_path_has_one_form_within_its_place(text: str | None, path: str | None):
    assert file_path(text, HOME) == path


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("src/main.ts", "src/main.ts", True),
        ("/work/app/src/main.ts", "src/main.ts", True),
        ("src/main.ts", "app/src/main.ts", True),
        ("main.ts", "src/main.ts", False),
        ("rc/main.ts", "src/main.ts", False),
        ("/src/main.ts", "/app/src/main.ts", False),
        ("src/main.ts", "src/main.tsx", False),
    ],
)
def test_two_paths_are_one_file_where_one_ends_as_the_other(one: str, other: str, same: bool):
    assert is_same_file(one, other) is same
    assert is_same_file(other, one) is same


@pytest.mark.parametrize(
    ("wanted", "path", "means"),
    [
        ("src/api/users.ts", "src/api/users.ts", True),
        ("src/api/users.ts", "src/api/orders.ts", True),
        ("src/api/users.ts", "src/web/orders.ts", False),
        ("/home/user/app/src/api/users.ts", "src/api/orders.ts", True),
        ("src/api/users.ts", "/work/x/src/api/orders.ts", True),
        ("users.ts", "orders.ts", True),
        ("users.ts", "src/orders.ts", False),
        ("src/**/*.ts", "src/api/deep/users.ts", True),
        ("src/**/*.ts", "src/api/users.py", False),
        ("src/*.{ts,tsx}", "src/main.tsx", True),
        ("src/*.{ts,tsx}", "src/a/main.tsx", False),
    ],
)
def test_a_path_means_its_folder_and_a_glob_what_it_spells(wanted: str, path: str, means: bool):
    assert FileFilter(wanted, HOME).means(path) is means


def test_a_glob_that_cannot_be_read_is_refused_by_its_argument():
    with pytest.raises(InvalidInput) as refused:
        FileFilter("*" + "{a,b}" * 100, None)
    assert refused.value.path == "filePath"


def test_a_costly_glob_is_given_up_instead_of_computed():
    files = FileFilter("**/" + "*a*b*c*d*e*" * 12, None)
    assert not any(files.means(f"src/{'abcde' * 60}/{number}x") for number in range(50))
