"""Find the target that a caller means: a file by its id or path, a symbol, or a path that is not indexed.

If several match, the caller gets them all as choices.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from almanac.families.code.context.spellings import PathText, folder_name_of, is_path, path_text
from almanac.families.code.core.code import CodeProject, file_id
from almanac.families.code.core.codec import VALUES, Part
from almanac.families.code.core.contents import FileContent, different_symbols, read_contents
from almanac.families.code.core.names import identifier_in
from almanac.families.code.core.records import FILES, FORMER_PATHS, REPOSITORIES, CodeFile
from almanac.families.code.search.code_search import CodeQuery, CodeSearch
from almanac.families.code.search.result_order import Rank, make_ranker
from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.key_syntax import file_key, parse_key
from almanac.families.team.claims.paths import PathRules
from almanac.families.team.claims.settings import rules_of, stored_settings
from almanac.families.team.core.project import project_of as team_of
from almanac.kernel.errors import NotFound

MOST_CHOICES = 20
MOST_LISTED = 20_000
MOST_HELD = 1000
_NAMED = 100
_NEAR = 5
_SHOWN = 120
_ID = re.compile(r"[0-9a-f]{24}")


class Target(Struct, frozen=True, kw_only=True):
    """A file, or the parts of one symbol in it; `symbol` is "" for the whole file. `content` is None for a path that is
    not indexed. `others` are further paths under which people may know it, such as the caller's spelling. With a
    `line`, the parts that contain it come first. `notes` say how the caller's text was understood."""

    content: FileContent | None
    path: str
    symbol: str = ""
    parts: Sequence[Part] = ()
    line: int | None = None
    former_paths: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """All known paths of the target, its own first."""
        return tuple(dict.fromkeys((self.path, *self.former_paths, *self.others)))


class Choice(Struct, frozen=True):
    """One of several possible targets. `part` is None for a file."""

    file: CodeFile
    part: Part | None = None


class Choices(Struct, frozen=True):
    """Possible targets. `more` means that there are others."""

    choices: Sequence[Choice]
    more: bool


class Targets:
    """Finds targets in one repository of a project, or in all, for one call."""

    def __init__(
        self, project: CodeProject, search: CodeSearch, repo_id: str | None, *, sees_claims: bool = True
    ) -> None:
        self._project = project
        self._search = search
        self._repo_id = repo_id
        self._sees_claims = sees_claims
        settings = stored_settings(team_of(project))
        self._rules, self._root = rules_of(settings), rules_of(settings, spelled=True).root

    def find(self, text: str) -> Target | Choices:
        """Return the target that the text names. Raises NotFound with similar names if it names nothing and is not a
        path."""
        path = self._path(text)
        for files in (self._of_id(text), self._at_path(text, path)):
            if files:
                return self._one_of_files(files, path)
        found = self._of_symbol(text)
        if found is not None:
            return found
        for files in (self._at_former_path(text, path), self._inside_a_folder(path), self._below_some_folder(path)):
            if files:
                return self._one_of_files(files, path)
        if is_path(path.path) or self._is_claimed(path.path):
            return self._not_indexed(text, path)
        raise self._not_found_error(text)

    def _of_id(self, text: str) -> list[CodeFile]:
        if not _ID.fullmatch(text):
            return []
        file = self._project.rows(FILES).get(text)
        return [file] if file is not None and self._repo_id in (None, file.repo_id) else []

    def _at_path(self, text: str, path: PathText) -> list[CodeFile]:
        """Return the files at a path. A path that itself ends like one with a line number comes first."""
        found = self._project.rows(FILES).by_id(self._ids([self._whole_path(text), path.path]))
        whole = [file for file in found.values() if file.path != path.path]
        return sorted(whole or found.values(), key=lambda file: file.repo_id)

    def _at_former_path(self, text: str, path: PathText) -> list[CodeFile]:
        ids = [text] if _ID.fullmatch(text) else self._ids([path.path])
        found = follow_former_ids(self._project, ids)
        return [file for file in found if self._repo_id in (None, file.repo_id)]

    def _inside_a_folder(self, path: PathText) -> list[CodeFile]:
        """Return the files of a path that begins above the repository, such as an absolute one. The folder before must
        have the repository's name, or the path must be absolute and keep a folder."""
        for end in path.ends:
            before = path.folder_before(end)
            found = self._project.rows(FILES).by_id(self._ids([end])).values()
            files = sorted(found, key=lambda file: file.repo_id)
            inside = [file for file in files if folder_name_of(file.repo_id) == before]
            if inside or (files and path.is_absolute and "/" in end):
                return inside or files
        return []

    def _ids(self, paths: Sequence[str]) -> list[str]:
        return [file_id(repo, path) for repo in self._repositories() for path in paths]

    def _of_symbol(self, text: str) -> Target | Choices | None:
        name = identifier_in(text)
        if name is None:
            return None
        rank_of = make_ranker(name)
        parts = self._search.find_definitions(name, self._repo_id, _NAMED)
        for rank in (Rank.DEFINES, Rank.DEFINES_FOLDED):
            found = different_symbols([each for each in parts if rank_of(each) is rank])
            if len(found) == 1:
                return self._target(found[0].file, found[0].part.symbol)
            if found:
                choices = [Choice(each.file, each.part) for each in found[:MOST_CHOICES]]
                return Choices(choices, more=len(found) > MOST_CHOICES)
        return None

    def _below_some_folder(self, path: PathText) -> list[CodeFile]:
        end = f"/{path.path}".casefold()
        listed = islice(self._files(), MOST_LISTED)
        return list(islice((file for file in listed if f"/{file.path}".casefold().endswith(end)), MOST_CHOICES + 1))

    def _one_of_files(self, files: Sequence[CodeFile], path: PathText) -> Target | Choices:
        if len(files) == 1:
            return self._target(files[0], "", path)
        return Choices([Choice(file) for file in files[:MOST_CHOICES]], more=len(files) > MOST_CHOICES)

    def _target(self, file: CodeFile, symbol: str, path_text: PathText | None = None) -> Target:
        content = next(read_contents(self._project, [file.id]), None)
        if content is None:
            raise NotFound(f"{file.path} is being changed.", "Repeat the call.", untrusted=True)
        inside = f"{symbol}."
        parts = [
            part
            for part in content.parts
            if part.kind != VALUES and (not symbol or f"{part.symbol}.".startswith(inside))
        ]
        line, former = path_text.line if path_text else None, former_paths(self._project, file)
        if line is not None:
            parts.sort(key=lambda part: not part.start <= line <= part.end)
        others, notes = tuple[str, ...](), tuple[str, ...]()
        if path_text and path_text.path in former:
            notes = (f"{path_text.path[-_SHOWN:]} is called {file.path} now.",)
        elif path_text and path_text.path not in (file.path, file.id):
            others, notes = (
                (path_text.path,),
                (f"{path_text.path[-_SHOWN:]} was read as {file.path} of {file.repo_id}.",),
            )
        return Target(
            content=content,
            path=file.path,
            symbol=symbol,
            parts=parts,
            line=line,
            former_paths=former,
            others=others,
            notes=notes,
        )

    def _not_indexed(self, text: str, path: PathText) -> Target:
        folders = self._repositories_with(path.path)
        notes = [f"{path.path[-_SHOWN:]} is a folder of {each}: list_files shows its files." for each in folders]
        notes = notes or [f"{path.path[-_SHOWN:]} is not indexed. {self._hint(text)}"]
        ends = [end for end in path.ends if "/" in end] if path.is_absolute else []
        if ends:
            notes.append("Claims were compared by the last folders of the path: configure_project takes its root.")
        return Target(content=None, path=path.path, line=path.line, others=tuple(ends), notes=tuple(notes))

    def _repositories_with(self, folder: str) -> list[str]:
        """Return the repositories that have files in a folder."""
        rows, inside = self._project.rows(FILES), f"{folder}/"
        found = ((each, rows.query(each, since=inside, index="gsi1", limit=1).records) for each in self._repositories())
        return [each for each, files in found if files and files[0].path.startswith(inside)][:_NEAR]

    def _is_claimed(self, path: str) -> bool:
        """Return whether a claim has exactly this path, so that even an unusual text counts as a path."""
        if not path or not self._sees_claims:
            return False
        key = file_key(path, self._rules)
        held = Claims(team_of(self._project)).list_held(limit=MOST_HELD).claims
        return any(parse_key(claim.key, self._rules).id == key.id for claim in held)

    def _not_found_error(self, text: str) -> NotFound:
        if not any(True for _ in self._repositories()):
            return NotFound("No repository is indexed.", self._hint(text))
        return NotFound(f"No indexed file or symbol is called {text[:80]!r}.", self._hint(text), untrusted=True)

    def _hint(self, text: str) -> str:
        if not any(True for _ in self._repositories()):
            return "No repository is: index_files takes files; `almanac code index DIR` a tree."
        found = self._search.find(CodeQuery(text=text, limit=_NEAR, repo_id=self._repo_id)).matches
        near = dict.fromkeys(
            f"{each.found.part.symbol} in {each.found.file.path}" if each.found.part.symbol else each.found.file.path
            for each in found
        )
        return f"Near: {'; '.join(name[:120] for name in near)}." if near else "list_files shows what is indexed."

    def _path(self, text: str) -> PathText:
        """Parse a path. An absolute one becomes relative to the project's root, if the team has configured that."""
        return path_text(text, self._root)

    def _whole_path(self, text: str) -> str:
        return file_key(text.removeprefix("file:"), PathRules(self._root)).name

    def _repositories(self) -> Iterator[str]:
        if self._repo_id is not None:
            yield self._repo_id
        else:
            yield from (each.repo_id for each in self._project.rows(REPOSITORIES).query(limit=100).records)

    def _files(self) -> Iterator[CodeFile]:
        for each in self._repositories():
            yield from self._project.rows(FILES).every(each, index="gsi1", page=500)


MOST_RENAMES = 10


def follow_former_ids(project: CodeProject, former_ids: Sequence[str]) -> list[CodeFile]:
    """Follow renames from these former ids, and return the current files, each once. A deleted file has none."""
    found: dict[str, CodeFile] = {}
    former = project.rows(FORMER_PATHS)
    next_ids = [each.now for each in former.by_id(former_ids).values()]
    for _ in range(MOST_RENAMES):
        if not next_ids:
            break
        there = project.rows(FILES).by_id(next_ids)
        found |= there
        next_ids = [
            each.now for each in former.by_id([next_id for next_id in next_ids if next_id not in there]).values()
        ]
    return list(found.values())


def former_paths(project: CodeProject, file: CodeFile) -> tuple[str, ...]:
    """Return the former paths of a file, the latest first."""
    rows = project.rows(FORMER_PATHS)
    paths: dict[str, str] = {}
    ids = [file.id]
    while ids and len(paths) < MOST_RENAMES:
        found = rows.query(file.repo_id, ids.pop(), index="gsi1", limit=MOST_RENAMES).records
        for each in sorted(found, key=lambda one: -one.at):
            if each.id not in paths and each.id != file.id:
                paths[each.id] = each.path
                ids.append(each.id)
    return tuple(paths.values())[:MOST_RENAMES]
