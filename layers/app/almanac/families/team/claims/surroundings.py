"""Project knowledge about the paths of a claim. Callers get it with the claim and need not search for it."""

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
"""Number of documents per page that are checked for the path, exact and ranked."""
_READ_BESIDE_SEARCH = 12
"""Number of recent memories of a kind that are read in addition to search, whose ranking may miss the newest ones."""
_READ_CHARACTERS = 100_000
_LOOKS = 50
_BEGINNING, _BEFORE = 150, 80
_DAY_MS = 86_400_000
_PLACE = "\x1f"
"""Prefix of the tags by which search finds memories of a place."""
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


class PathSearch(Struct, frozen=True):
    """The two searches for older documents: by exact words and by rank."""

    exact: ExactSearch
    search: Search


class Surroundings:
    """Notes about the paths of one project, limited to the families that the caller's key may use."""

    def __init__(
        self, project: Project, caller: Caller, contexts: PathContexts | None, search: PathSearch | None = None
    ) -> None:
        self._project = project
        self._caller = caller
        self._contexts = contexts or PathContexts({})
        self._searched = search

    def about(self, key: ClaimKey) -> Sequence[PathNote]:
        """Return notes about a key, decisions and constraints first, and the latest first within a kind. A key that
        consists only of wildcards has no notes."""
        names = mention_matcher(key)
        if names is None:
            return ()
        project, needle, is_named = self._project, names.needle, names.is_in
        most = MOST_READ if self._searched is None else _READ_BESIDE_SEARCH
        question = PathQuestion(project.store, project.scope, project.now(), is_named, most)
        notes_found, cut = self._latest(question)
        if self._searched is not None:
            documents = self._documents(self._searched, key, needle, cut)
            if "memories" in cut and not documents.is_whole:
                notes_found, _ = self._latest(replace(question, most=MOST_READ))
            notes = [
                _note(document, is_named) for document in documents.documents if _is_timely(document, question.now)
            ]
            notes_found += [note for note in notes if note is not None]
        return [replace(one, text=_passage(one.text, needle)) for one in _choose_notes(notes_found)]

    def _latest(self, question: PathQuestion) -> tuple[list[PathNote], Sequence[Data]]:
        """Return the notes among the latest records, and the kinds of data that have older records."""
        found, cut = list[PathNote](), list[Data]()
        for data, load in self._contexts.sources.items():
            if may_see(self._caller.families, data):
                latest = load()(question)
                found += latest.notes
                if latest.is_cut:
                    cut.append(data)
        return found, cut

    def _documents(self, path_search: PathSearch, key: ClaimKey, needle: str, cut: Sequence[Data]) -> LatestHits:
        """Return documents that may name the path. They are found by exact words, and older memories by rank."""
        kinds = {kind: data for kind, data in self._contexts.kinds.items() if may_see(self._caller.families, data)}
        memories = tuple(kind for kind, data in kinds.items() if data == "memories")
        others = tuple(kind for kind, data in kinds.items() if data != "memories")
        words, scope = tuple(sorted(exact_words_of([needle]))), self._project.scope
        if not words:
            return LatestHits((), is_whole=False)
        found = [*path_search.exact.latest(scope, "documents", _lookup(others, words)).documents] if others else []
        if not (memories and "memories" in cut):
            return LatestHits(found, is_whole=True)
        request = SearchRequest(
            text=needle if _is_wide(key) or not key.is_path else _distinctive_words(key.name.rstrip("/")),
            profile="talk",
            filters=Filters(kinds=memories),
            limit=_RANKED,
            legs=("words",),
            is_read=False,
            covers=False,
            reasons=False,
        )
        by_kind: dict[str, list[str]] = {}
        for hit in path_search.search.search(scope, request).hits:
            by_kind.setdefault(hit.kind, []).append(hit.id)
        found += [one for kind, ids in by_kind.items() for one in path_search.exact.read(scope, kind, ids)]
        place = _folder(key.name) if _is_wide(key) else key.name.rstrip("/")
        placed = path_search.exact.latest(scope, "talk", _lookup(memories, (), f"{_PLACE}{place}"))
        return LatestHits([*found, *placed.documents], placed.is_whole)


def _distinctive_words(path: str) -> str:
    """Return the words by which to search for a path: its file name without the extension, and its folder unless the
    folder is the outermost. Common words such as src and py would cost more than all others."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    return f"{folders[-1]} {stem}" if len(folders) > 1 else stem


def _lookup(kinds: tuple[str, ...], words: tuple[str, ...], *tags: str) -> Lookup:
    return Lookup(words=words, filters=Filters(kinds=kinds, any_tags=tags), order="at", size=_CANDIDATES)


def _is_timely(document: Document, now: int) -> bool:
    """Return whether a document still matters. A booking that is over does not."""
    return document.kind != "event" or document.at >= now - _DAY_MS


def _note(document: Document, is_named: Callable[[str], bool]) -> PathNote | None:
    """Return the note of a document, or None if it has the words of a path but does not name it."""
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
    """Return the text. A long text is cut to start shortly before the mention of the path."""
    place = text[:_READ_CHARACTERS].casefold().replace("\\", "/").find(needle)
    return text if place <= _BEGINNING else f"…{text[place - _BEFORE :]}"


def _choose_notes(notes: Sequence[PathNote]) -> Sequence[PathNote]:
    """Return the most important notes. Decisions come first, but each kind keeps its latest note."""
    ordered = sorted({note.id: note for note in notes}.values(), key=lambda one: (one.rank, -one.at, one.id))
    leading = [one for one in ordered if one.rank == 0][:_DECISIONS]
    latest = {one.kind: one for one in reversed(ordered) if one.rank}
    chosen = {one.id for one in (*leading, *latest.values())}
    rest = [one for one in ordered if one.id not in chosen]
    several = sorted(latest.values(), key=lambda one: (one.rank, -one.at))
    return [*leading, *several, *rest][:MOST_NOTES]


class MentionMatcher(Struct, frozen=True):
    """A matcher for mentions of a path or ticket in text. `needle` must follow a part of `folder` unless it
    `stands_alone`, and `goes_on` must not match after it."""

    needle: str
    goes_on: re.Pattern[str]
    is_path: bool = True
    folder: str = ""
    stands_alone: bool = False

    def is_in(self, text: str) -> bool:
        """Return whether a text names the path."""
        searched_text = text[:_READ_CHARACTERS].casefold().replace("\\", "/")
        found = -1
        for _ in range(_LOOKS):
            found = searched_text.find(self.needle, found + 1)
            if found < 0:
                return False
            if not self.goes_on.match(searched_text, found + len(self.needle)) and self._begins(searched_text, found):
                return True
        return False

    def _begins(self, searched_text: str, at: int) -> bool:
        if not self.is_path:
            return _WORD.match(searched_text, at - 1) is None if at else True
        if self.stands_alone and _begins_path(searched_text, at):
            return True
        start = at - len(self.folder)
        if start < 0 or not searched_text.startswith(self.folder, start):
            return False
        if searched_text[start - 1 : start] == "/" or _begins_path(searched_text, start):
            return True
        return (
            searched_text.startswith("file:", start - 5) and _begins_path(searched_text, start - 5)
            if start >= 5
            else False
        )


def _begins_path(text: str, at: int) -> bool:
    """Return whether the character before this position cannot belong to a longer path."""
    return at == 0 or _IN_PATHS.match(text, at - 1) is None


def mention_matcher(key: ClaimKey) -> MentionMatcher | None:
    """Return the matcher for mentions of a key. A path also matches its file name alone; a folder and a glob match any
    path inside."""
    is_wide = _is_wide(key)
    whole = _folder(key.name.casefold()) if is_wide else key.name.casefold().rstrip("/")
    if not whole:
        return None
    if not key.is_path:
        return MentionMatcher(whole, _WORD, is_path=False)
    path = whole.lstrip("/")
    if is_wide:
        return MentionMatcher(path, _OUTSIDE)
    name = path.rpartition("/")[2]
    if "." not in name:
        return MentionMatcher(path, _WORD)
    return MentionMatcher(name, _DEEPER, folder=path.removesuffix(name), stands_alone=True)


def _is_wide(key: ClaimKey) -> bool:
    """Return whether the key is a glob of several paths. Brackets alone are mostly part of a name, as in [slug].tsx."""
    return key.is_glob and _SEVERAL.search(key.name) is not None


def _folder(glob: str) -> str:
    """Return the folder that contains every match of a glob, empty for the whole project."""
    found = _WILD.search(glob)
    return (glob if found is None else glob[: found.start()]).rpartition("/")[0]
