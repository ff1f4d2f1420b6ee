"""What get_code_context answers, within its tokens. Instants are milliseconds since 1970."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.families.code.context.targets import Choices, Target
from almanac.families.code.core.code import CodeProject
from almanac.families.code.indexing.states import IndexState, states
from almanac.families.code.tools.context_rows import ContextClaim, ContextCode, ContextDocument, ContextReview
from almanac.families.memory.snapshot.budget import Candidate, Section, fitted, sections_filled
from almanac.families.memory.snapshot.rows import SnapshotTurn
from almanac.families.memory.snapshot.tokens import tokens_of_json

SECTIONS: Mapping[str, Section] = {
    "code": Section(0.5, 120),
    "claims": Section(0.08, 100),
    "reviews": Section(0.08, 100),
    "turns": Section(0.18, 100),
    "facts": Section(0.08, 80),
    "project_notes": Section(0.08, 100),
}


class Meant(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A file, or a symbol of it and its lines. `parsed` false: its language could not read it whole."""

    file_id: str
    repo_id: str
    path: str
    lang: str
    start_line: int
    end_line: int
    parsed: bool
    symbol: str | None = None
    kind: str | None = None


class LeftOut(Struct, frozen=True, omit_defaults=True):
    """How many found no room; none where the field is missing."""

    code: int = 0
    claims: int = 0
    reviews: int = 0
    turns: int = 0
    facts: int = 0
    project_notes: int = 0


class CodeContext(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`turns` name it, the latest first; `claims` overlap with its path; `reviews` are open; `facts` and
    `project_notes` name it. `repositories`: how fresh the code is. `tokens` is a high estimate for all of this.
    `notes`: what was not looked at. `untrusted`: others wrote what is quoted."""

    target: Meant
    repositories: tuple[IndexState, ...]
    code: tuple[ContextCode, ...]
    claims: tuple[ContextClaim, ...]
    reviews: tuple[ContextReview, ...]
    turns: tuple[SnapshotTurn, ...]
    facts: tuple[ContextDocument, ...]
    project_notes: tuple[ContextDocument, ...]
    tokens: int
    max_tokens: int
    left_out: LeftOut
    untrusted: bool
    notes: tuple[str, ...] = ()


class MayBeMeant(Struct, frozen=True, omit_defaults=True, kw_only=True):
    file_id: str
    repo_id: str
    path: str
    symbol: str | None = None
    kind: str | None = None
    start_line: int | None = None


class Ambiguous(Struct, frozen=True, kw_only=True):
    """Several are called so: repeat the call with the file_id of one, its path and repo_id, or a longer name.
    `truncated`: there are more."""

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
    notes: Sequence[str],
) -> CodeContext:
    """`candidates` are of each of SECTIONS. Where not even the frame fits, there are no rows."""
    frame = CodeContext(
        target=_meant(target),
        repositories=tuple(states(project, target.file.repo_id)),
        code=(),
        claims=(),
        reviews=(),
        turns=(),
        facts=(),
        project_notes=(),
        tokens=max_tokens,
        max_tokens=max_tokens,
        left_out=LeftOut(**{name: len(some) for name, some in candidates.items()}),
        untrusted=True,
        notes=tuple(notes),
    )

    def make(tokens: int) -> tuple[CodeContext, int]:
        made = sections_filled(SECTIONS, candidates, tokens)
        rows: dict[str, Any] = {name: one.rows for name, one in made.items()}
        rows["left_out"] = LeftOut(**{name: one.left_out for name, one in made.items()})
        shown = replace(frame, **rows)
        count = tokens_of_json(msgspec.to_builtins(shown))
        return replace(shown, tokens=count), count

    made = fitted(max_tokens, frame, make)
    return made if made is not None else frame


def ambiguous_view(project: CodeProject, found: Choices) -> Ambiguous:
    different = list(dict.fromkeys(each.file.repo_id for each in found.choices))
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
            for each in found.choices
        ),
        truncated=found.more,
        untrusted=True,
        repositories=tuple(state for each in different for state in states(project, each)),
    )


def _meant(target: Target) -> Meant:
    file = target.file
    first = target.parts[0] if target.symbol and target.parts else None
    return Meant(
        file_id=file.id,
        repo_id=file.repo_id,
        path=file.path,
        lang=file.language,
        start_line=first.start if first else 1,
        end_line=max(part.end for part in target.parts) if first else max(1, file.lines),
        parsed=file.parsed,
        symbol=target.symbol or None,
        kind=first.kind if first else None,
    )
