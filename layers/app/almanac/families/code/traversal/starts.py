"""The definitions from which a walk starts, given a symbol or path."""

from collections.abc import Sequence
from itertools import permutations

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES, CodeRepository
from almanac.families.code.indexer.file_validation import check_path
from almanac.families.code.traversal.names import MODULE, Names
from almanac.families.code.traversal.revision_view import RevisionView
from almanac.families.code.traversal.unparsed_files import UnparsedFiles
from almanac.kernel.errors import InvalidInput, NotFound
from codegraph import Symbol

MOST_STARTS = 100
MOST_SHOWN = 10
MOST_BESIDE = 50
_HAVE_MEMBERS = frozenset({"class", "interface", "enum", "type", "namespace"})


class Starts(Struct, frozen=True):
    """The start of a walk. `names` are walked from; a class includes its members. `candidates` means that several
    definitions match, and none was chosen. `left_out` counts definitions that are not walked from. `besides` match the
    name as well, but are not meant."""

    names: tuple[str, ...] = ()
    candidates: tuple[Symbol, ...] = ()
    left_out: int = 0
    unread: int = 0
    besides: tuple[str, ...] = ()


def repository_of(project: CodeProject, repo_id: str | None) -> CodeRepository:
    """Return the requested repository, or the only one. Raises NotFound, and InvalidInput if several are indexed."""
    rows = project.rows(REPOSITORIES)
    if repo_id is not None and (found := rows.get(repo_id)) is not None:
        return found
    known = rows.query(limit=MOST_SHOWN).records
    listed = ", ".join(each.repo_id for each in known)
    if repo_id is not None:
        hint = f"Indexed are: {listed}." if known else "None is indexed: index_files brings one in."
        raise NotFound(f"The repository {repo_id[:100]!r} is not indexed.", hint, untrusted=True)
    if not known:
        raise NotFound("No repository is indexed.", "Bring one in with index_files.")
    if len(known) != 1:
        hint = f"Say in repo_id which: {listed}."
        raise InvalidInput("Several repositories are indexed.", hint, path="repo_id", untrusted=True)
    return next(iter(known))


def starts_of_symbol(reading: RevisionView, names: Names, symbol: str, unparsed: UnparsedFiles) -> Starts:
    """Return the start for a symbol. Raises NotFound if there is none, and names the `unparsed` files that contain the
    name."""
    matches = names.find_matches(symbol)
    if not matches.found:
        near = names.near(symbol)
        hint = f"Near are: {', '.join(near)}." if near else "Look it up with search_code, or list_files."
        if matches.unread:
            hint = f"{matches.unread} files with that name were not looked into: write more of the qualified name."
        elif containing := unparsed.every_sentence():
            hint = f"{containing} {hint}"
        raise NotFound(f"{reading.repo_id} has no symbol {symbol[:200]!r}.", hint, untrusted=True)
    meant = without_constructors(matches.found)
    chosen = _of_interface(names, meant) if len(meant) == 2 else meant[:1] if len(meant) == 1 else ()
    if not chosen or matches.unread:
        return Starts(candidates=meant, unread=matches.unread)
    starts = _limit_starts([name for each in chosen for name in (each.name, *_members(names, each))])
    return replace(starts, besides=tuple(each.name for each in meant if each not in chosen))


def without_constructors(found: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Leave out constructors named like their type, and the module of a type's file."""
    types = {each.name: each.path for each in found if each.kind in _HAVE_MEMBERS}

    def is_part(each: Symbol) -> bool:
        if each.kind == MODULE:
            return each.path in types.values()
        owner, _, name = each.name.rpartition(".")
        return owner in types and owner.rpartition(".")[2] == name

    return tuple(each for each in found if not is_part(each))


def _of_interface(names: Names, found: Sequence[Symbol]) -> Sequence[Symbol]:
    """Choose between two symbols. An interface wins over its only implementation; of a method in both, both are chosen,
    the interface's first. Unrelated symbols give nothing. A type implements an interface if it has all of its
    methods."""
    kinds = {each.kind for each in found}
    if kinds == {"method"}:
        owners = [next(iter(names.locate(each.name.rpartition(".")[0])), None) for each in found]
    elif "interface" in kinds and kinds & {"class", "type"}:
        owners = list(found)
    else:
        return ()
    for (method, owner), (_, other) in permutations(zip(found, owners, strict=True), 2):
        if owner is None or other is None or (owner.kind, other.kind == "interface") != ("interface", False):
            continue
        wanted, there = (
            {name.rpartition(".")[2] for name in names.members(each.name, each.path)} for each in (owner, other)
        )
        if wanted and wanted <= there | _members_nearby(names, other):
            return (method, *(each for each in found if each != method)) if kinds == {"method"} else (method,)
    return ()


def _members_nearby(names: Names, owner: Symbol) -> set[str]:
    """Return members of a type that are in other files of its folder, as Go allows."""
    folder = owner.path.rpartition("/")[0]
    beside = [each for each in names.files if each.rpartition("/")[0] == folder][:MOST_BESIDE]
    return {name.rpartition(".")[2] for path in beside for name in names.members(owner.name, path)}


def starts_of_path(reading: RevisionView, path: str, *, whole_file: bool) -> Starts:
    """Return the module of a file as the start, with `whole_file` also its definitions. Raises NotFound, and
    InvalidInput for a language without a call graph."""
    file_path = check_path(path)
    if file_path not in reading.names.files:
        ending = [each for each in reading.names.files if each.endswith(f"/{file_path}")]
        same = [each for each in reading.names.files if each.rpartition("/")[2] == file_path.rpartition("/")[2]]
        near = (ending or same)[:MOST_SHOWN]
        hint = f"Near are: {', '.join(near)}." if near else "list_files lists the paths."
        raise NotFound(f"{reading.repo_id} has no file {file_path[:200]!r}.", hint, untrusted=True)
    summary = reading.summaries([file_path]).get(file_path)
    if summary is None or file_path not in reading.modules.of_path:
        raise InvalidInput(
            f"{file_path[:200]!r} is in a language whose imports and calls Almanac cannot follow.",
            "Use search_code. Python, JavaScript, TypeScript, Go, Rust, Java, C#, Ruby, C and C++ are followed.",
            path="path",
        )
    module = reading.modules.of_path[file_path]
    return _limit_starts([module, *(each.name for each in reading.symbols(file_path) if whole_file)])


def _members(names: Names, definition: Symbol) -> list[str]:
    return names.members(definition.name, definition.path) if definition.kind in _HAVE_MEMBERS else []


def _limit_starts(names: Sequence[str]) -> Starts:
    different = tuple(dict.fromkeys(names))
    return Starts(different[:MOST_STARTS], (), max(0, len(different) - MOST_STARTS))
