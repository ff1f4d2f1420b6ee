"""Project knowledge about the paths of a claim, returned with the claim so that its holder need not search."""

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.team.claims.key_syntax import ClaimKey
from almanac.families.team.core.project import Project
from almanac.kernel.caller import Caller
from almanac.kernel.owners import Data, may_see
from almanac.platform.declaration.family import PathContexts
from almanac.platform.declaration.path_context import MOST_READ, NoteKind, PathNote, PathQuestion
from almanac.search.analysis.exact_words import exact_words_of
from almanac.search.engine.exact_search import ExactSearch, LatestHits
from almanac.search.port import Document, Filters, Lookup
from almanac.search.questions.port import Search, SearchRequest

MOST_NOTES = 9
_DECISIONS = 5
_CANDIDATES, _RANKED = 32, 16
"""Documents of a page that are read to see whether they name the path; fewer of those that come by rank."""
_READ_BESIDE_SEARCH = 12
"""As many of the latest memories of a kind are read where search finds them too: rank may miss what was just said."""
_READ_CHARACTERS = 100_000
_LOOKS = 50
_BEGINNING, _BEFORE = 150, 80
_DAY_MS = 86_400_000
_PLACE = "\x1f"
"""The beginning of the tags by which search finds memories of a place."""
_KINDS: Mapping[str, NoteKind] = {"fact": "fact", "note": "note", "event": "booking", "message": "message"}
_OF_TYPES: Mapping[str, NoteKind] = {"decision": "decision", "constraint": "constraint"}
_RANKS: Mapping[NoteKind, int] = {
    "decision": 0,
    "constraint": 0,
    "memory": 1,
    "fact": 2,
    "note": 2,
    "booking": 2,
    "review": 2,
    "message": 3,
}
_WORD, _DEEPER, _OUTSIDE = re.compile(r"[\w-]"), re.compile(r"[\w/-]"), re.compile(r"[^/]|\Z")
_IN_PATHS = re.compile(r"[\w./~:-]")
_WILD, _SEVERAL = re.compile(r"[*?\[{]"), re.compile(r"[*?{]")


class Searched(Struct, frozen=True):
    """The two ways to find what was not written lately."""

    exact: ExactSearch
    search: Search


class Surroundings:
    """Of the project of one call, bounded by the families that its key may use."""

    def __init__(
        self, project: Project, caller: Caller, contexts: PathContexts | None, searched: Searched | None = None
    ) -> None:
        self._project = project
        self._caller = caller
        self._contexts = contexts or PathContexts({})
        self._searched = searched

    def about(self, key: ClaimKey) -> Sequence[PathNote]:
        """Decisions and constraints first, of each kind the latest first. None for a key that is all wildcards."""
        names = naming(key)
        if names is None:
            return ()
        project, needle, is_named = self._project, names.needle, names.is_in
        most = MOST_READ if self._searched is None else _READ_BESIDE_SEARCH
        asked = PathQuestion(project.store, project.scope, project.now(), is_named, most)
        found, cut = self._latest(asked)
        if self._searched is not None:
            documents = self._documents(self._searched, key, needle, cut)
            if "memories" in cut and not documents.is_whole:
                found, _ = self._latest(replace(asked, most=MOST_READ))
            notes = [_note(one, is_named) for one in documents.documents if _is_timely(one, asked.now)]
            found += [one for one in notes if one is not None]
        return [replace(one, text=_passage(one.text, needle)) for one in _first(found)]

    def _latest(self, asked: PathQuestion) -> tuple[list[PathNote], Sequence[Data]]:
        """The notes among the latest records, and of which data there are older ones."""
        found, cut = list[PathNote](), list[Data]()
        for data, load in self._contexts.sources.items():
            if may_see(self._caller.families, data):
                latest = load()(asked)
                found += latest.notes
                if latest.is_cut:
                    cut.append(data)
        return found, cut

    def _documents(self, searched: Searched, key: ClaimKey, needle: str, cut: Sequence[Data]) -> LatestHits:
        """Documents that may name the path: by exact words; memories, of which older ones were not read, by rank."""
        kinds = {kind: data for kind, data in self._contexts.kinds.items() if may_see(self._caller.families, data)}
        memories = tuple(kind for kind, data in kinds.items() if data == "memories")
        others = tuple(kind for kind, data in kinds.items() if data != "memories")
        words, scope = tuple(sorted(exact_words_of([needle]))), self._project.scope
        if not words:
            return LatestHits((), is_whole=False)
        found = [*searched.exact.latest(scope, "documents", _lookup(others, words)).documents] if others else []
        if not (memories and "memories" in cut):
            return LatestHits(found, is_whole=True)
        request = SearchRequest(
            text=needle if _is_wide(key) or not key.is_path else _telling_words(key.name.rstrip("/")),
            profile="talk",
            filters=Filters(kinds=memories),
            limit=_RANKED,
            legs=("words",),
            is_read=False,
            covers=False,
            reasons=False,
        )
        by_kind: dict[str, list[str]] = {}
        for hit in searched.search.search(scope, request).hits:
            by_kind.setdefault(hit.kind, []).append(hit.id)
        found += [one for kind, ids in by_kind.items() for one in searched.exact.read(scope, kind, ids)]
        place = _folder(key.name) if _is_wide(key) else key.name.rstrip("/")
        placed = searched.exact.latest(scope, "talk", _lookup(memories, (), f"{_PLACE}{place}"))
        return LatestHits([*found, *placed.documents], placed.is_whole)


def _telling_words(path: str) -> str:
    """Return the words that distinguish a path, for search: the name of its file without the extension, and of its
    folder unless that is the outermost. Common words such as src and py would cost more than all others."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    return f"{folders[-1]} {stem}" if len(folders) > 1 else stem


def _lookup(kinds: tuple[str, ...], words: tuple[str, ...], *tags: str) -> Lookup:
    return Lookup(words=words, filters=Filters(kinds=kinds, any_tags=tags), order="at", size=_CANDIDATES)


def _is_timely(document: Document, now: int) -> bool:
    """Bookings that are over say nothing about work that begins."""
    return document.kind != "event" or document.at >= now - _DAY_MS


def _note(document: Document, is_named: Callable[[str], bool]) -> PathNote | None:
    """None where the document has the words of a path, but does not name it."""
    title, text = document.title, document.text
    placed = any(is_named(tag[1:]) for tag in document.tags if tag.startswith(_PLACE))
    if not (placed or is_named(title) or is_named(text)):
        return None
    kind = _KINDS.get(document.kind) or _OF_TYPES.get(document.fields.get("type", ""), "memory")
    return PathNote(
        kind=kind,
        id=document.known_as or document.id,
        text=f"{title}: {text}" if title and text else title or text,
        at=document.at,
        actor=document.fields.get("actor") or document.details.get("from", ""),
        rank=_RANKS[kind],
    )


def _passage(text: str, needle: str) -> str:
    """The text, of a long one from shortly before what names the path."""
    place = text[:_READ_CHARACTERS].casefold().replace("\\", "/").find(needle)
    return text if place <= _BEGINNING else f"…{text[place - _BEFORE :]}"


def _first(found: Sequence[PathNote]) -> Sequence[PathNote]:
    """The first notes: most are decisions, yet each kind has its latest one told."""
    ordered = sorted({one.id: one for one in found}.values(), key=lambda one: (one.rank, -one.at, one.id))
    leading = [one for one in ordered if one.rank == 0][:_DECISIONS]
    latest = {one.kind: one for one in reversed(ordered) if one.rank}
    chosen = {one.id for one in (*leading, *latest.values())}
    rest = [one for one in ordered if one.id not in chosen]
    several = sorted(latest.values(), key=lambda one: (one.rank, -one.at))
    return [*leading, *several, *rest][:MOST_NOTES]


class KeyNames(Struct, frozen=True):
    """A matcher for mentions of a path or ticket in text: `needle`, after a part of `folder` unless it `stands_alone`,
    and not before `goes_on`."""

    needle: str
    goes_on: re.Pattern[str]
    is_path: bool = True
    folder: str = ""
    stands_alone: bool = False

    def is_in(self, text: str) -> bool:
        """Tell whether a text names the path."""
        said = text[:_READ_CHARACTERS].casefold().replace("\\", "/")
        found = -1
        for _ in range(_LOOKS):
            found = said.find(self.needle, found + 1)
            if found < 0:
                return False
            if not self.goes_on.match(said, found + len(self.needle)) and self._begins(said, found):
                return True
        return False

    def _begins(self, said: str, at: int) -> bool:
        if not self.is_path:
            return _WORD.match(said, at - 1) is None if at else True
        if self.stands_alone and _begins_path(said, at):
            return True
        start = at - len(self.folder)
        if start < 0 or not said.startswith(self.folder, start):
            return False
        if said[start - 1 : start] == "/" or _begins_path(said, start):
            return True
        return said.startswith("file:", start - 5) and _begins_path(said, start - 5) if start >= 5 else False


def _begins_path(said: str, at: int) -> bool:
    """Tell whether nothing is before this place that a path could go on from."""
    return at == 0 or _IN_PATHS.match(said, at - 1) is None


def naming(key: ClaimKey) -> KeyNames | None:
    """Return the matcher for mentions of a key: a path also by its file name alone, a folder and a glob by any path in
    it."""
    is_wide = _is_wide(key)
    whole = _folder(key.name.casefold()) if is_wide else key.name.casefold().rstrip("/")
    if not whole:
        return None
    if not key.is_path:
        return KeyNames(whole, _WORD, is_path=False)
    path = whole.lstrip("/")
    if is_wide:
        return KeyNames(path, _OUTSIDE)
    name = path.rpartition("/")[2]
    if "." not in name:
        return KeyNames(path, _WORD)
    return KeyNames(name, _DEEPER, folder=path.removesuffix(name), stands_alone=True)


def _is_wide(key: ClaimKey) -> bool:
    """Tell whether the key is a glob of several paths: brackets alone are mostly part of a name, as in [slug].tsx."""
    return key.is_glob and _SEVERAL.search(key.name) is not None


def _folder(glob: str) -> str:
    """The folder that holds all a glob means; empty where that is the whole project."""
    found = _WILD.search(glob)
    return (glob if found is None else glob[: found.start()]).rpartition("/")[0]
