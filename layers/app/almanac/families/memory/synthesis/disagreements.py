"""Find passages that disagree: by two values of one thing, by yes and no, or because the later corrects the earlier.

Pairs are reported sparingly, because each reported pair makes a reader doubt both passages. A statement of people about
themselves is compared only with other statements of the same author, and two events are no disagreement.
"""

from collections.abc import Container, Iterator, Sequence
from itertools import combinations, islice

from msgspec import Struct

from almanac.families.memory.statements.claims import Claim, claim_of
from almanac.families.memory.statements.sentences import every_sentence
from almanac.families.memory.synthesis.passages import Passage, quotable

MAX_PAIRS = 5
_MOST_CLAIMS = 200
_PER_PASSAGE = 20
_SAME_VALUE_OF = 0.5
_SAME_CLAIM = 0.7


class PassageClaim(Struct, frozen=True):
    passage: Passage
    text: str
    claim: Claim


class Disagreement(Struct, frozen=True):
    """Two claims that disagree, and the point on which they differ."""

    earlier: PassageClaim
    later: PassageClaim
    about: str


def find_disagreements(passages: Sequence[Passage], ids: Container[str]) -> list[Disagreement]:
    """Return at most five disagreements, in the order of the passages, best first.

    Each pair of passages appears once. At least one passage of a pair has its id in `ids`."""
    pairs: dict[frozenset[str], Disagreement] = {}
    for one, other in combinations(islice(_claims(passages), _MOST_CLAIMS), 2):
        pair = frozenset((one.passage.id, other.passage.id))
        if len(pair) < 2 or pair in pairs or not any(each in ids for each in pair):
            continue
        if about := _difference(*_in_order(one, other)):
            pairs[pair] = Disagreement(*_in_order(one, other), about)
        if len(pairs) == MAX_PAIRS:
            break
    return list(pairs.values())


def _claims(passages: Sequence[Passage]) -> Iterator[PassageClaim]:
    for passage in passages:
        for text in islice(every_sentence(passage.text), _PER_PASSAGE):
            claim = claim_of(text)
            if claim is not None:
                yield PassageClaim(passage, text, claim)


def _in_order(one: PassageClaim, other: PassageClaim) -> tuple[PassageClaim, PassageClaim]:
    def when(each: PassageClaim) -> tuple[int, int, str]:
        return (each.passage.at, each.passage.position, each.passage.id)

    return (one, other) if when(one) <= when(other) else (other, one)


def _difference(earlier: PassageClaim, later: PassageClaim) -> str:
    """Return how two claims differ; "" if they do not."""
    one, other = earlier.claim, later.claim
    if (one.own or other.own) and earlier.passage.author != later.passage.author and not other.corrects:
        return ""
    differing = [kind for kind in one.values if kind in other.values and _differ(one.values[kind], other.values[kind])]
    if other.corrects and _takes_back(earlier, later, bool(differing)):
        return "the later one corrects the earlier one"
    if not (one.holds or other.changed) or not other.holds:
        return ""
    alike = _alike(one.about, other.about)
    if differing and not one.negated and not other.negated and alike >= _SAME_VALUE_OF:
        kind = differing[0]
        return f'{quotable(kind)}: "{quotable(one.values[kind])}" or "{quotable(other.values[kind])}"'
    opposite = one.negated != other.negated and len(one.about & other.about) >= 2 and alike >= _SAME_CLAIM
    if opposite and one.values == other.values:
        return "the one says that it is so, the other that it is not"
    return ""


def _takes_back(earlier: PassageClaim, later: PassageClaim, differs: bool) -> bool:
    """Return whether the later claim takes back the earlier one.

    Within two turns of one session, a different value or one shared topic word is enough. Elsewhere the claims must
    share two topic words."""
    near = 0 < later.passage.position - earlier.passage.position <= 2
    if not later.passage.session or later.passage.session != earlier.passage.session or not near:
        return len(earlier.claim.about & later.claim.about) >= 2
    return differs or bool(earlier.claim.about & later.claim.about)


def _differ(one: str, other: str) -> bool:
    """Return whether neither value contains the other, unlike "30" and "30 seconds", or "May 3" and "May 3 2026"."""
    return one.casefold() not in other.casefold() and other.casefold() not in one.casefold()


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    together = len(one | other)
    return len(one & other) / together if together else 0.0
