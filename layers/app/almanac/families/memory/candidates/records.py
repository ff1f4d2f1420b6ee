"""Stored records of candidates.

P#<tenant>#<project>#memory_candidates     <id>      Candidate
P#<tenant>#<project>#candidate_statements  <digest>  Statement
P#<tenant>#<project>#candidates_waiting    -         WaitingCandidates
P#<tenant>#<project>#auto_accepts          <day>     AutoAccepts
"""

from collections.abc import Mapping
from typing import Any, Literal

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

CandidateKind = Literal["preference", "decision", "convention", "deadline", "constraint"]
ReviewDecision = Literal["accepted", "rejected"]
AUTO_ACCEPT = "auto_accept"
"""The setting of a project that names the kinds of candidates to accept without a review."""
Status = Literal["pending", "accepted", "rejected", "superseded", "withdrawn"]


class Candidate(VersionedRecord, frozen=True, kw_only=True):
    """A statement proposed for pinning. `content` is a sentence of the turn, word by word.

    The proposal that it accepts, or the sentence of an agent's answer that repeats it, follows in brackets. For a
    sentence of an answer, `answer` is the id of the agent's turn. `actor` recorded the turn, and `speaker`, if known,
    said it. `said_at` is the turn's time. `due` has the words for a deadline, counted from that time. `due_at` is set
    if the turn names its time zone. `statement` is a digest of the kind and the words, without those of an answer.

    `auto`: the project's setting accepted it, and no review has changed that.

    Superseded: the later candidate `superseded_by` replaced it while it waited. `supersedes` lists the candidates that
    this one replaced.

    `replaces` has the ids of pinned memories that it corrects. They stay current until a reviewer accepts it.

    Withdrawn: its turn or the answer is forgotten, and `was` is its earlier status. It is deleted at `purge_at`, as the
    turn is.
    """

    id: str
    kind: CandidateKind
    content: str
    turn: str
    session: str | None
    actor: str
    speaker: str | None
    tool: str | None
    redacted: tuple[str, ...] = ()
    said_at: int
    found_at: int
    statement: str
    status: Status = "pending"
    due: str | None = None
    due_at: int | None = None
    reviewed_by: str | None = None
    reviewed_at: int | None = None
    memory: str | None = None
    auto: bool = False
    was: Status | None = None
    purge_at: int | None = None
    superseded_by: str | None = None
    supersedes: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    answer: str | None = None


def is_auto_accepted(metadata: Mapping[str, Any]) -> bool:
    """Return whether a memory with this metadata comes from a candidate that the project's setting accepted."""
    return metadata.get("accepted_by") == AUTO_ACCEPT and "candidate_id" in metadata


class Statement(Record, frozen=True, kw_only=True):
    """A note that a statement was proposed, whatever the outcome.

    `digest` identifies its kind and words, including the words of an answer that it quotes."""

    digest: str
    candidate: str


class WaitingCandidates(VersionedRecord, frozen=True, kw_only=True):
    """The number of candidates that wait for a review. There is no record while none waits.

    Candidates from before this count existed are not in it."""

    count: int


class AutoAccepts(VersionedRecord, frozen=True, kw_only=True):
    """The number of candidates that the project's setting accepted on a UTC day, such as `2026-11-27`."""

    day: str
    count: int
    expires_at: int


CANDIDATES = Table(
    Candidate,
    "memory_candidates",
    sort=("id",),
    indexes={
        "gsi1": Place("memory_candidates_by_status", partition=("status",), sort=("id",)),
        "gsi2": Place("memory_candidates_by_turn", partition=("turn",), sort=("id",)),
    },
    expires="purge_at",
)
STATEMENTS = Table(Statement, "candidate_statements", sort=("digest",))
WAITING = Table(WaitingCandidates, "candidates_waiting")
AUTO_ACCEPTS = Table(AutoAccepts, "auto_accepts", sort=("day",), expires="expires_at")
