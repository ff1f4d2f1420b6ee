"""Select the files of a repository to read together, so that the edges of some of them or of one name resolve."""

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from msgspec import Struct

MOST_FILES = 200
MOST_HOLDERS = 100
"""Most files that share a name. A name in more files is common and helps little."""

MOST_NAMES = 2_000
DEEPEST_IMPORTS = 3


class SummaryNames(Protocol):
    """Names in a summary of any language, as the selection reads them."""

    @property
    def path(self) -> str: ...
    @property
    def names_defined(self) -> Sequence[str]: ...
    @property
    def names_used(self) -> Sequence[str]: ...
    @property
    def imports(self) -> Sequence[str]: ...


class NameIndex(Protocol):
    """Inverted index of one repository. Each result is sorted and has at most `limit` paths."""

    def summaries(self, paths: Sequence[str]) -> Sequence[SummaryNames]:
        """Return the stored summaries, in any order."""
        ...

    def files_defining(self, name: str, limit: int) -> Sequence[str]:
        """Return files that define a name, by its last part."""
        ...

    def files_imported(self, path: str, modules: Sequence[str], limit: int) -> Sequence[str]:
        """Return the files that module names, as written in the file, mean. A folder or package gives all its files."""
        ...


Reason = Literal["files", "common name", "names", "depth"]


class LeftOut(Struct, frozen=True, kw_only=True):
    """Files that the selection did not read. `of` is the name or path that led to them, `files` the least number of
    files that it would have added."""

    why: Reason
    of: str
    files: int


class FileSelection(Struct, frozen=True, kw_only=True):
    """`paths` are all selected files, with the `asked` ones first. Callers want the edges of the asked files, and the
    rest helps to resolve them."""

    paths: tuple[str, ...]
    asked: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()


def pick_for_files(
    index: NameIndex, paths: Iterable[str], *, most: int = MOST_FILES, holders: int = MOST_HOLDERS
) -> FileSelection:
    """Return the files needed to resolve what these files use: their imports, through files that re-export names, and
    the files that define the names they use if there are at most `holders`."""
    picking = _Selection(index, most)
    picking.ask(dict.fromkeys(paths))
    picking.add_imports()
    picking.add_definitions(holders)
    return picking.result()


class _Selection:
    def __init__(self, index: NameIndex, most: int) -> None:
        self._index = index
        self._most = most
        self._asked: list[str] = []
        self._read: dict[str, SummaryNames] = {}
        self._left_out: dict[tuple[Reason, str], int] = {}

    def ask(self, paths: Iterable[str]) -> None:
        self._asked = self.add(list(paths), "asked")

    def add(self, paths: Sequence[str], of: str) -> list[str]:
        """Add files while there is room. Return those that are now in the selection."""
        new = [path for path in dict.fromkeys(paths) if path not in self._read]
        room = max(0, self._most - len(self._read))
        if len(new) > room:
            self.leave_out("files", of, len(new) - room)
        for summary in self._index.summaries(new[:room]) if room and new else ():
            self._read[summary.path] = summary
        return [path for path in dict.fromkeys(paths) if path in self._read]

    def leave_out(self, why: Reason, of: str, files: int) -> None:
        self._left_out[why, of] = self._left_out.get((why, of), 0) + files

    def add_imports(self) -> None:
        """Add the files that the selected files import, and the imports of those in turn, because a barrel file
        re-exports what others define."""
        layer = list(self._read)
        for depth in range(DEEPEST_IMPORTS + 1):
            wanted = {path: self._files_imported_by(path) for path in layer}
            before = set(self._read)
            new = {path for paths in wanted.values() for path in paths if path not in before}
            if depth == DEEPEST_IMPORTS or not new:
                if new:
                    self.leave_out("depth", "imports", len(new))
                return
            for path, paths in wanted.items():
                self.add(paths, path)
            layer = sorted(self._read.keys() - before)

    def _files_imported_by(self, path: str) -> list[str]:
        modules = self._read[path].imports
        return list(self._index.files_imported(path, modules, self._most)) if modules else []

    def add_definitions(self, holders: int) -> None:
        """Add files that define names which the asked files use and no selected file defines, such as members of types
        that values bring in."""
        used = sorted({name for path in self._asked for name in self._read[path].names_used})
        defined = {name for each in self._read.values() for name in each.names_defined}
        unknown = [name for name in used if name not in defined]
        if len(unknown) > MOST_NAMES:
            self.leave_out("names", "names used", len(unknown) - MOST_NAMES)
        for name in unknown[:MOST_NAMES]:
            found = list(self._index.files_defining(name, holders + 1))
            if len(found) > holders:
                self.leave_out("common name", name, len(found))
            elif found:
                self.add(found, name)

    def result(self) -> FileSelection:
        asked = dict.fromkeys(self._asked)
        rest = (path for path in sorted(self._read) if path not in asked)
        left_out = tuple(LeftOut(why=why, of=of, files=files) for (why, of), files in sorted(self._left_out.items()))
        return FileSelection(paths=(*asked, *rest), asked=tuple(asked), left_out=left_out)
