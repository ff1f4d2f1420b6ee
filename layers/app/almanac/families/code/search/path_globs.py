"""Path globs over indexed files, with the same meaning as in claims."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import FILES, REPOSITORIES, CodeFile
from almanac.families.team.claims.key_syntax import ClaimKey, file_key
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.settings import rules_of, stored_settings
from almanac.families.team.core.project import project_of as team_of
from almanac.families.team.globs.overlap import Allowance, Literal, Matcher
from almanac.kernel.errors import InvalidInput

MOST_LISTED = 20_000
"""Files that one call examines."""
MOST_PATHS = 5_000
STEPS = 4_000_000
"""Limit for all files together, about a second. A path takes one step per character."""
_PAGE = 500
_LAST = "\U0010ffff"


class PathMatches(Struct, frozen=True):
    """Matching paths. `cut` means that further files were not examined."""

    paths: frozenset[str]
    cut: bool


class PathGlob:
    """A path glob for one call."""

    def __init__(self, project: CodeProject, keys: Keys, text: str) -> None:
        """Raise InvalidInput if the text is not a glob of paths."""
        self._project = project
        self._keys = keys
        self._key = _path_key(keys, text)
        self._matcher = Matcher(self._key.pattern)
        self._allowance = Allowance(STEPS)
        self._known: dict[str, bool] = {}

    @property
    def is_spent(self) -> bool:
        """Return whether the call has used up its steps, so that some path was not compared."""
        return self._allowance.is_spent

    def matches(self, path: str) -> bool:
        """Return whether the glob matches a path, or False if the call has run out of steps."""
        if path not in self._known:
            self._known[path] = self._compare(file_key(path, self._keys.rules)) and not self.is_spent
        return self._known[path]

    def _compare(self, file: ClaimKey) -> bool:
        if file.space != self._key.space or not isinstance(file.pattern, Literal):
            return False
        return file.id == self._key.id or self._matcher.matches(file.pattern, self._allowance)

    def matching_paths(self, repo_id: str | None, most: int = MOST_LISTED) -> PathMatches:
        """Return the matching paths among the first `most` files of one repository, or of all."""
        found: set[str] = set()
        for looked_at, file in enumerate(self.files(repo_id)):
            if looked_at == most or len(found) == MOST_PATHS or self.is_spent:
                return PathMatches(frozenset(found), cut=True)
            if self.matches(file.path):
                found.add(file.path)
        return PathMatches(frozenset(found), cut=self.is_spent)

    def files(self, repo_id: str | None) -> Iterator[CodeFile]:
        """Yield the files of one repository, or of all, that may match, by path. They share the glob's prefix."""
        rows = self._project.rows(FILES)
        # A case-folded prefix does not tell the position in the order of paths.
        prefix = "" if self._keys.rules.ignore_case else self._key.prefix.partition(":")[2]
        until = f"{prefix}{_LAST}" if prefix else None
        for repository in self._repositories(repo_id):
            yield from rows.every(repository, since=prefix or None, until=until, index="gsi1", page=_PAGE)

    def _repositories(self, repo_id: str | None) -> Iterable[str]:
        if repo_id is not None:
            return (repo_id,)
        return (each.repo_id for each in self._project.rows(REPOSITORIES).every())


def path_glob(project: CodeProject, text: str) -> PathGlob:
    """Parse a glob with the settings of the project's team, as for claims. Capitals count unless configured otherwise.
    Raises InvalidInput."""
    settings = stored_settings(team_of(project))
    return PathGlob(project, Keys(rules_of(settings, spelled=True), settings.epoch), text)


def _path_key(keys: Keys, text: str) -> ClaimKey:
    try:
        key = keys.parse(text)
    except InvalidInput as unreadable:
        raise InvalidInput(unreadable.message, "Write it like src/**/*.ts or src/auth.", path="path_glob") from None
    if not key.is_path:
        raise InvalidInput(f'"{text[:80]}" is not a glob of paths.', "Write it like src/**/*.ts.", path="path_glob")
    return key
