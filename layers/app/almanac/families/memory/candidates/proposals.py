"""Propose candidates when a turn is recorded, withdraw them when it is forgotten, restore them when it is restored."""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.families.memory.candidates.answers import AGENTS, Said, key_of, statements_of, words_before
from almanac.families.memory.candidates.auto_accept import AutoAcceptance, forgotten, restored
from almanac.families.memory.candidates.deadlines import due_at
from almanac.families.memory.candidates.pending_count import pending_changes
from almanac.families.memory.candidates.records import CANDIDATES, STATEMENTS, Candidate, Statement
from almanac.families.memory.candidates.replacement import holding_successors, reopened, with_replacements
from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED, TURN_RECORDED
from almanac.families.memory.core.memory import MemoryProject, digest_of, system_memory
from almanac.families.memory.core.records import KEPT_FORGOTTEN_MS, TURNS, Turn, is_remembered
from almanac.kernel.events import Event
from almanac.kernel.ids import time_ordered_uuid
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Check
from almanac.platform.store.records import replace

_ZONE_FIELDS = ("timezone", "time_zone")
_READ = 32
"""Candidates of a turn that are read, more than any turn has."""


def propose(event: Event, services: Services) -> Sequence[Change]:
    """Return the changes that store the candidates of a recorded turn, and those of the statements that it answers."""
    project = system_memory(services, event.scope)
    turn = project.rows(TURNS).get(str(event.payload.get("turn_id")))
    return () if turn is None else _proposed(project, turn)


def follow_turn(event: Event, services: Services) -> Sequence[Change]:
    """Withdraw the candidates of a forgotten turn and those that quote it, or bring back those of a restored turn.

    If nothing was proposed before, the candidates of a restored turn are found anew."""
    project = system_memory(services, event.scope)
    turn = project.rows(TURNS).get(str(event.payload.get("memory_id")))
    if turn is None:
        return ()
    candidates = _candidates_of(project, turn)
    if not is_remembered(turn, project.now()):
        return _withdrawn(project, [one for one in candidates if one.status != "withdrawn"])
    gone = [one for one in candidates if one.status == "withdrawn"]
    return _brought_back(project, _whole(project, gone)) if gone else _proposed(project, turn)


def _candidates_of(project: MemoryProject, turn: Turn) -> list[Candidate]:
    """Return the candidates of a turn, and for an agent's turn also those that quote it as an answer."""
    rows = project.rows(CANDIDATES)
    found = [*rows.query(turn.id, index="gsi2", limit=_READ).records]
    asked = words_before(project, turn) if turn.role in AGENTS else None
    if asked is not None:
        quoting = rows.query(asked.id, index="gsi2", limit=_READ).records
        found += [one for one in quoting if one.answer == turn.id]
    return found


def _whole(project: MemoryProject, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose turn and answer are both remembered."""
    sources = project.rows(TURNS).by_id({each for one in candidates for each in (one.turn, one.answer) if each})
    known = {one.id for one in sources.values() if is_remembered(one, project.now())}
    return [one for one in candidates if one.turn in known and (one.answer is None or one.answer in known)]


def _proposed(project: MemoryProject, turn: Turn) -> list[Change]:
    """Return the changes that propose the statements of a turn and those that it answers, unless proposed before.

    The write fails if one of their turns has changed since it was read."""
    if not is_remembered(turn, project.now()):
        return []
    rows, statements = project.rows(CANDIDATES), project.rows(STATEMENTS)
    said = list({one.key: one for one in statements_of(project, turn)}.values())
    known = statements.get_many([(one.key,) for one in said])
    overruled = _overruled_before(project, said, known)
    accepting: dict[str, AutoAcceptance] = {}
    proposed: list[Candidate] = []
    stored: dict[str, Statement] = {}
    read: dict[str, Turn] = {}
    for one, statement in reversed([*zip(said, known, strict=True)]):
        if statement is None or statement.candidate in overruled:
            if one.turn.id not in accepting:
                accepting[one.turn.id] = AutoAcceptance(project, one.turn)
            proposed.insert(0, accepting[one.turn.id].offered(_candidate(project, one)))
            stored |= {one.key: statement} if statement else {}
            read |= {each.id: each for each in (one.turn, one.answer) if each}
    if not proposed:
        return []
    settled = with_replacements(project, proposed)
    changes: list[Change] = []
    for one in settled.own:
        earlier = stored.get(_key_of(one))
        makes = statements.put(_statement(one), Equals("candidate", earlier.candidate)) if earlier else None
        changes += [rows.insert(one), makes or statements.insert(_statement(one))]
    changes += [replace(rows, one) for one in settled.others]
    accepted = [change for one in accepting.values() for change in one.changes]
    counted = pending_changes(project, settled.own, settled.before)
    return [*changes, *accepted, *counted, *(_as_read(project, one) for one in read.values())]


def _overruled_before(
    project: MemoryProject, said: Sequence[Said], known: Sequence[Statement | None]
) -> frozenset[str]:
    """Return the ids of known candidates of earlier turns that have been replaced since.

    The same words in a new turn decide anew."""
    found = project.rows(CANDIDATES).by_id([one.candidate for one in known if one is not None])
    pairs = [(one.turn, found.get(each.candidate)) for one, each in zip(said, known, strict=True) if each is not None]
    return frozenset(
        one.id
        for turn, one in pairs
        if one is not None and one.turn != turn.id and one.said_at < turn.at and one.status == "superseded"
    )


def _candidate(project: MemoryProject, said: Said) -> Candidate:
    """Return the candidate of a statement. Its id is the same however often the turn is read."""
    turn, found = said.turn, said.found
    digest = bytes.fromhex(digest_of(turn.id, said.key))
    return Candidate(
        id=time_ordered_uuid(turn.recorded_at, lambda count: digest[:count]),
        kind=found.kind,
        content=found.content,
        turn=turn.id,
        session=turn.session,
        actor=turn.actor,
        speaker=turn.speaker,
        tool=turn.tool,
        redacted=turn.redacted,
        said_at=turn.at,
        found_at=project.now(),
        statement=found.statement,
        due=found.due,
        due_at=due_at(found.due, turn.at, _zone_of(turn)) if found.due else None,
        answer=said.answer.id if said.answer else None,
    )


def _zone_of(turn: Turn) -> str | None:
    """Return the time zone in the metadata of the turn, None if there is none."""
    names = (turn.metadata.get(field) for field in _ZONE_FIELDS)
    return next((name for name in names if isinstance(name, str)), None)


def _withdrawn(project: MemoryProject, candidates: Sequence[Candidate]) -> list[Change]:
    """Return the changes that withdraw the candidates of a forgotten turn.

    Candidates that these replaced wait again. A candidate that a review accepted stays, because its reviewer wanted it
    to be remembered. The memory of a candidate that the setting accepted is forgotten."""
    rows, statements = project.rows(CANDIDATES), project.rows(STATEMENTS)
    purge_at = project.now() + KEPT_FORGOTTEN_MS
    gone = [one for one in candidates if one.auto or one.status in ("pending", "rejected", "superseded")]
    proposed = statements.get_many([(_key_of(one),) for one in gone])
    changes: list[Change] = []
    for one, statement in zip(gone, proposed, strict=True):
        changes += forgotten(project, one) if one.auto else ()
        changes.append(replace(rows, altered(one, status="withdrawn", was=one.status, purge_at=purge_at)))
        if one.status != "rejected" and statement is not None and statement.candidate == one.id:
            changes.append(statements.delete(_key_of(one)))
    back = reopened(project, gone)
    changes += [replace(rows, one) for one in back.changed]
    return [*changes, *pending_changes(project, back.waiting, candidates)]


def _brought_back(project: MemoryProject, candidates: Sequence[Candidate]) -> list[Change]:
    """Return the changes that bring withdrawn candidates back.

    A candidate that another turn proposed meanwhile stays withdrawn. A candidate whose successor still holds stays
    replaced."""
    rows, statements = project.rows(CANDIDATES), project.rows(STATEMENTS)
    known = statements.get_many([(_key_of(one),) for one in candidates])
    holding = holding_successors(project, candidates)
    changes: list[Change] = []
    back: list[Candidate] = []
    for one, statement in zip(candidates, known, strict=True):
        if statement is None or statement.candidate == one.id:
            changes += restored(project, one) if one.auto else ()
            back.append(_as_before(one, is_replaced=one.superseded_by in holding))
            if statement is None:
                changes.append(statements.insert(_statement(one)))
    settled = with_replacements(project, back)
    changes += [replace(rows, one) for one in (*settled.own, *settled.others)]
    return [*changes, *pending_changes(project, settled.own, settled.before)]


def _as_before(one: Candidate, *, is_replaced: bool) -> Candidate:
    """Return a candidate as it was before its turn was forgotten, but without the candidates that it replaced.

    These are determined anew."""
    status = one.was or "pending"
    back = altered(one, status=status, was=None, purge_at=None, supersedes=())
    return altered(back, status="pending", superseded_by=None) if status == "superseded" and not is_replaced else back


def _statement(candidate: Candidate) -> Statement:
    return Statement(digest=_key_of(candidate), candidate=candidate.id)


def _key_of(candidate: Candidate) -> str:
    return key_of(candidate.statement, candidate.content, candidate.answer)


def _as_read(project: MemoryProject, turn: Turn) -> Change:
    return Check(project.rows(TURNS).key(turn.id), Equals("version", turn.version))


REACTIONS = (
    Reaction("memory.propose_candidates", frozenset([TURN_RECORDED]), propose, repeatable=True),
    Reaction("memory.follow_candidates", frozenset([MEMORY_FORGOTTEN, MEMORY_RESTORED]), follow_turn),
)
