"""What a caller means: a file by its id or path, or a symbol. Of several, none is chosen."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from almanac.families.code.core.beside import team_of
from almanac.families.code.core.code import CodeProject, file_id
from almanac.families.code.core.contents import FileContent, FoundPart, contents
from almanac.families.code.core.names import identifier_in
from almanac.families.code.core.packing import VALUES, Part
from almanac.families.code.core.records import FILES, REPOSITORIES, CodeFile
from almanac.families.code.search.ordering import Rank, ranking
from almanac.families.code.search.searching import CodeQuery, CodeSearch
from almanac.families.team.claims.key_syntax import file_key
from almanac.families.team.claims.paths import PathRules
from almanac.families.team.claims.settings import rules_of, stored_settings
from almanac.kernel.errors import NotFound

MOST_CHOICES = 20
MOST_LISTED = 20_000
_NAMED = 100
_NEAR = 5
_ID = re.compile(r"[0-9a-f]{24}")


class Target(Struct, frozen=True):
    """A file, or the parts of one symbol in it and of what stands in that; "" for the whole file."""

    content: FileContent
    symbol: str
    parts: Sequence[Part]

    @property
    def file(self) -> CodeFile:
        return self.content.file


class Choice(Struct, frozen=True):
    """One of several that may be meant; `part` None where it is a file."""

    file: CodeFile
    part: Part | None = None


class Choices(Struct, frozen=True):
    """`more`: there are others."""

    choices: Sequence[Choice]
    more: bool


class Targets:
    """Of one project, for one call; of one repository, or of all."""

    def __init__(self, project: CodeProject, search: CodeSearch, repo_id: str | None) -> None:
        self._project = project
        self._search = search
        self._repo_id = repo_id

    def meant(self, text: str) -> Target | Choices:
        """Raises NotFound, with near names, for what nothing is called."""
        for files in (self._of_id(text), self._at_path(text)):
            if files:
                return self._one_of_files(files)
        found = self._of_symbol(text)
        if found is not None:
            return found
        files = self._below_some_folder(text)
        if files:
            return self._one_of_files(files)
        raise self._unknown(text)

    def _of_id(self, text: str) -> list[CodeFile]:
        if not _ID.fullmatch(text):
            return []
        file = self._project.rows(FILES).get(text)
        return [file] if file is not None and self._repo_id in (None, file.repo_id) else []

    def _at_path(self, text: str) -> list[CodeFile]:
        path = self._path(text)
        ids = [file_id(each, path) for each in self._repositories()]
        return sorted(self._project.rows(FILES).by_id(ids).values(), key=lambda file: file.repo_id)

    def _of_symbol(self, text: str) -> Target | Choices | None:
        name = identifier_in(text)
        if name is None:
            return None
        rank_of = ranking(name)
        parts = self._search.named(name, self._repo_id, _NAMED)
        for rank in (Rank.DEFINES, Rank.DEFINES_FOLDED):
            found = _different([each for each in parts if rank_of(each) is rank])
            if len(found) == 1:
                return self._whole(found[0].file, found[0].part.symbol)
            if found:
                choices = [Choice(each.file, each.part) for each in found[:MOST_CHOICES]]
                return Choices(choices, more=len(found) > MOST_CHOICES)
        return None

    def _below_some_folder(self, text: str) -> list[CodeFile]:
        end = f"/{self._path(text)}".casefold()
        listed = islice(self._files(), MOST_LISTED)
        return list(islice((file for file in listed if f"/{file.path}".casefold().endswith(end)), MOST_CHOICES + 1))

    def _one_of_files(self, files: Sequence[CodeFile]) -> Target | Choices:
        if len(files) == 1:
            return self._whole(files[0], "")
        return Choices([Choice(file) for file in files[:MOST_CHOICES]], more=len(files) > MOST_CHOICES)

    def _whole(self, file: CodeFile, symbol: str) -> Target:
        content = next(contents(self._project, [file.id]), None)
        if content is None:
            raise NotFound(f"{file.path} is being changed.", "Repeat the call.")
        inside = f"{symbol}."
        parts = [
            part
            for part in content.parts
            if part.kind != VALUES and (not symbol or f"{part.symbol}.".startswith(inside))
        ]
        return Target(content, symbol, parts)

    def _unknown(self, text: str) -> NotFound:
        if not any(True for _ in self._repositories()):
            return NotFound("No repository is indexed.", "index_files takes files; `almanac code index DIR` a tree.")
        found = self._search.find(CodeQuery(text=text, limit=_NEAR, repo_id=self._repo_id)).matches
        near = dict.fromkeys(
            f"{each.found.part.symbol} in {each.found.file.path}" if each.found.part.symbol else each.found.file.path
            for each in found
        )
        hint = f"Near: {'; '.join(name[:120] for name in near)}." if near else "list_files shows what is indexed."
        return NotFound(f"No indexed file or symbol is called {text[:80]!r}.", hint)

    def _path(self, text: str) -> str:
        """From the root of the project on, where the path is absolute and the team has said where that is."""
        root = rules_of(stored_settings(team_of(self._project))).root
        bare = text.removeprefix("file:")
        return file_key(bare, PathRules(root)).name

    def _repositories(self) -> Iterator[str]:
        if self._repo_id is not None:
            yield self._repo_id
        else:
            yield from (each.repo_id for each in self._project.rows(REPOSITORIES).query(limit=100).records)

    def _files(self) -> Iterator[CodeFile]:
        for each in self._repositories():
            yield from self._project.rows(FILES).every(each, index="gsi1", page=500)


def _different(parts: Sequence[FoundPart]) -> list[FoundPart]:
    """One of each symbol, the first in its file, by repository and path."""
    ordered = sorted(parts, key=lambda each: (each.file.repo_id, each.file.path, each.part.start))
    return list({(each.file.id, each.part.symbol): each for each in reversed(ordered)}.values())[::-1]
