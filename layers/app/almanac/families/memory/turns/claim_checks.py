"""Check the claims that turns require. Each claim is read once per attempt and verified in the write."""

from typing import Any

from almanac.content import clean
from almanac.content.redaction import redact
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.turns.turn_input import Gate
from almanac.families.team.claims.requirement import CoveredKey, Requirement, UncoveredKey, require
from almanac.kernel.errors import Conflict, Forbidden, InvalidInput
from almanac.kernel.instants import iso
from almanac.kernel.owners import may_see
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Check

_NAME_CHARACTERS = 80


class ClaimChecks:
    """The claims read in one attempt. Write `checks` together with the turns that passed them."""

    def __init__(self, project: MemoryProject) -> None:
        self._project = project
        self._results: dict[Requirement, CoveredKey | UncoveredKey] = {}
        self._checks: dict[Key, Check] = {}

    @property
    def checks(self) -> list[Check]:
        return list(self._checks.values())

    def violation(self, gate: Gate | None) -> dict[str, Any] | None:
        """Return the violation to store with a turn whose claim is missing; None if the turn may pass.

        Raises Conflict if the turn must not be recorded without the claim, InvalidInput for a malformed key, and
        Forbidden if the caller's API key may not read claims.
        """
        if gate is None:
            return None
        if not may_see(self._project.families, "teamwork"):
            raise Forbidden(
                "requires_claim reads claims, which needs the family team; this API key lacks it.",
                "Leave requires_claim out, or use another key.",
            )
        result = self._find(gate.requirement)
        if isinstance(result, CoveredKey):
            self._checks[result.condition.key] = result.condition
            return None
        if gate.is_hard:
            raise _refusal(gate.requirement.key, result)
        payload = {"key": redact(gate.requirement.key).text, "reason": result.reason}
        return payload if result.claim is None else {**payload, "held_by": result.claim.holder}

    def _find(self, requirement: Requirement) -> CoveredKey | UncoveredKey:
        if requirement not in self._results:
            try:
                self._results[requirement] = require(self._project, requirement)
            except InvalidInput as unread:
                raise InvalidInput(unread.message, unread.hint, path="requires_claim", code=unread.code) from None
        return self._results[requirement]


def _refusal(key: str, result: UncoveredKey) -> Conflict:
    name = clean(key[:_NAME_CHARACTERS]).text
    if result.claim is None:
        message = f'Nobody holds "{name}", which this turn requires.'
        hint = 'Claim it with claim and repeat the call, or pass claim_policy "soft".'
    elif result.reason == "stale_token":
        message = f'The claim of "{name}" has another token: it was acquired again since.'
        hint = "Read what changed meanwhile, and pass the token of the present claim."
    else:
        holder = clean((result.claim.holder or "")[:_NAME_CHARACTERS]).text
        message = f'"{name}" is held by {holder} until {iso(result.claim.lapses_at)}.'
        hint = 'Wait until it is released, or pass claim_policy "soft".'
    return Conflict(message, hint, code="claim_required", untrusted=result.claim is not None)
