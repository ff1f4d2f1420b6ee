"""Write or check the files that are derived from the code: the pages of tools and data, schema snapshots, samples of
events, the plugin for coding agents, and the entry in registries.

python -m tools.documents.main [--check] ROOT
"""

import argparse
import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import almanac
from almanac.composition.families import declaration, families_for_docs
from almanac.gateway.http import server_card
from almanac.gateway.http.facts import HUB
from almanac.protocol.family import Family
from almanac.protocol.tool import Tool
from tools.documents import data_model, event_samples, plugin
from tools.documents.event_pages import events_section
from tools.documents.examples import example_lines

Json = dict[str, Any]
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NAMESPACE = "io.github.almanac"
"""Namespace of the publisher. A registry requires proof that the publisher owns it."""


def documents() -> Iterator[tuple[str, str]]:
    """Yield the path below the repository and the text of every derived file."""
    yield "docs/data-model.md", data_model.document()
    yield from event_samples.samples()
    yield from plugin.files()
    yield "server.json", json.dumps(registry_entry(), indent=2, ensure_ascii=False) + "\n"
    for family in families_for_docs():
        kinds = declaration(family.name).rule_events()
        more = f"\n{events_section(kinds)}" if kinds else ""
        yield f"docs/tools/{family.name}.md", page(family) + more
        for tool in family.tools:
            yield f"tests/contract/schemas/{family.name}/{tool.name}.json", snapshot(tool)


def registry_entry() -> Json:
    """Return Almanac's entry in a registry of MCP servers. Each installation fills in the address of its own server."""
    host = {"description": "Host of your Almanac server.", "isRequired": True, "placeholder": "mcp.example.com"}
    return {
        "$schema": REGISTRY_SCHEMA,
        "name": f"{NAMESPACE}/{server_card.NAME}",
        "title": server_card.TITLE,
        "description": server_card.DESCRIPTION,
        "version": almanac.__version__,
        "remotes": [{**server_card.remote(f"https://{{host}}{HUB}"), "variables": {"host": host}}],
    }


def snapshot(tool: Tool) -> str:
    """Return, as JSON, the parts of a tool that clients see, so that a change of the contract shows in review."""
    seen = {
        "name": tool.name,
        "aliases": list(tool.aliases),
        "description": tool.description,
        "annotations": tool.annotations,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
    }
    return json.dumps(seen, indent=2, ensure_ascii=False) + "\n"


def page(family: Family) -> str:
    """Return the reference page of a family."""
    parts = [
        f"# {family.title}: {len(family.tools)} tools at `/mcp/{family.name}`\n",
        "Generated from the code by `make docs`; change it there.\n",
        f"## Instructions given to the model\n\n{_quote(family.instructions)}\n",
        *map(_tool_section, family.tools),
        *_offers(family),
    ]
    return "\n".join(parts)


def _tool_section(tool: Tool) -> str:
    hints = tool.annotations
    traits = [
        "reads only" if hints["readOnlyHint"] else "destructive" if hints["destructiveHint"] else "changes state",
        "safe to repeat" if hints["idempotentHint"] else "not safe to repeat",
        "reaches outside systems" if hints["openWorldHint"] else "reaches nothing outside",
    ]
    also = f" Also answers to {', '.join(f'`{alias}`' for alias in tool.aliases)}." if tool.aliases else ""
    lines = [f"## {tool.name}\n", f"*{tool.title}*: {', '.join(traits)}.{also}\n", f"{_wrap(tool.description)}\n"]
    lines += _table("argument", tool.input_schema)
    if tool.output_schema:
        lines += _table("result", tool.output_schema)
        if described := tool.output_schema.get("description"):
            lines.append(f"{described}\n")
    lines += example_lines(tool.name)
    return "\n".join(lines)


def _wrap(text: str) -> str:
    return "\n\n".join(textwrap.fill(paragraph, 116) for paragraph in text.split("\n\n"))


def _table(kind: str, schema: Json) -> list[str]:
    properties: Json = schema.get("properties", {})
    if not properties:
        return [f"No {kind}s.\n"]
    required = schema.get("required", [])
    lines = [f"| {kind} | type | |", "|---|---|---|"]
    for name, child in properties.items():
        remarks = [child.get("description", "")] if child.get("description") else []
        if kind == "argument":
            remarks.insert(0, "Required." if name in required else _default(child))
        lines.append(f"| `{name}` | {_kind(child)} | {' '.join(filter(None, remarks))} |")
    return [*lines, ""]


def _default(schema: Json) -> str:
    return f"Default `{json.dumps(schema['default'])}`." if "default" in schema else ""


def _kind(schema: Json) -> str:
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    bounds = [f"{schema[key]}" for key in ("minimum", "maximum") if key in schema]
    return schema.get("type", "any") + (f" {' to '.join(bounds)}" if len(bounds) == 2 else "")


def _offers(family: Family) -> Iterator[str]:
    if family.resources:
        yield "## Resources\n"
        yield "\n".join(f"- `{one.uri}`: {one.description}" for one in family.resources) + "\n"
    if family.prompts:
        yield "## Prompts\n"
        yield (
            "\n".join(
                f"- `{one.name}`({', '.join(argument.name for argument in one.arguments)}): {one.description}"
                for one in family.prompts
            )
            + "\n"
        )


def _quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.strip().splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description="Write or check the files derived from the tools.")
    parser.add_argument("root", type=Path)
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a file is not current")
    options = parser.parse_args()
    stale = [
        path for path, text in documents() if not (file := options.root / path).exists() or file.read_text() != text
    ]
    if options.check:
        for path in stale:
            sys.stderr.write(f"{path} is not what the code says: run make docs\n")
        return 1 if stale else 0
    for path, text in documents():
        file = options.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
