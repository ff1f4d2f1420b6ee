"""Where a walk begins: what a caller names by a symbol or a path."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES, CodeRepository
from almanac.families.code.indexing.given import checked_path
from almanac.families.code.traversal.definitions import Definition
from almanac.families.code.traversal.names import Names
from almanac.families.code.traversal.reading import Reading
from almanac.kernel.errors import InvalidInput, NotFound

MOST_STARTS = 100
MOST_SHOWN = 10
_HAVE_MEMBERS = frozenset({"class", "interface", "enum", "type", "namespace"})


class Starts(Struct, frozen=True):
    """`names` are walked from: of a class also what it defines. `candidates`: several are called so, and none was
    taken. `left_out`: so many of the definitions are not walked from."""

    names: tuple[str, ...] = ()
    candidates: tuple[Definition, ...] = ()
    left_out: int = 0
    unread: int = 0


def repository_of(project: CodeProject, repo_id: str | None) -> CodeRepository:
    """The one that is named, or the only one. Raises NotFound, InvalidInput."""
    rows = project.rows(REPOSITORIES)
    if repo_id is not None and (found := rows.get(repo_id)) is not None:
        return found
    known = rows.query(limit=MOST_SHOWN).records
    listed = ", ".join(each.repo_id for each in known)
    if repo_id is not None:
        hint = f"Indexed are: {listed}." if known else "None is indexed: index_files brings one in."
        raise NotFound(f"The repository {repo_id[:100]!r} is not indexed.", hint)
    if not known:
        raise NotFound("No repository is indexed.", "Bring one in with index_files.")
    if len(known) != 1:
        raise InvalidInput("Several repositories are indexed.", f"Say in repo_id which: {listed}.", path="repo_id")
    return next(iter(known))


def starts_of_symbol(reading: Reading, names: Names, symbol: str) -> Starts:
    """Raises NotFound where nothing is called so."""
    matches = names.matching(symbol)
    if not matches.found:
        near = names.near(symbol)
        hint = f"Near are: {', '.join(near)}." if near else "Look it up with search_code, or list_files."
        if matches.unread:
            hint = f"{matches.unread} files with that name were not looked into: write more of the qualified name."
        raise NotFound(f"Nothing in {reading.repo_id} is called {symbol[:200]!r}.", hint)
    if len(matches.found) > 1 or matches.unread:
        return Starts(candidates=matches.found, unread=matches.unread)
    found = next(iter(matches.found))
    return _bounded([found.name, *_members(names, found)])


def starts_of_path(reading: Reading, path: str, *, whole_file: bool) -> Starts:
    """The module that a file is, or with `whole_file` also all that it defines. Raises NotFound, InvalidInput."""
    tidy = checked_path(path)
    if tidy not in reading.names.files:
        ending = [each for each in reading.names.files if each.endswith(f"/{tidy}")]
        same = [each for each in reading.names.files if each.rpartition("/")[2] == tidy.rpartition("/")[2]]
        near = (ending or same)[:MOST_SHOWN]
        hint = f"Near are: {', '.join(near)}." if near else "list_files lists the paths."
        raise NotFound(f"{reading.repo_id} has no file {tidy[:200]!r}.", hint)
    summary = reading.summaries([tidy]).get(tidy)
    if summary is None or tidy not in reading.modules.of_path:
        raise InvalidInput(
            f"{tidy[:200]!r} is of no language whose imports and calls are followed.",
            "Python, JavaScript, TypeScript, Go, Rust, Java, C#, Ruby, C and C++ are. search_code finds its text.",
            path="path",
        )
    module = reading.modules.of_path[tidy]
    return _bounded([module, *(each.name for each in reading.definitions(tidy) if whole_file)])


def _members(names: Names, definition: Definition) -> list[str]:
    return names.members(definition.name, definition.path) if definition.kind in _HAVE_MEMBERS else []


def _bounded(names: Sequence[str]) -> Starts:
    different = tuple(dict.fromkeys(names))
    return Starts(different[:MOST_STARTS], (), max(0, len(different) - MOST_STARTS))
