"""Explanations of a code search without results, in terms of its arguments, with the next call to make."""

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES
from almanac.families.context.codesearch.modes import CodeAsk, Outcome

_FILTERS = {"language": "language", "glob": "filePattern", "kind": "symbolKind", "repo_id": "projectPath"}


def explain_empty(project: CodeProject, ask: CodeAsk, outcome: Outcome) -> str:
    if not project.rows(REPOSITORIES).query(limit=1).records:
        return (
            f"No code of the project {project.scope.project} is indexed yet. Index a working tree with the command "
            "`almanac code index DIR`, or send files with index_files; then repeat the call."
        )
    if outcome.below is not None:
        return (
            f"{outcome.below.count} results are below the threshold of {ask.threshold:g}, the best of them at "
            f"{outcome.below.best:.2f}. Lower threshold, or ask in other words."
        )
    used_filters = [name for field, name in _FILTERS.items() if getattr(ask, field) is not None]
    filtered = f" Or repeat the call without {' or '.join(used_filters)}." if used_filters else ""
    if ask.mode == "text":
        return (
            "No line of the files that were looked through has this text as it is written, in any case. For words in "
            f"any order and for meaning use mode semantic.{filtered}"
        )
    if ask.mode == "symbol" and outcome.other_kinds:
        return (
            f"What is called so is of the kind {' or '.join(outcome.other_kinds)}, which symbolKind leaves out. Repeat "
            "the call without symbolKind, or with that."
        )
    if ask.mode == "symbol":
        return f"No definition has this in its name. For what a symbol does use mode semantic.{filtered}"
    return f"Nothing indexed is alike. Ask in other words or in fewer.{filtered}"
