"""JSON Schemas of tools, reduced to what every MCP client accepts.

Clients differ: some refuse a root combinator, a `$ref`, an array of types, or a property without a type. So references
are inlined, a null that only means "not given" is dropped, enumerations carry their type, and a result that is one of
several structures becomes one object with the properties of all. A client keeps the schema of a
result, so it has no defaults, and spells out a repeated structure only at its first use.
"""

from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

Json = dict[str, Any]

_TYPES: dict[type[object], str] = {bool: "boolean", int: "integer", str: "string"}
_UNLISTED = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "pattern"})
_LARGE = 100_000
"""Lists leave out upper bounds from here on. If callers could reach such a bound, the property's text states it."""


def of_arguments(arguments: type[msgspec.Struct]) -> Json:
    """Return the input schema of an arguments structure: a closed root object."""
    root = _portable(arguments, keep_null=False)
    root.setdefault("properties", {})
    root["additionalProperties"] = False
    return root


def of_result(result: Any) -> Json:
    """Return the output schema of a structure, or of a union of structures: a root object."""
    members = get_args(result) if get_origin(result) in (Union, UnionType) else (result,)
    variants = [variant for variant in members if variant is not type(None)]
    schemas = [_portable(variant, keep_null=True) for variant in variants]
    return schemas[0] if len(schemas) == 1 else _merge(schemas)


def as_listed(schema: Json) -> Json:
    """Return the input schema as lists of tools show it, without facts that cost every model tokens in each session.

    Left out are: that no other arguments are allowed; examples of texts, numbers and lists of them; sizes and patterns
    of texts; sizes of lists and objects; lower bounds of integers, and of 0; large upper bounds; empty defaults; and
    the description of the entries of a list that has a description. The server still checks them all, and its error
    states the bound or quotes the example.
    """
    out = {key: value for key, value in schema.items() if not _is_unlisted(key, value, schema)}
    if isinstance(out.get("properties"), dict):
        out["properties"] = {name: as_listed(child) for name, child in out["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), dict):
            out[key] = as_listed(out[key])
    if "description" in out and "properties" in out.get("items", {}):
        out["items"].pop("description", None)
    if "anyOf" in out:
        out["anyOf"] = [as_listed(branch) for branch in out["anyOf"]]
    return out


def _is_unlisted(key: str, value: Any, schema: Json) -> bool:
    kind = schema.get("type")
    match key:
        case "additionalProperties":
            return value is False
        case "examples":
            items = schema.get("items", {}).get("type") if kind == "array" else kind
            return items not in ("array", "object", None)
        case "minimum":
            return kind == "integer" or value == 0
        case "maximum":
            return kind in ("integer", "number") and value >= _LARGE
        case "default":
            return value in ("", [], {}, 0)
        case _:
            return key in _UNLISTED


def _portable(type_: Any, *, keep_null: bool) -> Json:
    (root,), components = msgspec.json.schema_components([type_])
    portable = (_Result if keep_null else _Portable)(components, keep_null).node(root)
    if portable.get("type") != "object":
        raise TypeError(f"{type_!r} must be described by a root object")
    return portable


class _Portable:
    def __init__(self, components: dict[str, Json], keep_null: bool) -> None:
        self.components = components
        self.keep_null = keep_null

    def node(self, schema: Json) -> Json:
        if "$ref" in schema:
            target = self.components[schema["$ref"].rsplit("/", 1)[-1]]
            return self.node({**target, **{key: value for key, value in schema.items() if key != "$ref"}})
        out = {key: value for key, value in schema.items() if key not in ("title", "discriminator")}
        if not self.keep_null:
            out = _without_null(out)
            if "$ref" in out:
                return self.node(out)
        if "enum" in out and "type" not in out and (kind := _type_of(out["enum"])) is not None:
            out["type"] = kind
        if not out.get("required", True):
            del out["required"]
        return self._children(out)

    def _children(self, out: Json) -> Json:
        if isinstance(out.get("properties"), dict):
            out["properties"] = {name: self._child(name, child) for name, child in out["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(out.get(key), dict):
                out[key] = self.node(out[key])
        if "anyOf" in out:
            out["anyOf"] = [self.node(branch) for branch in out["anyOf"]]
        return out

    def _child(self, _name: str, schema: Json) -> Json:
        return self.node(schema)


class _Result(_Portable):
    """Simplified schema of a result: without defaults, and with each structure spelled out only once."""

    def __init__(self, components: dict[str, Json], keep_null: bool) -> None:
        super().__init__(components, keep_null)
        self._first: dict[str, str] = {}
        self._property = ""

    def node(self, schema: Json) -> Json:
        reference = schema.get("$ref")
        if reference in self._first and self.components[reference.rsplit("/", 1)[-1]].get("type") == "object":
            return {"type": "object", "description": f"As in {self._first[reference]}."}
        if reference is not None:
            self._first[reference] = self._property
        out = super().node(schema)
        out.pop("default", None)
        if "description" in out:
            out["description"] = " ".join(out["description"].split())
        return out

    def _child(self, name: str, schema: Json) -> Json:
        self._property = name
        return super()._child(name, schema)


def _without_null(schema: Json) -> Json:
    """Drop a null default and its branch: for a client it means the same as leaving the argument out."""
    out = dict(schema)
    if out.get("default", ...) is not None:
        return out
    del out["default"]
    branches = [branch for branch in out.get("anyOf", []) if branch.get("type") != "null"]
    if len(branches) == 1:
        del out["anyOf"]
        out = {**branches[0], **out}
    elif branches:
        out["anyOf"] = branches
    if isinstance(out.get("enum"), list):
        out["enum"] = [value for value in out["enum"] if value is not None]
    return out


def _type_of(values: list[Any]) -> str | None:
    """Return the JSON type that all values share; None if they differ, as in results that may be null.

    A client that validates results would refuse each value of another type.
    """
    kinds: set[type[object]] = {type(value) for value in values}
    return _TYPES.get(kinds.pop()) if len(kinds) == 1 else None


def _merge(schemas: list[Json]) -> Json:
    """Return one object schema for a result that is one of several: all properties, required if all schemas require
    them."""
    properties: Json = {}
    for name in dict.fromkeys(name for schema in schemas for name in schema["properties"]):
        kinds: list[Json] = []
        for schema in schemas:
            if name in schema["properties"] and schema["properties"][name] not in kinds:
                kinds.append(schema["properties"][name])
        properties[name] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    required = [name for name in properties if all(name in schema.get("required", []) for schema in schemas)]
    merged: Json = {"type": "object", "properties": properties}
    return {**merged, "required": required} if required else merged
