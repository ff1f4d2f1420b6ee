"""React to turns: propose candidates for a recorded turn, withdraw those of a forgotten turn, restore them with it."""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.families.memory.candidates.answers import TurnStatement, key_of, previous_speech, reply_text, statements_of
from almanac.families.memory.candidates.auto_accept import AutoAcceptance, redo_acceptance, undo_acceptance
from almanac.families.memory.candidates.deadlines import due_at
from almanac.families.memory.candidates.overruling import rejections_of
from almanac.families.memory.candidates.pending_count import update_count
from almanac.families.memory.candidates.records import CANDIDATES, STATEMENTS, Candidate, Statement
from almanac.families.memory.candidates.replacement import reopen_replaced, valid_successors, with_replacements
from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED, TURN_RECORDED
from almanac.families.memory.core.memory import MemoryProject, digest_of, system_memory
from almanac.families.memory.core.records import AGENT_ROLES, KEPT_FORGOTTEN_MS, TURNS, Turn, is_remembered
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.kernel.events import Event
from almanac.kernel.ids import time_ordered_uuid
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Check
from almanac.platform.store.records import replace

_ZONE_FIELDS = ("timezone", "time_zone")
_CANDIDATES_READ = 32
"""Number of candidates of a turn that are read, more than any turn has."""


def propose(event: Event, services: Services) -> Sequence[Change]:
    """Return the changes that store the candidates of a recorded turn and of the statements that it answers."""
    project = system_memory(services, event.scope)
    turn = project.rows(TURNS).get(str(event.payload.get("turn_id")))
    return () if turn is None else _propose_statements(project, turn)


def follow_turn(event: Event, services: Services) -> Sequence[Change]:
    """Withdraw the candidates of a forgotten turn and those that quote it, or bring them back for a restored turn.

    If a restored turn has no withdrawn candidates, propose its statements as if it were new."""
    project = system_memory(services, event.scope)
    turn = project.rows(TURNS).get(str(event.payload.get("memory_id")))
    if turn is None:
        return ()
    candidates = _candidates_of(project, turn)
    if not is_remembered(turn, project.now()):
        return _withdraw(project, [one for one in candidates if one.status != "withdrawn"])
    withdrawn = [one for one in candidates if one.status == "withdrawn"]
    return (
        _bring_back(project, _with_remembered_sources(project, withdrawn))
        if withdrawn
        else _propose_statements(project, turn)
    )


def _candidates_of(project: MemoryProject, turn: Turn) -> list[Candidate]:
    """Return the candidates of a turn. An agent's turn also has those that quote it as an answer."""
    rows = project.rows(CANDIDATES)
    candidates = [*rows.query(turn.id, index="gsi2", limit=_CANDIDATES_READ).records]
    person_turn = previous_speech(project, turn) if turn.role in AGENT_ROLES else None
    if person_turn is not None:
        quoting = rows.query(person_turn.id, index="gsi2", limit=_CANDIDATES_READ).records
        candidates += [one for one in quoting if one.answer == turn.id]
    return candidates


def _with_remembered_sources(project: MemoryProject, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose turn and answer are both remembered."""
    sources = project.rows(TURNS).by_id({each for one in candidates for each in (one.turn, one.answer) if each})
    remembered = {one.id for one in sources.values() if is_remembered(one, project.now())}
    return [one for one in candidates if one.turn in remembered and (one.answer is None or one.answer in remembered)]


def _propose_statements(project: MemoryProject, turn: Turn) -> list[Change]:
    """Return the changes that propose new statements of a turn, and new ones that it answers.

    The write fails if one of their turns has changed since it was read."""
    if not is_remembered(turn, project.now()):
        return []
    rows, statements = project.rows(CANDIDATES), project.rows(STATEMENTS)
    turn_statements = list({one.key: one for one in statements_of(project, turn)}.values())
    recorded = statements.get_many([(one.key,) for one in turn_statements])
    overruled = _superseded_earlier(project, turn_statements, recorded)
    accepting: dict[str, AutoAcceptance] = {}
    proposed: list[Candidate] = []
    stored: dict[str, Statement] = {}
    sources: dict[str, Turn] = {}
    for one, statement in reversed([*zip(turn_statements, recorded, strict=True)]):
        if statement is None or statement.candidate in overruled:
            if one.turn.id not in accepting:
                accepting[one.turn.id] = AutoAcceptance(project, one.turn)
            proposed.insert(0, accepting[one.turn.id].offer(_candidate(project, one)))
            stored |= {one.key: statement} if statement else {}
            sources |= {each.id: each for each in (one.turn, one.answer) if each}
    answered = _answered_by(project, turn)
    if not (proposed or answered):
        return []
    replies = {one.id: reply_text(project, one) for one in sources.values()} | {
        one.turn: turn.content for one in answered
    }
    replacements = with_replacements(project, proposed, replies, answered)
    changes: list[Change] = []
    for one in replacements.own:
        earlier = stored.get(_key_of(one))
        update = statements.put(_statement(one), Equals("candidate", earlier.candidate)) if earlier else None
        changes += [rows.insert(one), update or statements.insert(_statement(one))]
    changes += [replace(rows, one) for one in replacements.others]
    accepted = [change for one in accepting.values() for change in one.changes]
    count_changes = update_count(project, replacements.own, replacements.closed)
    return [*changes, *accepted, *count_changes, *(_version_check(project, one) for one in sources.values())]


def _answered_by(project: MemoryProject, reply: Turn) -> Sequence[Candidate]:
    """Return the stored candidates of the person's turn before an agent's reply that says what no longer holds."""
    if reply.role not in AGENT_ROLES or is_recalled(reply) or not rejections_of("", reply.content):
        return ()
    person_turn = previous_speech(project, reply)
    if person_turn is None or person_turn.role != "user":
        return ()
    return project.rows(CANDIDATES).query(person_turn.id, index="gsi2", limit=_CANDIDATES_READ).records


def _superseded_earlier(
    project: MemoryProject, statements: Sequence[TurnStatement], recorded: Sequence[Statement | None]
) -> frozenset[str]:
    """Return the ids of superseded candidates that earlier turns proposed in the words of these statements.

    The same words in a new turn make a new decision."""
    candidates = project.rows(CANDIDATES).by_id([one.candidate for one in recorded if one is not None])
    pairs = [
        (one.turn, candidates.get(each.candidate))
        for one, each in zip(statements, recorded, strict=True)
        if each is not None
    ]
    return frozenset(
        one.id
        for turn, one in pairs
        if one is not None and one.turn != turn.id and one.said_at < turn.at and one.status == "superseded"
    )


def _candidate(project: MemoryProject, statement: TurnStatement) -> Candidate:
    """Return the candidate of a statement. Its id is the same each time the turn is read."""
    turn, found_statement = statement.turn, statement.found
    digest = bytes.fromhex(digest_of(turn.id, statement.key))
    return Candidate(
        id=time_ordered_uuid(turn.recorded_at, lambda count: digest[:count]),
        kind=found_statement.kind,
        content=found_statement.content,
        turn=turn.id,
        session=turn.session,
        actor=turn.actor,
        speaker=turn.speaker,
        tool=turn.tool,
        redacted=turn.redacted,
        said_at=turn.at,
        found_at=project.now(),
        statement=found_statement.digest,
        due=found_statement.due,
        due_at=due_at(found_statement.due, turn.at, _zone_of(turn)) if found_statement.due else None,
        answer=statement.answer.id if statement.answer else None,
    )


def _zone_of(turn: Turn) -> str | None:
    """Return the time zone in the metadata of the turn, or None."""
    names = (turn.metadata.get(field) for field in _ZONE_FIELDS)
    return next((name for name in names if isinstance(name, str)), None)


def _withdraw(project: MemoryProject, candidates: Sequence[Candidate]) -> list[Change]:
    """Return the changes that withdraw the candidates of a forgotten turn.

    Candidates that they replaced wait again. A candidate that a reviewer accepted stays, because the reviewer wanted
    it to be remembered. If the project's setting accepted a candidate, its memory is forgotten."""
    rows, statements = project.rows(CANDIDATES), project.rows(STATEMENTS)
    purge_at = project.now() + KEPT_FORGOTTEN_MS
    withdrawn = [one for one in candidates if one.auto or one.status in ("pending", "rejected", "superseded")]
    recorded = statements.get_many([(_key_of(one),) for one in withdrawn])
    changes: list[Change] = []
    for one, statement in zip(withdrawn, recorded, strict=True):
        changes += undo_acceptance(project, one) if one.auto else ()
        changes.append(replace(rows, altered(one, status="withdrawn", was=one.status, purge_at=purge_at)))
        if one.status != "rejected" and statement is not None and statement.candidate == one.id:
            changes.append(statements.delete(_key_of(one)))
    reopening = reopen_replaced(project, withdrawn)
    changes += [replace(rows, one) for one in reopening.candidates]
    return [*changes, *update_count(project, reopening.waiting, candidates)]


def _bring_back(project: MemoryProject, candidates: Sequence[Candidate]) -> list[Change]:
    """Return the changes that bring withdrawn candidates back.

    A candidate that another turn proposed meanwhile stays withdrawn. A candidate whose successor still holds stays
    replaced."""
    rows, statements = project.rows(CANDIDATES), project.rows(STATEMENTS)
    recorded = statements.get_many([(_key_of(one),) for one in candidates])
    valid = valid_successors(project, candidates)
    changes: list[Change] = []
    back: list[Candidate] = []
    for one, statement in zip(candidates, recorded, strict=True):
        if statement is None or statement.candidate == one.id:
            changes += redo_acceptance(project, one) if one.auto else ()
            back.append(_before_withdrawal(one, is_replaced=one.superseded_by in valid))
            if statement is None:
                changes.append(statements.insert(_statement(one)))
    turns = project.rows(TURNS).by_id({one.turn for one in back})
    replies = {one.id: reply_text(project, one) for one in turns.values()}
    replacements = with_replacements(project, back, replies)
    changes += [replace(rows, one) for one in (*replacements.own, *replacements.others)]
    return [*changes, *update_count(project, replacements.own, replacements.closed)]


def _before_withdrawal(one: Candidate, *, is_replaced: bool) -> Candidate:
    """Return a candidate as it was before its turn was forgotten, but without a list of candidates that it replaced.

    The caller determines those again."""
    status = one.was or "pending"
    back = altered(one, status=status, was=None, purge_at=None, supersedes=())
    return altered(back, status="pending", superseded_by=None) if status == "superseded" and not is_replaced else back


def _statement(candidate: Candidate) -> Statement:
    return Statement(digest=_key_of(candidate), candidate=candidate.id)


def _key_of(candidate: Candidate) -> str:
    return key_of(candidate.statement, candidate.content, candidate.answer)


def _version_check(project: MemoryProject, turn: Turn) -> Change:
    return Check(project.rows(TURNS).key(turn.id), Equals("version", turn.version))


REACTIONS = (
    Reaction("memory.propose_candidates", frozenset([TURN_RECORDED]), propose, repeatable=True),
    Reaction("memory.follow_candidates", frozenset([MEMORY_FORGOTTEN, MEMORY_RESTORED]), follow_turn),
)
