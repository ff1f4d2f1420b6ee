"""The names of all files of a repository, with the files that define or use each."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from struct import iter_unpack

from almanac.families.code.core.records import CodeSignature
from almanac.families.code.core.signatures import BYTES, number_of

MOST_APART = 200
"""Files that are searched one by one, in a tenth of a millisecond per name."""


class Entry:
    """A file of the repository."""

    __slots__ = ("id", "path", "version")

    def __init__(self, id: str, path: str, version: int) -> None:
        self.id = id
        self.path = path
        self.version = version


class NameTable:
    """The names in one revision of a repository. `bytes` is its approximate size in memory."""

    def __init__(self, signatures: Iterable[CodeSignature]) -> None:
        import numpy as np  # noqa: PLC0415 - most calls of a door do not walk the graph, and it takes .2 s to load

        ordered = sorted((each for each in signatures if each.path), key=lambda each: each.path)
        self.files = {each.path: Entry(each.id, each.path, each.version) for each in ordered}
        self._paths = list(self.files)
        parts = [np.frombuffer(_whole(each.names), dtype="<u4") for each in ordered]
        numbers = np.concatenate(parts) if parts else np.empty(0, dtype="<u4")
        owners = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
        order = np.argsort(numbers, kind="stable")
        self._numbers, self._owners = numbers[order], owners[order]
        self._apart: dict[str, Sequence[int]] = {}
        """The numbers of files that have changed since the others were put together, none of one that is gone."""
        self.bytes = 8 * len(numbers) + sum(300 + 2 * len(path) for path in self._paths)

    def with_changes(self, ids: Collection[str], signatures: Iterable[CodeSignature]) -> "NameTable | None":
        """Return the table after the files with these ids changed; files that still exist have a signature. Returns
        None after too many changes, when a new table costs less."""
        new = {each.path: each for each in signatures if each.path}
        gone = {path for path, file in self.files.items() if file.id in ids}
        apart = {**self._apart, **dict.fromkeys(gone, ()), **{path: _numbers(one.names) for path, one in new.items()}}
        if len(apart) > MOST_APART:
            return None
        table = copy(self)
        files = {path: file for path, file in self.files.items() if path not in gone}
        files |= {path: Entry(one.id, path, one.version) for path, one in new.items()}
        table.files = dict(sorted(files.items()))
        table._apart = apart  # noqa: SLF001 - a table, too
        return table

    def files_defining(self, name: str) -> Sequence[str]:
        """Return the sorted paths of files that define a name."""
        number = 2 * number_of(name) + 1
        return self._between(number, number)

    def files_using(self, name: str) -> Sequence[str]:
        """Return the sorted paths of files that define, use or import a name."""
        number = 2 * number_of(name)
        return self._between(number, number + 1)

    def _between(self, first: int, last: int) -> Sequence[str]:
        start, end = bisect_left(self._numbers, first), bisect_right(self._numbers, last)
        paths = [self._paths[at] for at in sorted({int(each) for each in self._owners[start:end]})]
        if not self._apart:
            return paths
        found = {path for path in paths if path not in self._apart}
        found |= {path for path, numbers in self._apart.items() if _has(numbers, first, last)}
        return sorted(found)


def _whole(names: bytes) -> bytes:
    """Cut damaged data to whole numbers of four bytes."""
    return names[: len(names) // BYTES * BYTES]


def _numbers(names: bytes) -> Sequence[int]:
    return [number for (number,) in iter_unpack("<I", _whole(names))]


def _has(numbers: Sequence[int], first: int, last: int) -> bool:
    at = bisect_left(numbers, first)
    return at < len(numbers) and numbers[at] <= last
