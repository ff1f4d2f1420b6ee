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
"""Files that one call looks at."""
MOST_PATHS = 5_000
STEPS = 4_000_000
"""For all files together: a second or so. A path takes one for each of its characters."""
_PAGE = 500
_LAST = "\U0010ffff"


class PathMatches(Struct, frozen=True):
    """`cut`: there may be others, which were not looked at."""

    paths: frozenset[str]
    cut: bool


class PathGlob:
    """For one call."""

    def __init__(self, project: CodeProject, keys: Keys, text: str) -> None:
        """Raises InvalidInput for what is no glob of paths."""
        self._project = project
        self._keys = keys
        self._key = _path_key(keys, text)
        self._matcher = Matcher(self._key.pattern)
        self._allowance = Allowance(STEPS)
        self._known: dict[str, bool] = {}

    @property
    def spent(self) -> bool:
        """Return whether the call has used up its steps, so that some path was not matched."""
        return self._allowance.is_spent

    def means(self, path: str) -> bool:
        """False as well where finding out takes more than is left for this call."""
        if path not in self._known:
            self._known[path] = self._means(file_key(path, self._keys.rules)) and not self.spent
        return self._known[path]

    def _means(self, file: ClaimKey) -> bool:
        if file.space != self._key.space or not isinstance(file.pattern, Literal):
            return False
        return file.id == self._key.id or self._matcher.matches(file.pattern, self._allowance)

    def listed(self, repo_id: str | None, most: int = MOST_LISTED) -> PathMatches:
        """The paths that it means among the first `most`, of one repository or of all."""
        found: set[str] = set()
        for looked_at, file in enumerate(self.files(repo_id)):
            if looked_at == most or len(found) == MOST_PATHS or self.spent:
                return PathMatches(frozenset(found), cut=True)
            if self.means(file.path):
                found.add(file.path)
        return PathMatches(frozenset(found), cut=self.spent)

    def files(self, repo_id: str | None) -> Iterator[CodeFile]:
        """Yield the files that it may mean, of one repository or of all, by path: those that begin as it does."""
        rows = self._project.rows(FILES)
        # Folded names do not tell where in the order of paths a file stands.
        prefix = "" if self._keys.rules.ignore_case else self._key.prefix.partition(":")[2]
        until = f"{prefix}{_LAST}" if prefix else None
        for repository in self._repositories(repo_id):
            yield from rows.every(repository, since=prefix or None, until=until, index="gsi1", page=_PAGE)

    def _repositories(self, repo_id: str | None) -> Iterable[str]:
        if repo_id is not None:
            return (repo_id,)
        return (each.repo_id for each in self._project.rows(REPOSITORIES).every())


def path_glob(project: CodeProject, text: str) -> PathGlob:
    """Read by the settings of the project's team, as claims are; capitals count until somebody says otherwise. Raises
    InvalidInput."""
    kept = stored_settings(team_of(project))
    return PathGlob(project, Keys(rules_of(kept, spelled=True), kept.epoch), text)


def _path_key(keys: Keys, text: str) -> ClaimKey:
    try:
        key = keys.parse(text)
    except InvalidInput as unreadable:
        raise InvalidInput(unreadable.message, "Write it like src/**/*.ts or src/auth.", path="path_glob") from None
    if not key.is_path:
        raise InvalidInput(f'"{text[:80]}" is not a glob of paths.', "Write it like src/**/*.ts.", path="path_glob")
    return key
