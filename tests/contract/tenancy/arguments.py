"""Arguments for any tool, made from its input schema: a new tool is called without anybody naming it.

Texts come from the schema's own examples and from a stock of words; where a text has a form of its own, the schema says
so by an example.
"""

import copy
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, cast

Json = dict[str, Any]
Path = tuple[str | int, ...]


class Stock:
    """Values to choose from: those of earlier answers by their names there, and words of the tenant's own."""

    def __init__(self, words: Sequence[str], own: Mapping[str, str] | None = None) -> None:
        """`own` are values that the caller knows from the beginning, by the names of arguments."""
        self._words = list(words)
        self._own = dict(own or {})
        self._texts: dict[str, list[str]] = {}
        self._same: dict[str, list[list[str]]] = {}
        self._alike: dict[str, list[list[str]]] = {}
        self._anything: list[str] | None = None
        self._numbers: list[int] = []

    def learn(self, value: Any, name: str = "", noun: str = "") -> None:
        """Add the values of a tool's answer.

        `noun` names its subject, so that its `id` also serves as the `card_id` of other tools.
        """
        match value:
            case str():
                self._learn_text(value, name)
            case int() if not isinstance(value, bool):
                self._numbers.append(value)
            case dict():
                for member, child in cast(Json, value).items():
                    self.learn(child, member, _singular(member) if isinstance(child, list) else noun)
                    if member == "id" and noun:
                        self.learn(child, f"{noun}_id")
            case list():
                for child in cast(list[Any], value):
                    self.learn(child, name, noun)
            case _:
                return

    def _learn_text(self, text: str, name: str) -> None:
        if name not in self._texts:
            self._texts[name] = []
            self._same.clear()
            self._alike.clear()
        if text not in self._texts[name]:
            self._texts[name].append(text)
            self._anything = None

    def texts(self, name: str, random: Random) -> list[str]:
        """Return candidates for an argument, mostly values that answers call alike (`id` for `note_id`), else any
        value.

        An argument that names a person gets the tenant's own names half of the time, because other people never answer
        work that is handed to them.
        """
        if name in self._own and random.random() < 0.5:
            return [self._own[name]]
        if name not in self._same:
            self._same[name] = [texts for known, texts in self._texts.items() if _plain(known) == _plain(name)]
            self._alike[name] = [texts for known, texts in self._texts.items() if _alike(known, name)]
        same = [text for texts in self._same[name] for text in texts[-4:]]
        alike = [text for texts in self._alike[name] for text in texts[-4:]]
        choice = random.random()
        if same and choice < 0.5:
            return same
        if alike and choice < 0.8:
            return alike
        if self._anything is None:
            self._anything = self._words + [text for texts in self._texts.values() for text in texts[-2:]]
        return self._anything

    def numbers(self) -> list[int]:
        return self._numbers[-3:]


def _singular(noun: str) -> str:
    return f"{noun.removesuffix('ies')}y" if noun.endswith("ies") else noun.removesuffix("s")


def texts_by_argument(names: Iterable[str], answer: Json) -> Json:
    """Texts of one answer by the names of arguments: the `id` of a member `gate` is known as `gateId` and `gate`."""
    told: Json = {}

    def look(value: Json) -> None:
        for member, child in value.items():
            if isinstance(child, str):
                told.setdefault(_plain(member), child)
            elif isinstance(child, dict):
                inside = cast(Json, child)
                if isinstance(own := inside.get("id"), str):
                    told.setdefault(f"{_plain(member)}id", own)
                    told.setdefault(_plain(member), own)
                look(inside)

    look(answer)
    return {name: told[_plain(name)] for name in names if _plain(name) in told}


class ArgumentMaker:
    def __init__(self, random: Random, stock: Stock) -> None:
        self._random = random
        self._stock = stock

    def arguments(self, schema: Json) -> Json:
        """A set of arguments: the required ones, and none, one, some or all of the others: some exclude each other."""
        required, properties = schema.get("required", []), schema.get("properties", {})
        others = [name for name in properties if name not in required]
        chance = self._random.choice([0.0, 0.0, 0.5, 1.0, None])
        if chance is None:
            chosen = {self._random.choice(others)} if others else set[str]()
        else:
            chosen = {name for name in others if self._random.random() < chance}
        return {
            name: self._value(child, name) for name, child in properties.items() if name in required or name in chosen
        }

    def _value(self, schema: Json, name: str) -> Any:
        if "anyOf" in schema:
            return self._value(self._random.choice(schema["anyOf"]), name)
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        # Example first, or a mistake in a form would hide a tool; other values still, or ids would never be tried.
        if schema.get("examples") and self._random.random() < 0.6:
            return copy.deepcopy(self._random.choice(schema["examples"]))
        match schema.get("type"):
            case "string":
                return self._text(schema, name)
            case "integer" | "number":
                return self._number(schema)
            case "boolean":
                return self._random.choice([True, False])
            case "array":
                length = max(schema.get("minItems", 0), self._random.choice([1, 1, 2]))
                return [self._value(schema.get("items", {"type": "string"}), name) for _ in range(length)]
            case "object":
                return self.arguments(schema)
            case _:
                return self._text({}, name)

    def _text(self, schema: Json, name: str) -> str:
        shortest, longest = schema.get("minLength", 0), schema.get("maxLength", sys.maxsize)
        texts = [text for text in self._stock.texts(name, self._random) if shortest <= len(text) <= longest]
        form = schema.get("pattern")
        fitting = [text for text in texts if _has_form(form, text)] if form else texts
        return self._random.choice(fitting or ["x" * max(1, schema.get("minLength", 1))])

    def _number(self, schema: Json) -> int:
        low = int(schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1))
        high = int(schema.get("maximum", low + 100))
        found = [number for number in self._stock.numbers() if low <= number <= high]
        return self._random.choice([low, min(low + 1, high), schema.get("default", low), *found])


def places(schema: Json, kinds: Sequence[str]) -> Iterator[tuple[Path, Json]]:
    """Return the places of a schema's arguments that may hold a value of `kinds`, also inside objects and lists."""
    for name, child in schema.get("properties", {}).items():
        yield from _places(child, kinds, (name,))


def _places(schema: Json, kinds: Sequence[str], path: Path) -> Iterator[tuple[Path, Json]]:
    for branch in schema.get("anyOf", []):
        yield from _places(branch, kinds, path)
    if schema.get("type") in kinds and "enum" not in schema:
        yield path, schema
    if isinstance(schema.get("items"), dict):
        yield from _places(schema["items"], kinds, (*path, 0))
    for name, child in schema.get("properties", {}).items():
        yield from _places(child, kinds, (*path, name))


def put(arguments: Json, path: Path, value: Any) -> Json:
    """The arguments with `value` at `path`, made as deep as that takes."""
    result = copy.deepcopy(arguments)
    holder: Any = result
    for step, following in pairwise(path):
        fresh: Any = [None] if following == 0 else {}
        if isinstance(step, int):
            holder[step] = holder[step] if isinstance(holder[step], type(fresh)) else fresh
        elif not isinstance(holder.get(step), type(fresh)) or holder[step] == []:
            holder[step] = fresh
        holder = holder[step]
    holder[path[-1]] = value
    return result


@cache
def _alike(known: str, name: str) -> bool:
    one, other = _plain(known), _plain(name)
    return bool(one) and (one.endswith(other) or other.endswith(one))


@cache
def _plain(name: str) -> str:
    return name.replace("_", "").lower()


@cache
def _has_form(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None
