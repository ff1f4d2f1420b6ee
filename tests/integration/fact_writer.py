"""Records, ends, restores and corrects facts at random beside others, and says each change that was acknowledged.

python -m tests.integration.fact_writer TECHNOLOGY ADDRESS WRITER CHANGES SEED TENANT
"""

import os
import sys
from random import Random
from typing import Any

import msgspec

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.facts.fact_input import FactInput, new_fact
from almanac.families.knowledge.facts.invalidation import Invalidation, invalidate
from almanac.families.knowledge.facts.recorder import record
from almanac.families.knowledge.facts.sources import FactSources
from almanac.families.memory.core.memory import MemoryProject
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.errors import Conflict, LimitExceeded
from almanac.platform.project import patient_backoff
from tests.contract.backends import Place

SUBJECTS = 60
PREDICATES = ["lives_in", "likes", "leads", "costs"]
OBJECTS = ["a", "b", "c", "d", "e"]
INSTANTS = 40
Json = dict[str, Any]


def knowledge_over(place: Place, actor: str, scope: Scope, clock: Clock | None = None) -> Knowledge:
    clock = clock or SystemClock()
    store = place.open(clock)
    memory = MemoryProject(store, scope, actor, clock, os.urandom, patient_backoff())
    return Knowledge(store, scope, actor, clock, os.urandom, patient_backoff(), memory)


class Writer:
    """`known`: the facts that it recorded or said again, by id, as it last saw them."""

    def __init__(self, knowledge: Knowledge, seed: str) -> None:
        self._knowledge = knowledge
        self._near = 0
        self._chance = Random(seed)
        self._known: dict[str, Fact] = {}

    def change(self, progress: float) -> Json | None:
        """One change at random; None where it was refused, or there was nothing to change. With `progress`, 0 to 1, it
        goes from subject to subject, as the others do: they meet."""
        self._near = int(progress * SUBJECTS)
        kind = self._chance.choices(["record", "end", "undo", "correct", "state"], [60, 16, 8, 10, 6])[0]
        fact = self._chance.choice(list(self._known.values())[-25:]) if self._known else None
        try:
            if kind in ("end", "undo") and fact is not None:
                return self._end(fact, undo=kind == "undo")
            return self._record(fact if kind == "correct" else None, states=kind == "state")
        except (Conflict, LimitExceeded):
            return None

    def _end(self, fact: Fact, *, undo: bool) -> Json | None:
        at = None if undo else self._chance.randrange(-1, INSTANTS)
        done = invalidate(self._knowledge, fact.id, Invalidation(at=at, undo=undo))
        return None if done.already else self._report_of(done.fact, "end")

    def _record(self, wrong: Fact | None, *, states: bool) -> Json:
        chance = self._chance
        subject, predicate = (
            (wrong.subject, wrong.predicate)
            if wrong is not None
            else (f"subject {self._near + chance.randrange(2)}", chance.choice(PREDICATES))
        )
        start = chance.randrange(INSTANTS)
        given = FactInput(
            subject=subject,
            predicate=predicate,
            object=chance.choice(OBJECTS),
            valid_from=start,
            valid_to=chance.choice([None, None, start + chance.randrange(1, 12)]),
            cardinality=chance.choice(["one", "many"]) if states else None,
            change_cardinality=states,
            corrects=wrong.id if wrong else None,
        )
        made = record(self._knowledge, new_fact(self._knowledge, given), FactSources())
        told = self._report_of(made.fact, "said again" if made.deduped else "record")
        return {**told, "corrects": given.corrects, "cardinality": given.cardinality}

    def _report_of(self, fact: Fact, what: str) -> Json:
        self._known[fact.id] = fact
        return {"what": what, "actor": self._knowledge.actor, "fact": msgspec.to_builtins(fact)}


def main(technology: str, address: str, writer: str, changes: str, seed: str, tenant: str) -> None:
    writing = Writer(knowledge_over(Place(technology, address), writer, Scope(tenant, "main")), seed)
    for number in range(int(changes)):
        told = writing.change(number / int(changes))
        if told is not None:
            os.write(sys.stdout.fileno(), msgspec.json.encode(told) + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
