"""Aliases of subjects, as joined by same_as edges."""

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import SUBJECTS
from almanac.families.knowledge.graph.ends import SUBJECT, subject_id
from almanac.families.memory.edges.walk import MOST_OF_A_NODE, links_of

MAX_ALIASES = 50


def aliases_of(knowledge: Knowledge, subject: str) -> tuple[str, ...]:
    """Return the other names of a subject that same_as edges connect, directly or through others. At most 50, the
    nearest first."""
    start = subject_id(subject)
    seen, waiting = {start: None}, [start]
    while waiting and len(seen) <= MAX_ALIASES:
        node = waiting.pop(0)
        for link in links_of([knowledge.memory], node, ("same_as",), limit=MOST_OF_A_NODE).links:
            other = link.other(node)
            if other not in seen:
                seen[other] = None
                waiting.append(other)
    keys = [one.removeprefix(SUBJECT) for one in seen if one != start][:MAX_ALIASES]
    names = knowledge.rows(SUBJECTS).by_id(keys)
    return tuple(names[key].subject for key in keys if key in names)
