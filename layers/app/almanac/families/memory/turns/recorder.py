"""Record turns in atomic writes, one for each group of a session's turns. Write conflicts are retried."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.turns.plan import Call, Plan, RecordedTurn
from almanac.families.memory.turns.prior_records import read_prior_records
from almanac.families.memory.turns.turn_input import ValidatedTurn
from almanac.kernel.errors import AlmanacError
from almanac.platform.store.port import MAX_CHANGES, MAX_WRITE_BYTES

GROUP_BYTES = MAX_WRITE_BYTES // 4
"""Most bytes of contents and metadata in one write, which leaves room for the rest of the write."""
_CHANGES_OF_A_TURN = 2
_CHANGES_OF_A_SESSION = 1

Outcome = RecordedTurn | AlmanacError


class _NumberedTurn(Struct, frozen=True):
    number: int
    turn: ValidatedTurn

    @property
    def changes(self) -> int:
        turn = self.turn
        return _CHANGES_OF_A_TURN + sum((turn.client_turn_id is not None, turn.gate is not None, bool(turn.findings)))


def record(project: MemoryProject, turn: ValidatedTurn) -> RecordedTurn:
    """Record one turn. Raises Conflict if it requires a claim with policy hard that its holder does not have."""
    (outcome,) = record_all(project, [turn])
    if isinstance(outcome, AlmanacError):
        raise outcome
    return outcome


def record_all(project: MemoryProject, turns: Sequence[ValidatedTurn]) -> list[Outcome]:
    """Record turns and return an outcome for each, in order. Turns of a session keep their order in it.

    A refused turn does not affect the others."""
    outcomes: dict[int, Outcome] = {}
    sessions: dict[str | None, list[_NumberedTurn]] = {}
    for number, turn in enumerate(turns):
        sessions.setdefault(turn.session, []).append(_NumberedTurn(number, turn))
    for session in sessions.values():
        groups = list(_groups(session))
        ends = list(accumulate(map(len, groups)))
        for place, group in enumerate(groups):
            call = Call([numbered.turn.digest for numbered in session], ends[place] - len(group), ends[place:])
            try:
                outcomes |= project.retry_on_conflict(lambda group=group, call=call: _attempt(project, group, call))
            except AlmanacError as failed:
                # Earlier groups are already written, so their outcomes must be returned.
                outcomes |= {numbered.number: failed for numbered in group}
    return [outcomes[number] for number in range(len(turns))]


def _attempt(project: MemoryProject, group: Sequence[_NumberedTurn], call: Call) -> dict[int, Outcome]:
    plan = Plan(project, read_prior_records(project, [numbered.turn for numbered in group]))
    outcomes: dict[int, Outcome] = {}
    repeated = plan.find_repeats(group[0].turn.session, call)
    for numbered, repeats in zip(group, repeated, strict=True):
        try:
            outcomes[numbered.number] = plan.add(numbered.turn, repeats)
        except AlmanacError as refused:
            outcomes[numbered.number] = refused
    if changes := plan.changes:
        project.store.write(changes)
    return outcomes


def _groups(turns: Sequence[_NumberedTurn]) -> Iterator[list[_NumberedTurn]]:
    """Yield groups of turns of one session, or without one. Each group fits into one write."""
    group: list[_NumberedTurn] = []
    changes, size = _CHANGES_OF_A_SESSION, 0
    for numbered in turns:
        if group and (changes + numbered.changes > MAX_CHANGES or size + numbered.turn.bytes > GROUP_BYTES):
            yield group
            group, changes, size = [], _CHANGES_OF_A_SESSION, 0
        group.append(numbered)
        changes, size = changes + numbered.changes, size + numbered.turn.bytes
    yield group
