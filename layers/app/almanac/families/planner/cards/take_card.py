"""Taking a card that can start: its claim and its move to the working column, in one write."""

from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec import Struct

from almanac.families.planner.cards.cards import CardInColumn, Cards
from almanac.families.planner.cards.gate_states import open_conditions
from almanac.families.planner.cards.ready import ReadyQuery, candidates, claim_key, working_column
from almanac.families.planner.core.planner import Planner
from almanac.families.team.claims.acquisition import plan_claim
from almanac.families.team.claims.expiry import release_record
from almanac.families.team.claims.requests import ClaimRequest, PlannedClaim
from almanac.families.team.claims.requirement import CoveredKey, Requirement, held_claims, require
from almanac.families.team.core.project import project_of
from almanac.families.team.core.records import CLAIMS, ClaimRecord
from almanac.kernel.errors import Conflict
from almanac.platform.store.contention import Retry
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

_MOST_DOUBLINGS = 5


class ClaimedCard(Struct, frozen=True):
    placed: CardInColumn
    claim: ClaimRecord


def take_card(planner: Planner, query: ReadyQuery, holder: str, ttl_ms: int) -> ClaimedCard | None:
    """Claim the best card that can start and move it. Return None if none can. Raises NotFound for an unknown board."""
    cards, outrun = Cards(planner), 0

    def attempt() -> ClaimedCard | None:
        nonlocal outrun
        # Try the best card first. After each conflict choose among twice as many, so that agents spread.
        several = 2 ** min(outrun, _MOST_DOUBLINGS)
        outrun += 1
        ready = list(islice(candidates(planner, query, only_ready=True).in_order, several))
        if not ready:
            return None
        chosen = ready[int.from_bytes(planner.random_bytes(2)) % len(ready)]
        column, key = working_column(chosen.board), claim_key(chosen.card.id)
        with open_conditions(planner, chosen.card, key, holder) as conditions:
            planned = plan_claim(planner.work(), ClaimRequest(key, holder, ttl_ms))
            if column is None or not isinstance(planned, PlannedClaim):
                raise Retry
            changes, placed = cards.start(chosen.card, chosen.board, column)
            planner.store.write(_together([*changes, *planned.changes], conditions))
        return ClaimedCard(placed, planned.claim)

    return planner.retry_on_conflict(attempt, "the board")


def _together(changes: Sequence[Change], conditions: Mapping[Key, Change]) -> list[Change]:
    """Return the changes with the conditions. Some may concern the same shard of claims; raises Retry if that shard has
    changed since."""
    if any(change.key in conditions and conditions[change.key] != change for change in changes):
        raise Retry
    own = {change.key for change in changes}
    return [*changes, *(one for key, one in conditions.items() if key not in own)]


def claim_changes(planner: Planner, card_id: str, token: int | None, *, ends: bool) -> list[Change]:
    """Return the condition that the caller's claim with this token is still held or, if it `ends`, the changes that
    release it. Raises Conflict if the claim has ended."""
    work, key = planner.work(), claim_key(card_id)
    found = require(work, Requirement(key, token=token))
    if not isinstance(found, CoveredKey):
        if token is None:
            return []
        raise Conflict(
            "Your claim of the card has ended, and somebody else may work on it.",
            "Read the card again; take it with kanban_take before you go on.",
            code="stale_claim",
        )
    if not ends or found.claim.key != key:
        return [found.condition] if token is not None else []
    freed, more = release_record(project_of(work), found.claim, work.now())
    return [replace(CLAIMS.within(work.store, work.scope), freed), *more]


def claim_of_another(planner: Planner, card_id: str) -> ClaimRecord | None:
    """Return the claim that another actor holds on work on the card, or None."""
    key = claim_key(card_id)
    claim = held_claims(planner.work(), [key]).get(key)
    return claim if claim is not None and claim.actor != planner.actor else None
