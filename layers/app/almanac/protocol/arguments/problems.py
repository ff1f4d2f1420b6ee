"""Error messages for arguments that do not fit their schema, in words that a model can act on."""

import difflib
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

from almanac.kernel.errors import InvalidInput
from almanac.protocol.arguments.value_budget import BudgetSpent, ValueBudget

Json = dict[str, Any]
Problem = tuple[str, str]
"""(path, sentence)"""

_ECHO = 60
_PATH = 200
_PROBLEMS = 5
_COUNTED = 100
# The encoder yields a large value in pieces, so that `_echo` can stop early; `dumps` would write all of it.
_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
_KINDS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "string": ("a string", str),
    "integer": ("a whole number", int),
    "number": ("a number", (int, float)),
    "boolean": ("true or false", bool),
    "array": ("a list", list),
    "object": ("an object", dict),
    "null": ("null", type(None)),
}


def refusal(value: Any, schema: Json) -> InvalidInput:
    """Return an error that lists the parts of `value` that break `schema`: path, rule, value received, and an example.

    The cost is bounded for any input: the error describes five problems, counts at most a hundred, and examines at most
    ten thousand values.
    """
    problems: list[Problem] = []
    counted = 0
    try:
        for problem in _problems(value, schema, "", ValueBudget()):
            if counted < _PROBLEMS:
                problems.append(problem)
            counted += 1
            if counted > _COUNTED:
                break
    except BudgetSpent:
        counted = _COUNTED + 1
    if not problems and counted:
        return InvalidInput("The arguments have too many values to say which are wrong.", "Send fewer values per call.")
    if not problems:
        return InvalidInput("The arguments do not fit together.", "Compare them with the tool's input schema.")
    more = f"over {_COUNTED - _PROBLEMS}" if counted > _COUNTED else str(counted - _PROBLEMS)
    message = " ".join(text for _, text in problems)
    return InvalidInput(message + (f" And {more} more." if counted > _PROBLEMS else ""), path=problems[0][0][:_PATH])


def kinds_of(schema: Json) -> set[str]:
    """Return the JSON types that `schema` allows; empty if it allows any."""
    if "anyOf" in schema:
        return {kind for branch in schema["anyOf"] for kind in kinds_of(branch)}
    return {schema["type"]} if "type" in schema else set()


def is_kind(value: Any, kind: str) -> bool:
    """Return whether `value` has the JSON type `kind`. Booleans are not numbers; 3.0 counts as an integer."""
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _KINDS[kind][1]) or (kind == "integer" and isinstance(value, float) and value.is_integer())


def _problems(value: Any, schema: Json, path: str, budget: ValueBudget) -> Iterator[Problem]:
    budget.spend()
    if "anyOf" in schema:
        yield from _no_branch(value, schema, path, budget)
    elif (kind := schema.get("type")) is not None and not is_kind(value, kind):
        yield path, _wrong_kind(value, schema, path)
    elif "enum" in schema and value not in schema["enum"]:
        yield path, f"{_quote_path(path)} must be one of {_choices(schema)}, but {_echo(value)} was received."
    elif isinstance(value, dict):
        yield from _object_problems(cast("Json", value), schema, path, budget)
    elif isinstance(value, list):
        yield from _list_problems(cast("list[Any]", value), schema, path, budget)
    elif isinstance(value, str):
        yield from _text_problems(value, schema, path)
    else:
        yield from _number_problems(value, schema, path)


def _wrong_kind(value: Any, schema: Json, path: str) -> str:
    if "enum" in schema:
        return f"{_quote_path(path)} must be one of {_choices(schema)}, but {_echo(value)} was received."
    advice = _example(schema)
    if schema["type"] == "array" and isinstance(value, str) and schema.get("items", {}).get("type") == "string":
        advice = f" Example: [{_echo(value)}]."
    elif not advice and schema["type"] == "object" and schema.get("properties"):
        advice = f" Its fields are {', '.join(schema['properties'])}."
    return f"{_quote_path(path)} must be {_KINDS[schema['type']][0]}, but {_echo(value)} was received.{advice}"


def _no_branch(value: Any, schema: Json, path: str, budget: ValueBudget) -> list[Problem]:
    tried = [(branch, list(islice(_problems(value, branch, path, budget), _COUNTED + 1))) for branch in schema["anyOf"]]
    if not all(problems for _, problems in tried):
        return []
    # The branch with the matching type gives the most useful message about the contents.
    if fitting := [problems for branch, problems in tried if "type" in branch and is_kind(value, branch["type"])]:
        return min(fitting, key=len)
    kinds = " or ".join(_KINDS[kind][0] for kind in sorted(kinds_of(schema)))
    return [(path, f"{_quote_path(path)} must be {kinds}, but {_echo(value)} was received.{_example(schema)}")]


def _object_problems(value: Json, schema: Json, path: str, budget: ValueBudget) -> Iterator[Problem]:
    properties: Json = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            where = _join(path, name)
            yield where, f"{_quote_path(where)} is required: {_purpose(properties[name])}"
    yield from _size_problems(len(value), schema, path, ("minProperties", "maxProperties"), "entries")
    others: Any = schema.get("additionalProperties")
    for name, child in value.items():
        if name in properties:
            yield from _problems(child, properties[name], _join(path, name), budget)
        elif others is False:
            yield _join(path, name), _unknown(name, properties, path)
        elif isinstance(others, dict):
            yield from _problems(child, cast("Json", others), _join(path, name[:_ECHO]), budget)


def _list_problems(value: list[Any], schema: Json, path: str, budget: ValueBudget) -> Iterator[Problem]:
    wrong_size = list(_size_problems(len(value), schema, path, ("minItems", "maxItems"), "entries"))
    yield from wrong_size
    if wrong_size:
        return
    for index, child in enumerate(value):
        yield from _problems(child, schema.get("items", {}), f"{path}[{index}]", budget)


def _text_problems(value: str, schema: Json, path: str) -> Iterator[Problem]:
    wrong_size = list(_size_problems(len(value), schema, path, ("minLength", "maxLength"), "characters"))
    yield from wrong_size
    if not wrong_size and "pattern" in schema and not re.search(schema["pattern"], value):
        yield path, f"{_quote_path(path)} has the wrong form: {_purpose(schema)}"


def _number_problems(value: Any, schema: Json, path: str) -> Iterator[Problem]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"at most {high}" if low is None else f"from {low} to {high}"
        yield path, f"{_quote_path(path)} must be {bounds}, but {_echo(value)} was received."


def _size_problems(size: int, schema: Json, path: str, bounds: tuple[str, str], unit: str) -> Iterator[Problem]:
    low, high = schema.get(bounds[0], 0), schema.get(bounds[1])
    if size < low == 1:
        yield path, f"{_quote_path(path)} must not be empty.{_example(schema)}"
    elif size < low:
        yield path, f"{_quote_path(path)} must have at least {low} {unit}, but has {size}.{_example(schema)}"
    elif high is not None and size > high:
        yield path, f"{_quote_path(path)} may have at most {high} {unit}, but has {size}."


def _unknown(name: str, properties: Json, path: str) -> str:
    name = name if len(name) <= _ECHO else name[:_ECHO] + "…"
    near = difflib.get_close_matches(name, properties, n=1)
    guess = f' Did you mean "{near[0]}"?' if near else ""
    taken = ", ".join(properties) or "no arguments"
    return f'Unknown argument "{_join(path, name)}".{guess} Known arguments: {taken}.'


def _quote_path(path: str) -> str:
    return f'"{path}"' if path else "The value"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _echo(value: Any) -> str:
    text = ""
    for piece in _ENCODER.iterencode(value[:_ECHO] if isinstance(value, str) else value):
        text += piece[: _ECHO + 1]
        if len(text) > _ECHO:
            break
    is_cut = len(text) > _ECHO or (isinstance(value, str) and len(value) > _ECHO)
    return text[:_ECHO] + "…" if is_cut else text


def _example(schema: Json) -> str:
    examples = schema.get("examples")
    return f" Example: {json.dumps(examples[0], ensure_ascii=False)}." if examples else ""


def _purpose(schema: Json) -> str:
    described: str = schema.get("description") or _KINDS[schema.get("type", "object")][0]
    choices = f" One of {_choices(schema)}." if "enum" in schema else ""
    return f"{described.rstrip('.')}.{choices}{_example(schema)}"


def _choices(schema: Json) -> str:
    return ", ".join(json.dumps(choice) for choice in schema["enum"])
