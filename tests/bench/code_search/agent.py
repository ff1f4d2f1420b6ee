"""How an agent goes about each kind of task with Almanac's tools: one call each, and one more where it is asked which.

For a setting it looks among settings, and where none of the first is it, as the expert would look on, in all code.

Uses that a tool tells as possible are part of its answer, as all lines that grep finds are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tests.bench.code_search.expert import Reading
from tests.bench.code_search.tasks import Place, Task
from tests.bench.code_search.units import Units

SETTINGS, ALL = 3, 5
"""Hits of a search for a setting, first among settings, then in all code."""
Tool = Callable[..., tuple[str, Any]]
"""A tool's answer: its text, as a model reads it, and the same as values."""


class Agent:
    """Of one repository in the index; `call` takes a tool's name and its arguments."""

    def __init__(self, call: Tool, repo_id: str, units: Units) -> None:
        self._call = call
        self._repo_id = repo_id
        self._units = units

    def definition(self, task: Task) -> Reading:
        text, answer = self._call("search_code", query=task.symbol, repo_id=self._repo_id, k=1)
        places = (self._units.around(hit["path"], hit["end_line"]) for hit in answer.get("hits", ()))
        return Reading(text, tuple(places))

    def callers(self, task: Task) -> Reading:
        return self._users(task, 1)

    def impact(self, task: Task) -> Reading:
        return self._users(task, 2)

    def setting(self, task: Task) -> Reading:
        texts, places = list[str](), dict[Place, None]()
        for asked in ({"kind": "settings", "k": SETTINGS}, {"k": ALL}):
            text, answer = self._call("search_code", query=task.question, repo_id=self._repo_id, **asked)
            texts.append(text)
            for hit in answer.get("hits", ()):
                places |= dict.fromkeys(self._shown_places(hit, task.answer))
            if set(places) & set(task.answer):
                break
        return Reading("\n".join(texts), tuple(places))

    def _users(self, task: Task, hops: int) -> Reading:
        asked = {"repo_id": self._repo_id, "direction": "in", "edge_kinds": ["calls"], "hops": hops}
        text, answer = self._call("traverse_code", symbol=task.symbol, **asked)
        meant = [each["name"] for each in answer.get("candidates", ()) if each["path"] == task.path]
        if meant:
            more, answer = self._call("traverse_code", symbol=meant[0], **asked)
            text = f"{text}\n{more}"
        uses = [*answer.get("edges", ()), *answer.get("possible_users", ())]
        places = (self._units.around(use["path"], use["line"]) for use in uses)
        return Reading(text, tuple(dict.fromkeys(places)))

    def _shown_places(self, hit: Mapping[str, Any], answer: Iterable[Place]) -> Sequence[Place]:
        """The lines of the answer that the snippet shows, else its own first."""
        numbers = {int(line.split()[0].rstrip(":|")) for line in hit["snippet"].splitlines() if line.split()}
        right = [place for place in answer if place.path == hit["path"] and place.line in numbers]
        return right or [Place(hit["path"], hit["start_line"])]
