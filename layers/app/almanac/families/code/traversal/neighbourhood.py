"""Which files are looked at together, over the store: the port of picking."""

from collections.abc import Iterable, Sequence

from almanac.families.code.traversal.reading import AnySummary, Reading
from codegraph import COMMON, LeftOut, Named, PythonSummary, Summary, language_of, pick_for_files

MOST_FILES = 80
WHOLE = 80
"""Files of a repository that are all looked at together: nothing of their flow is missed then."""
MOST_HOLDERS = 8
"""Files that define a name: of one that more define none would be chosen."""
USERS_OF_A_NAME = 5
USERS = 20


class StoredNames:
    """The `NameIndex` of picking."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def summaries(self, paths: Sequence[str]) -> Sequence[Named]:
        return list(self._reading.summaries(paths).values())

    def defining(self, name: str, limit: int) -> Sequence[str]:
        return self._reading.names.defining(name)[:limit]

    def imported(self, path: str, modules: Sequence[str], limit: int) -> Sequence[str]:
        summary = self._reading.summaries([path]).get(path)
        found = sorted(set(self._imported(path, summary)) - {path}) if summary is not None and modules else []
        return found[:limit]

    def _imported(self, path: str, summary: AnySummary) -> Iterable[str]:
        modules = self._reading.modules
        if isinstance(summary, PythonSummary):
            return modules.of_python(summary.modules)
        return modules.of_others(summary.language, path, summary.imported)


class Neighbourhood:
    """`summaries`: of the files that are needed to resolve what the asked ones use."""

    def __init__(self, summaries: dict[str, AnySummary], left_out: Sequence[LeftOut] = ()) -> None:
        self.summaries = summaries
        self.left_out = left_out

    @property
    def python(self) -> list[PythonSummary]:
        return [each for each in self.summaries.values() if isinstance(each, PythonSummary)]

    @property
    def others(self) -> list[Summary]:
        return [each for each in self.summaries.values() if isinstance(each, Summary)]


def around(reading: Reading, paths: Sequence[str]) -> Neighbourhood:
    """What files import, what defines the names that they use, and who hands them values to call."""
    if len(reading.modules.of_path) <= WHOLE:
        return Neighbourhood(reading.summaries(reading.modules.of_path))
    picked = pick_for_files(StoredNames(reading), paths, most=MOST_FILES, holders=MOST_HOLDERS)
    summaries = reading.summaries(picked.paths)
    asked = [each for path in paths if isinstance(each := summaries.get(path), PythonSummary)]
    if asked:
        summaries |= reading.summaries(_users(reading, asked, summaries))
    return Neighbourhood(summaries, picked.left_out)


def _users(reading: Reading, asked: Sequence[PythonSummary], known: dict[str, AnySummary]) -> list[str]:
    """Files that use what the asked ones define, of names that few use: arguments come from them."""
    found: dict[str, None] = {}
    for summary in asked:
        for fact in summary.functions:
            name = summary.scopes[fact.scope].rpartition(".")[2]
            users = reading.names.using(name) if fact.params and name not in COMMON else ()
            if len(users) <= USERS_OF_A_NAME:
                found |= dict.fromkeys(path for path in users if path not in known and language_of(path) == "python")
    return list(found)[:USERS]
