"""Why no fact was found, and which call to make next."""

from msgspec import Struct

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.names import name_key
from almanac.families.knowledge.core.records import FACTS, PREDICATES, SUBJECTS
from almanac.families.knowledge.facts.names_alike import predicates_alike, subjects_alike
from almanac.families.knowledge.finding.asked import Asked, Found
from almanac.families.knowledge.finding.asking import named


class Emptiness(Struct, frozen=True):
    """`names_alike`: subjects, or predicates where the subject is known, that may have been meant."""

    text: str
    names_alike: tuple[str, ...] = ()


def emptiness_of(
    knowledge: Knowledge, asked: Asked, found: Found, *, subject: str | None, predicate: str | None
) -> Emptiness:
    """`subject` and `predicate` as the caller named them."""
    if subject is not None and knowledge.rows(SUBJECTS).get(name_key(named(subject))) is None:
        return Emptiness("No fact is recorded about this subject.", subjects_alike(knowledge, named(subject)))
    if predicate is not None and knowledge.rows(PREDICATES).get(name_key(named(predicate))) is None:
        return Emptiness("No fact is recorded with this predicate.", predicates_alike(knowledge, named(predicate)))
    if found.following is not None:
        return Emptiness("None of what was read so far is such a fact. Go on with next_cursor.")
    if found.passed.not_then:
        when = "holds at that instant" if asked.point_in_time is not None else "holds now"
        return Emptiness(
            f"{found.passed.not_then} such facts are recorded, and none {when}. history=true with a subject, or "
            "active_only=false without point_in_time, shows them."
        )
    if found.passed.unknown:
        return Emptiness(f"{found.passed.unknown} such facts are recorded, and all were learned after known_at.")
    if not knowledge.rows(FACTS).query(limit=1).records:
        return Emptiness("No facts are recorded yet. record_fact records one.")
    return Emptiness(found.empty or "There are facts, but none with these parts together: leave one out.")
