"""Why a search of code found nothing, in the words of its arguments, and which call to make next."""

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES
from almanac.families.code.search.searching import CodeAnswer, CodeQuery

_ARGUMENTS = {"repo": "repo_id", "path": "path_glob"}
_OURS = ("kinds", "name", "except_fields")
"""Filters that no argument asks for."""
_NAMED = 5


def why_empty(project: CodeProject, query: CodeQuery, answer: CodeAnswer) -> str:
    known = [each.repo_id for each in project.rows(REPOSITORIES).query(limit=_NAMED + 1).records]
    if not known:
        return (
            f"No repository is indexed in the project {project.scope.project}. index_files takes files; for a working "
            "tree use the command `almanac code index DIR`."
        )
    if query.repo_id is not None and project.rows(REPOSITORIES).get(query.repo_id) is None:
        return f"The repository {query.repo_id!r} is not indexed. Indexed are: {', '.join(known[:_NAMED])}."
    if answer.no_path:
        return f"path_glob: no indexed file has a path that {query.glob!r} means. list_files shows the paths."
    empty = answer.empty
    if empty is not None and empty.reason == "behind":
        return empty.text
    if empty is not None and empty.reason == "filters":
        return _filtered_out(empty.filters)
    return (
        "Nothing indexed is alike. Ask in other words or in fewer; for an identifier, give it as it is written. "
        "list_files shows what is indexed."
    )


def _filtered_out(blamed: tuple[str, ...]) -> str:
    names = " or ".join(_ARGUMENTS.get(each, each) for each in blamed if each not in _OURS)
    if not names:
        return "The filters together leave nothing; other code matches. Repeat the call with fewer of them."
    return f"{names} leaves nothing; other code matches. Repeat the call without it, or with another value."
