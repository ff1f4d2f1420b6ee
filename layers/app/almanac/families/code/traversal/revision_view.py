"""One revision of a repository as the graph reads it: its names, its modules, and the summaries of its files."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.codec import unpack
from almanac.families.code.core.records import PRECISE, SIGNATURES, SUMMARIES, CodeRepository, CodeSummary
from almanac.families.code.traversal.name_table import NameTable
from almanac.families.code.traversal.read_cache import ReadCache
from codegraph import FileEdges, FileSummary, Modules, PreciseUse, Symbol

AT_ONCE = 50
MOST_MANIFESTS = 200
_MANIFEST = re.compile(r"go\.mod|Cargo\.toml|package\.json|[tj]sconfig[\w.-]*\.json")
_UNPACKED = 12
"""Approximate bytes in memory per byte of a packed summary."""


class _CachedRevision(NamedTuple):
    """The cached names and modules of a revision."""

    revision: int
    names: NameTable
    modules: Modules


class RevisionView:
    """Reads one revision for one call. The process caches reads by scope, repository and revision."""

    def __init__(self, project: CodeProject, repository: CodeRepository, kept: ReadCache) -> None:
        self._project = project
        self._has_precise = repository.precise > 0
        self._kept = kept
        self.repo_id = repository.repo_id
        self._scope = (project.scope.tenant, project.scope.project)
        # A repository that was removed and indexed again counts its revisions anew.
        self._repository = (*self._scope, repository.repo_id, repository.first_at)
        self._revision = (*self._repository, repository.revision)
        read = self._read_last(repository)
        self.names, self.modules = read.names, read.modules

    def _read_last(self, repository: CodeRepository) -> "_CachedRevision":
        """Return the names and modules of the revision. If the changes since the cached revision are known, as after an
        edit, only they are read. Otherwise all signatures are."""
        name = ("names", *self._repository)
        last = self._kept.get(name, _CachedRevision)
        if last is not None and last.revision == repository.revision:
            return last
        read = self._apply_changes(repository, last) if last is not None else None
        if read is None:
            self.names = NameTable(self._project.rows(SIGNATURES).every(self.repo_id, page=1000))
            read = _CachedRevision(repository.revision, self.names, self._modules())
        self._kept.keep(name, read, read.names.bytes + 600 * len(read.names.files))
        return read

    def _apply_changes(self, repository: CodeRepository, last: "_CachedRevision") -> "_CachedRevision | None":
        ids = repository.changed_since(last.revision)
        if ids is None:
            return None
        signatures = self._project.rows(SIGNATURES).get_many([(self.repo_id, id_) for id_ in ids])
        names = last.names.with_changes(ids, [each for each in signatures if each is not None])
        if names is None:
            return None
        self.names = names
        manifests = any(_is_manifest(path) for path, file in names.files.items() if file.id in ids)
        is_same = not manifests and names.files.keys() == last.names.files.keys()
        return _CachedRevision(repository.revision, names, last.modules if is_same else self._modules())

    def _modules(self) -> Modules:
        paths = [path for path in self.names.files if _is_manifest(path)]
        # Take the outermost ones if there are many, because they name the packages that contain the others.
        some = sorted(paths, key=lambda path: (path.count("/"), path))[:MOST_MANIFESTS]
        return Modules(self.names.files, self._read_summaries(some).values())

    def summaries(self, paths: Iterable[str]) -> dict[str, FileSummary]:
        """Return the summaries of files that have modules and edges, as seen by their importers."""
        found = self._read_summaries(paths).items()
        return {path: self.modules.as_imported(each) for path, each in found if each.facts is not None}

    def files_defining(self, name: str) -> Sequence[str]:
        """Return the files that define a name, by its last part."""
        return self.names.files_defining(name)

    def using(self, name: str) -> Sequence[str]:
        """Return the files that define, use or import a name, by its last part."""
        return self.names.files_using(name)

    def cached_edges(self, path: str) -> FileEdges | None:
        return self._kept.get(("edges", *self._revision, path), FileEdges)

    def keep_edges(self, path: str, edges: FileEdges) -> None:
        """Cache the edges for later calls at this revision."""
        self._kept.keep(("edges", *self._revision, path), edges, 200 + 450 * len(edges.all))

    def precise(self, paths: Iterable[str]) -> list[PreciseUse]:
        """Return the uses that a precise index reports for the current versions of these files."""
        files = [self.names.files[path] for path in paths if path in self.names.files] if self._has_precise else []
        stored = self._project.rows(PRECISE).by_id([file.id for file in files])
        current = [one for file in files if (one := stored.get(file.id)) is not None and one.version == file.version]
        return [use for one in current for use in unpack(one.uses, list[PreciseUse])]

    def symbols(self, path: str) -> list[Symbol]:
        """Return the definitions of a file, in the order of lines."""

        def read() -> tuple[list[Symbol], int]:
            summary = self.summaries([path]).get(path)
            found = self.modules.symbols(summary) if summary is not None else []
            return found, 100 + 300 * len(found)

        return self._kept.get_or_make(("symbols", *self._revision, path), list[Symbol], read)

    def _read_summaries(self, paths: Iterable[str]) -> dict[str, FileSummary]:
        found: dict[str, FileSummary] = {}
        missing: list[str] = []
        for path in dict.fromkeys(paths):
            if path not in self.names.files:
                continue
            kept = self._kept.get(self._name(path), FileSummary)
            if kept is None:
                missing.append(path)
            else:
                found[path] = kept
        for start in range(0, len(missing), AT_ONCE):
            found |= dict(self._read(missing[start : start + AT_ONCE]))
        return found

    def _name(self, path: str) -> tuple[object, ...]:
        file = self.names.files[path]
        return ("summary", *self._scope, file.id, file.version)

    def _read(self, paths: Sequence[str]) -> Iterator[tuple[str, FileSummary]]:
        stored = self._project.rows(SUMMARIES).by_id([self.names.files[path].id for path in paths])
        for path in paths:
            one = stored.get(self.names.files[path].id)
            if one is not None and (summary := _unpack_summary(one)) is not None:
                self._kept.keep(self._name(path), summary, 500 + _UNPACKED * len(one.summary))
                yield path, summary


def _is_manifest(path: str) -> bool:
    return _MANIFEST.fullmatch(posixpath.basename(path)) is not None


def _unpack_summary(stored: CodeSummary) -> FileSummary | None:
    """Unpack a summary, or return None if it is damaged or of another version."""
    try:
        return unpack(stored.summary, FileSummary)
    except ValueError:
        return None
