"""Keys during one call: read by the settings of the project, compared within the allowance of one call."""

from almanac.families.team.claims.key_syntax import ClaimKey, given_key, read_key
from almanac.families.team.claims.paths import PathRules
from almanac.families.team.globs.overlap import STEPS_OF_A_PAIR, Allowance
from almanac.kernel.errors import InvalidInput, LimitExceeded

STEPS_OF_A_CALL = 2 * STEPS_OF_A_PAIR
STEPS_FOR_EACH = 300
"""Added for each comparison: a call that compares with many keys has read as many."""
STEPS_FOR_ENDS = 1000
"""The same where one of the two is an absolute path."""
MAX_FOLDERS = 40
"""As many as one write can mark as occupied."""


class Keys:
    """`epoch` is that of the settings by which keys are read. All comparisons together cost at most what two hostile
    globs cost, and a little for each key; results are cached."""

    def __init__(self, rules: PathRules | None = None, epoch: int = 0) -> None:
        self.rules = rules or PathRules()
        self.epoch = epoch
        self._left = STEPS_OF_A_CALL
        self._cache: dict[tuple[str, str], bool] = {}

    def given(self, text: str) -> ClaimKey:
        """The key that a caller gave. Raises InvalidInput for one that cannot be read."""
        key = given_key(text, self.rules)
        if len(key.above) > MAX_FOLDERS:
            raise InvalidInput(
                f"The path is {len(key.above)} folders deep, over {MAX_FOLDERS}.",
                "Claim one of those folders.",
                path="key",
            )
        return key

    def read(self, text: str) -> ClaimKey:
        """A key that is stored."""
        return read_key(text, self.rules)

    def overlap(self, one: ClaimKey, other: ClaimKey) -> bool:
        """Return whether two keys overlap; a pair that is too hard to decide counts as overlapping.

        Raises LimitExceeded where this call has compared too much.
        """
        if one.id == other.id:
            return True
        pair = (one.id, other.id)
        if pair not in self._cache:
            self._cache[pair] = self._compared(one, other)
        return self._cache[pair]

    def _compared(self, one: ClaimKey, other: ClaimKey) -> bool:
        # Each end of an absolute path is compared.
        self._left += STEPS_FOR_EACH if one.is_absolute == other.is_absolute else STEPS_FOR_ENDS
        given = min(STEPS_OF_A_PAIR, max(0, self._left))
        allowance = Allowance(given)
        overlaps = one.overlaps(other, allowance)
        self._left -= given - max(0, allowance.left)
        if self._left <= 0:
            raise LimitExceeded(
                f'"{one.text[:80]}" and "{other.text[:80]}" take too long to compare with the current claims.',
                "Claim a single path or a folder, or a glob with fewer wildcards and braces.",
                untrusted=True,
            )
        return overlaps
