"""A parser for claim keys during one call. It applies the project's settings and bounds the cost of comparisons."""

from almanac.families.team.claims.key_syntax import ClaimKey, parse_given_key, parse_key
from almanac.families.team.claims.paths import PathRules
from almanac.families.team.globs.overlap import STEPS_OF_A_PAIR, Allowance
from almanac.kernel.errors import InvalidInput, LimitExceeded

STEPS_OF_A_CALL = 2 * STEPS_OF_A_PAIR
STEPS_FOR_EACH = 300
"""Steps added to the allowance for each comparison, because a call has already paid for reading the keys."""
STEPS_FOR_ENDS = 1000
"""Steps added instead if one of the two keys is an absolute path."""
MAX_FOLDERS = 40
"""The number of folders that one write can mark as occupied."""


class Keys:
    """Parses and compares keys under one state of the settings, identified by `epoch`.

    All comparisons of a call together may cost as much as one comparison of two hostile globs, plus a little for each
    key. Results are cached.
    """

    def __init__(self, rules: PathRules | None = None, epoch: int = 0) -> None:
        self.rules = rules or PathRules()
        self.epoch = epoch
        self._left = STEPS_OF_A_CALL
        self._cache: dict[tuple[str, str], bool] = {}

    def parse(self, text: str) -> ClaimKey:
        """Parse a key that a caller wrote. Raises InvalidInput for a key that cannot be parsed or is too deep."""
        key = parse_given_key(text, self.rules)
        if len(key.above) > MAX_FOLDERS:
            raise InvalidInput(
                f"The path is {len(key.above)} folders deep, over {MAX_FOLDERS}.",
                "Claim one of those folders.",
                path="key",
            )
        return key

    def read(self, text: str) -> ClaimKey:
        """Parse a key that is stored."""
        return parse_key(text, self.rules)

    def overlap(self, one: ClaimKey, other: ClaimKey) -> bool:
        """Return whether two keys overlap. A pair that is too hard to decide counts as overlapping.

        Raises LimitExceeded once the comparisons of this call exceed their allowance.
        """
        if one.id == other.id:
            return True
        pair = (one.id, other.id)
        if pair not in self._cache:
            self._cache[pair] = self._compare(one, other)
        return self._cache[pair]

    def _compare(self, one: ClaimKey, other: ClaimKey) -> bool:
        # Every suffix of an absolute path is compared.
        self._left += STEPS_FOR_EACH if one.is_absolute == other.is_absolute else STEPS_FOR_ENDS
        steps = min(STEPS_OF_A_PAIR, max(0, self._left))
        allowance = Allowance(steps)
        overlaps = one.overlaps(other, allowance)
        self._left -= steps - max(0, allowance.left)
        if self._left <= 0:
            raise LimitExceeded(
                f'"{one.text[:80]}" and "{other.text[:80]}" take too long to compare with the current claims.',
                "Claim a single path or a folder, or a glob with fewer wildcards and braces.",
                untrusted=True,
            )
        return overlaps
