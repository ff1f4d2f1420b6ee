"""The definitions from which a walk starts, as a symbol or path names them."""

from collections.abc import Sequence
from itertools import permutations

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES, CodeRepository
from almanac.families.code.indexer.file_validation import checked_path
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
    """`names` are walked from: of a class also what it defines. `candidates`: several are called so, and none was
    taken. `left_out`: so many of the definitions are not walked from. `besides` are called so as well, and were not
    meant."""

    names: tuple[str, ...] = ()
    candidates: tuple[Symbol, ...] = ()
    left_out: int = 0
    unread: int = 0
    besides: tuple[str, ...] = ()


def repository_of(project: CodeProject, repo_id: str | None) -> CodeRepository:
    """The one that is named, or the only one. Raises NotFound, InvalidInput."""
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
    """Raises NotFound where nothing is called so; it names the `unparsed` files that contain the name."""
    matches = names.matching(symbol)
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
    starts = _bounded([name for each in chosen for name in (each.name, *_members(names, each))])
    return replace(starts, besides=tuple(each.name for each in meant if each not in chosen))


def without_constructors(found: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Without what is a part of a type and called like it, its constructor, and without the module of its file."""
    types = {each.name: each.path for each in found if each.kind in _HAVE_MEMBERS}

    def is_part(each: Symbol) -> bool:
        if each.kind == MODULE:
            return each.path in types.values()
        owner, _, name = each.name.rpartition(".")
        return owner in types and owner.rpartition(".")[2] == name

    return tuple(each for each in found if not is_part(each))


def _of_interface(names: Names, found: Sequence[Symbol]) -> Sequence[Symbol]:
    """Of an interface and its only implementation the interface; of a method of both, both, the interface's first.
    Nothing where the two have nothing to do with each other. A type implements what has no method that it lacks."""
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
        if wanted and wanted <= there | _scattered(names, other):
            return (method, *(each for each in found if each != method)) if kinds == {"method"} else (method,)
    return ()


def _scattered(names: Names, owner: Symbol) -> set[str]:
    """Members of a type that stand in other files of its folder, as those of Go may."""
    folder = owner.path.rpartition("/")[0]
    beside = [each for each in names.files if each.rpartition("/")[0] == folder][:MOST_BESIDE]
    return {name.rpartition(".")[2] for path in beside for name in names.members(owner.name, path)}


def starts_of_path(reading: RevisionView, path: str, *, whole_file: bool) -> Starts:
    """The module that a file is, or with `whole_file` also all that it defines. Raises NotFound, InvalidInput."""
    tidy = checked_path(path)
    if tidy not in reading.names.files:
        ending = [each for each in reading.names.files if each.endswith(f"/{tidy}")]
        same = [each for each in reading.names.files if each.rpartition("/")[2] == tidy.rpartition("/")[2]]
        near = (ending or same)[:MOST_SHOWN]
        hint = f"Near are: {', '.join(near)}." if near else "list_files lists the paths."
        raise NotFound(f"{reading.repo_id} has no file {tidy[:200]!r}.", hint, untrusted=True)
    summary = reading.summaries([tidy]).get(tidy)
    if summary is None or tidy not in reading.modules.of_path:
        raise InvalidInput(
            f"{tidy[:200]!r} is in a language whose imports and calls Almanac cannot follow.",
            "Use search_code. Python, JavaScript, TypeScript, Go, Rust, Java, C#, Ruby, C and C++ are followed.",
            path="path",
        )
    module = reading.modules.of_path[tidy]
    return _bounded([module, *(each.name for each in reading.symbols(tidy) if whole_file)])


def _members(names: Names, definition: Symbol) -> list[str]:
    return names.members(definition.name, definition.path) if definition.kind in _HAVE_MEMBERS else []


def _bounded(names: Sequence[str]) -> Starts:
    different = tuple(dict.fromkeys(names))
    return Starts(different[:MOST_STARTS], (), max(0, len(different) - MOST_STARTS))
