"""Files by the paths that they had before they were renamed."""

from collections.abc import Sequence

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import FILES, FORMER_PATHS, CodeFile

MOST_RENAMES = 10


def renamed(project: CodeProject, former_ids: Sequence[str]) -> list[CodeFile]:
    """Return the files that those of these ids are now, each once; none for one that is gone."""
    found: dict[str, CodeFile] = {}
    former = project.rows(FORMER_PATHS)
    next_ids = [each.now for each in former.by_id(former_ids).values()]
    for _ in range(MOST_RENAMES):
        if not next_ids:
            break
        there = project.rows(FILES).by_id(next_ids)
        found |= there
        next_ids = [each.now for each in former.by_id([one for one in next_ids if one not in there]).values()]
    return list(found.values())


def former_paths(project: CodeProject, file: CodeFile) -> tuple[str, ...]:
    """Return the paths that a file had, the last one first."""
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
