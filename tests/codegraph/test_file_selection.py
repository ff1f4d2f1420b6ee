from collections.abc import Sequence

from msgspec import Struct

from codegraph.file_selection import LeftOut, SummaryNames, pick_for_files
from codegraph.modules.import_paths import ImportPaths
from tests.codegraph.repositories import summaries_of


class OfPython(Struct, frozen=True):
    path: str
    names_defined: tuple[str, ...] = ()
    names_used: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()


class Index:
    """An inverted index in memory. Modules as written are paths here, unless scripts are given."""

    def __init__(self, *files: SummaryNames) -> None:
        self._files = {each.path: each for each in files}
        self._paths = ImportPaths(self._files, ())

    def summaries(self, paths: Sequence[str]) -> Sequence[SummaryNames]:
        return [self._files[path] for path in paths if path in self._files]

    def files_defining(self, name: str, limit: int) -> Sequence[str]:
        return sorted(path for path, each in self._files.items() if name in each.names_defined)[:limit]

    def files_imported(self, path: str, modules: Sequence[str], limit: int) -> Sequence[str]:
        found = [each for module in modules for each in self._paths.find("typescript", path, module)]
        return (found or [each for each in modules if each in self._files])[:limit]


def test_a_file_brings_what_it_imports_and_what_that_hands_on() -> None:
    index = Index(
        *summaries_of(
            {
                "b.ts": "import {g} from './lib'\ng()",
                "lib/index.ts": "export * from './f'",
                "lib/f.ts": "export function g() {}",
                "other.ts": "h()",
            }
        )
    )
    picked = pick_for_files(index, ["b.ts"])
    assert picked.paths == ("b.ts", "lib/f.ts", "lib/index.ts")
    assert (picked.asked, picked.left_out) == (("b.ts",), ())


def test_a_file_brings_what_defines_a_member_that_it_uses() -> None:
    index = Index(OfPython("a", names_used=("run",)), OfPython("b", names_defined=("run",)), OfPython("c"))
    assert pick_for_files(index, ["a"]).paths == ("a", "b")


def test_a_full_neighbourhood_says_what_was_left_out() -> None:
    index = Index(OfPython("a", imports=("b", "c", "d")), OfPython("b"), OfPython("c"), OfPython("d"))
    picked = pick_for_files(index, ["a"], most=3)
    assert picked.paths == ("a", "b", "c")
    assert picked.left_out == (LeftOut(why="files", of="a", files=1),)


def test_imports_in_a_circle_and_far_away_come_to_an_end() -> None:
    circle = Index(OfPython("a", imports=("b",)), OfPython("b", imports=("a",)))
    assert pick_for_files(circle, ["a"]).paths == ("a", "b")
    far = Index(*(OfPython(f"f{at}", imports=(f"f{at + 1}",)) for at in range(9)))
    picked = pick_for_files(far, ["f0"])
    assert picked.paths == ("f0", "f1", "f2", "f3")
    assert picked.left_out == (LeftOut(why="depth", of="imports", files=1),)


def test_a_name_that_very_many_files_define_is_left_out() -> None:
    index = Index(
        OfPython("a", names_used=("get",)), *(OfPython(f"f{at}", names_defined=("get",)) for at in range(101))
    )
    picked = pick_for_files(index, ["a"])
    assert picked.paths == ("a",)
    assert picked.left_out == (LeftOut(why="common name", of="get", files=101),)


def test_files_that_are_not_stored_are_not_picked() -> None:
    assert pick_for_files(Index(OfPython("a")), ["a", "gone"]).paths == ("a",)
