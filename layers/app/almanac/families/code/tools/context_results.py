"""Results of get_code_context, within its token budget. Instants are milliseconds since 1970."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.families.code.context.targets import Choice, Choices, Target
from almanac.families.code.core.code import CodeProject
from almanac.families.code.indexer.states import IndexState, states
from almanac.families.code.tools.context_rows import ContextClaim, ContextCode, ContextDocument, ContextReview
from almanac.families.memory.snapshot.budget import Candidate, Section, fill_sections, fit_to_budget
from almanac.families.memory.snapshot.rows import SnapshotMemory, SnapshotTurn
from almanac.families.memory.snapshot.tokens import tokens_of_json
from codegraph import language_of

SECTIONS: Mapping[str, Section] = {
    "code": Section(0.42, 120),
    "claims": Section(0.08, 100),
    "pins": Section(0.1, 100),
    "reviews": Section(0.06, 100),
    "memories": Section(0.08, 100),
    "turns": Section(0.14, 100),
    "facts": Section(0.06, 80),
    "project_notes": Section(0.06, 100),
    "cards": Section(0.04, 80),
    "events": Section(0.04, 80),
    "journal": Section(0.04, 80),
}
_MOST_STATES = 3
_LONGEST_PATH = 200


class CodeTarget(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A file, or a symbol of it and its lines. `parsed` false: not all of it could be parsed. `former_paths`: the last
    first. `indexed` false: no repository has the path, so there is no code, no id and no repository."""

    file_id: str | None
    repo_id: str | None
    path: str
    lang: str
    start_line: int
    end_line: int
    parsed: bool
    symbol: str | None = None
    kind: str | None = None
    line: int | None = None
    former_paths: tuple[str, ...] = ()
    indexed: bool = True


class CodeContext(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`turns` name it, the latest first; `claims` overlap with its path; `reviews` are open; `pins`, `memories`,
    `facts`, `project_notes`, `cards`, `events` and `journal` name it, by a former path too. `repositories`: how fresh
    the code is. `tokens` is a high estimate for all of this. `left_out` counts rows without room, by section;
    `left_out_by_key` names the sections that this API key may not see. `notes`: how the target was read, and what was
    not examined. `untrusted`: others wrote the texts."""

    target: CodeTarget
    repositories: tuple[IndexState, ...]
    code: tuple[ContextCode, ...]
    claims: tuple[ContextClaim, ...]
    reviews: tuple[ContextReview, ...]
    turns: tuple[SnapshotTurn, ...]
    facts: tuple[ContextDocument, ...]
    project_notes: tuple[ContextDocument, ...]
    tokens: int
    max_tokens: int
    left_out: dict[str, int]
    untrusted: bool
    pins: tuple[SnapshotMemory, ...] = ()
    memories: tuple[SnapshotMemory, ...] = ()
    cards: tuple[ContextDocument, ...] = ()
    events: tuple[ContextDocument, ...] = ()
    journal: tuple[ContextDocument, ...] = ()
    left_out_by_key: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class MayBeMeant(Struct, frozen=True, omit_defaults=True, kw_only=True):
    file_id: str
    repo_id: str
    path: str
    symbol: str | None = None
    kind: str | None = None
    start_line: int | None = None


class Ambiguous(Struct, frozen=True, kw_only=True):
    """Several definitions have this name: repeat the call with the file_id of one, its path and repo_id, or a longer
    name. `truncated`: there are more."""

    ok: Literal[False]
    reason: Literal["ambiguous"]
    candidates: tuple[MayBeMeant, ...]
    truncated: bool
    untrusted: bool
    repositories: tuple[IndexState, ...]


def context_view(
    project: CodeProject,
    target: Target,
    candidates: Mapping[str, Sequence[Candidate]],
    max_tokens: int,
    left_out_by_key: Sequence[str],
    notes: Sequence[str],
) -> CodeContext:
    """Build the result from the candidates of each of SECTIONS. If not even the frame fits, it has no rows."""
    frame = CodeContext(
        target=_target_view(target),
        repositories=tuple(states(project, target.content.file.repo_id)) if target.content else (),
        code=(),
        claims=(),
        reviews=(),
        turns=(),
        facts=(),
        project_notes=(),
        tokens=max_tokens,
        max_tokens=max_tokens,
        left_out={name: len(some) for name, some in candidates.items() if some},
        untrusted=True,
        left_out_by_key=tuple(left_out_by_key),
        notes=tuple(notes),
    )
    frame = next((each for each in _smaller(frame) if _tokens(each) <= max_tokens), frame)

    def make(tokens: int) -> tuple[CodeContext, int]:
        made = fill_sections(SECTIONS, candidates, tokens)
        rows: dict[str, Any] = {name: one.rows for name, one in made.items()}
        rows["left_out"] = {name: one.left_out for name, one in made.items() if one.left_out}
        shown = replace(frame, **rows)
        count = _tokens(shown)
        return replace(shown, tokens=count), count

    made = fit_to_budget(max_tokens, frame, make)
    return made if made is not None else frame


def ambiguous_view(project: CodeProject, found: Choices, max_tokens: int) -> Ambiguous:
    """Return as many choices as fit."""
    view = _ambiguous(project, found.choices, more=found.more)
    for count in range(len(found.choices) - 1, 0, -1):
        if _tokens(view) <= max_tokens:
            break
        view = _ambiguous(project, found.choices[:count], more=True)
    return view if _tokens(view) <= max_tokens else replace(view, repositories=())


def _ambiguous(project: CodeProject, choices: Sequence[Choice], *, more: bool) -> Ambiguous:
    different = list(dict.fromkeys(each.file.repo_id for each in choices))
    return Ambiguous(
        ok=False,
        reason="ambiguous",
        candidates=tuple(
            MayBeMeant(
                file_id=each.file.id,
                repo_id=each.file.repo_id,
                path=each.file.path,
                symbol=each.part.symbol if each.part else None,
                kind=each.part.kind if each.part else None,
                start_line=each.part.start if each.part else None,
            )
            for each in choices
        ),
        truncated=more,
        untrusted=True,
        repositories=tuple(state for each in different[:_MOST_STATES] for state in states(project, each)),
    )


def _smaller(frame: CodeContext) -> Iterator[CodeContext]:
    """Yield the frame with less and less beside its rows."""
    yield frame
    frame = replace(frame, repositories=tuple(replace(each, url=None) for each in frame.repositories))
    yield frame
    frame = replace(frame, target=replace(frame.target, former_paths=frame.target.former_paths[:1]))
    yield replace(frame, notes=frame.notes[:1])
    yield replace(frame, notes=())
    frame = replace(frame, notes=(), repositories=())
    yield frame
    path = frame.target.path
    yield replace(frame, target=replace(frame.target, path=f"…{path[-_LONGEST_PATH:]}", former_paths=()))


def _tokens(value: Struct) -> int:
    return tokens_of_json(msgspec.to_builtins(value))


def _target_view(target: Target) -> CodeTarget:
    if target.content is None:
        return CodeTarget(
            file_id=None,
            repo_id=None,
            path=target.path,
            lang=language_of(target.path),
            start_line=0,
            end_line=0,
            parsed=False,
            line=target.line,
            indexed=False,
        )
    file = target.content.file
    first = min(target.parts, key=lambda part: part.start) if target.symbol and target.parts else None
    return CodeTarget(
        file_id=file.id,
        repo_id=file.repo_id,
        path=file.path,
        lang=file.language,
        start_line=first.start if first else 1,
        end_line=max(part.end for part in target.parts) if first else max(1, file.lines),
        parsed=file.parsed,
        symbol=target.symbol or None,
        kind=first.kind if first else None,
        line=target.line,
        former_paths=target.former_paths,
    )
