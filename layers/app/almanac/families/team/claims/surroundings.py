"""What a project knows about the paths of a claim: it comes with the claim, so that its holder need not search."""

import re
from collections.abc import Sequence
from functools import partial

from almanac.families.team.claims.key_syntax import ClaimKey
from almanac.families.team.core.project import Project
from almanac.kernel.caller import Caller
from almanac.kernel.owners import may_see
from almanac.platform.declaration.family import PathContexts
from almanac.platform.declaration.path_context import PathNote, PathQuestion

MOST_NOTES = 8
_READ_CHARACTERS = 4000
_WILD = re.compile(r"[*?\[{]")


class Surroundings:
    """Of the project of one call, bounded by the families that its key may use."""

    def __init__(self, project: Project, caller: Caller, contexts: PathContexts | None) -> None:
        self._project = project
        self._caller = caller
        self._contexts = contexts

    def about(self, key: ClaimKey) -> Sequence[PathNote]:
        """Decisions and constraints first, of each kind the latest first. None for a key that is all wildcards."""
        names = naming(key)
        if names is None or self._contexts is None:
            return ()
        project = self._project
        asked = PathQuestion(project.store, project.scope, project.now(), partial(_is_in, *names))
        found = [
            note
            for data, load in self._contexts.sources.items()
            if may_see(self._caller.families, data)
            for note in load()(asked)
        ]
        return sorted(found, key=lambda one: (one.rank, -one.at, one.id))[:MOST_NOTES]


def naming(key: ClaimKey) -> tuple[str, re.Pattern[str]] | None:
    """What names the paths of a key, or the ticket of another: a path also by its file's name alone, a folder and a
    glob by whatever lies in it. First comes what each such text has in it."""
    whole = key.name.casefold().rstrip("/") if not key.is_glob else _folder(key.name.casefold())
    if not whole:
        return None
    if not key.is_path:
        return whole, re.compile(rf"(?<![\w-]){re.escape(whole)}(?![\w-])")
    before, path = r"(?<![\w./~:-])(?:file:)?(?:[\w.~:-]{0,80}/){0,40}", re.escape(whole.lstrip("/"))
    if key.is_glob:
        return whole.lstrip("/"), re.compile(rf"{before}{path}/")
    name = whole.rpartition("/")[2]
    if "." not in name:
        return whole.lstrip("/"), re.compile(rf"{before}{path}(?![\w-])")
    return name, re.compile(rf"(?:{before}{path}|(?<![\w./~:-]){re.escape(name)})(?![\w/-])")


def _folder(glob: str) -> str:
    """The folder that holds all a glob means; empty where that is the whole project."""
    found = _WILD.search(glob)
    return (glob if found is None else glob[: found.start()]).rpartition("/")[0]


def _is_in(needle: str, pattern: re.Pattern[str], text: str) -> bool:
    said = text[:_READ_CHARACTERS].casefold().replace("\\", "/")
    return needle in said and pattern.search(said) is not None
