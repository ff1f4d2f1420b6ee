"""Lists of a view as JSON text per revision, computed once and without the fields that a revision does not define."""

import json
from collections.abc import Callable
from typing import Any

from almanac.protocol.family import Prompt, Resource, ResourceTemplate
from almanac.protocol.message.revisions import ANNOTATIONS_SINCE, META_SINCE, STRUCTURED_SINCE, TITLES_SINCE
from almanac.protocol.message.rpc import Json
from almanac.protocol.tool import ToolListing
from almanac.protocol.toolset import View
from almanac.protocol.views import ChatView, declares_views
from almanac.protocol.wire.era import CAPABILITIES_KEY
from almanac.protocol.wire.exchange import Exchange
from almanac.protocol.wire.skills import TEMPLATE


def fields(view: View, method: str, revision: str, *, draws: bool = False) -> str:
    """Return the result of a list method without its envelope, such as `"tools":[…]`. `method` must be in `METHODS`.

    `draws`: the client draws chat views.
    """
    draws = draws and bool(view.chat_views)
    text = view.list_texts.get((method, revision, draws))
    if text is None:
        name, entries = METHODS[method]
        text = f'"{name}":[{",".join(entries(view, revision, draws))}]'
        view.list_texts[method, revision, draws] = text
    return text


def draws_views(exchange: Exchange) -> bool:
    """Return whether lists name chat views.

    A stateless request declares whether its client draws them. The server does not store what a client declares in a
    handshake, so it names them to every such client of a recent enough revision, and clients may ignore them.
    """
    if not exchange.stateless:
        return exchange.revision >= META_SINCE
    return declares_views(exchange.params["_meta"][CAPABILITIES_KEY])


def _tools(view: View, revision: str, draws: bool) -> list[str]:
    drawn_by = view.chat_view_by_tool if draws else {}
    return [
        _tool(tool.listing, view.listed_name(tool), revision, drawn_by.get(tool.name), outputs=view.outputs)
        for tool in view.tools
    ]


def _tool(listed: ToolListing, name: str, revision: str, drawn_by: ChatView | None, *, outputs: bool) -> str:
    out = f'"name":{_text(name)},"description":{listed.description},"inputSchema":{listed.input}'
    if revision >= TITLES_SINCE:
        out += f',"title":{listed.title}'
    if outputs and revision >= STRUCTURED_SINCE and listed.output is not None:
        out += f',"outputSchema":{listed.output}'
    if revision >= ANNOTATIONS_SINCE:
        out += f',"annotations":{listed.annotations}'
    if drawn_by is not None:
        # Older hosts read the flat key.
        meta = {"ui": {"resourceUri": drawn_by.uri, "visibility": ["model", "app"]}, "ui/resourceUri": drawn_by.uri}
        out += f',"_meta":{_text(meta)}'
    return f"{{{out}}}"


def _resources(view: View, revision: str, draws: bool) -> list[str]:
    pages = (*view.resources, *(view.chat_views if draws else ()))
    return [_text({"uri": page.uri} | _page(page, revision)) for page in pages]


def _templates(view: View, revision: str, _draws: bool) -> list[str]:
    templates = [
        _text({"uriTemplate": resource_template.uri_template} | _page(resource_template, revision))
        for resource_template in view.resource_templates
    ]
    return templates if view.skills is None else [*templates, _text(TEMPLATE)]


def _page(page: Resource | ResourceTemplate | ChatView, revision: str) -> Json:
    return _base_fields(page, revision) | {"mimeType": page.mime_type}


def _prompts(view: View, revision: str, _draws: bool) -> list[str]:
    return [_prompt(prompt, revision) for prompt in view.prompts]


def _prompt(prompt: Prompt, revision: str) -> str:
    arguments = [{"name": a.name, "description": a.description, "required": a.required} for a in prompt.arguments]
    return _text(_base_fields(prompt, revision) | ({"arguments": arguments} if arguments else {}))


def _base_fields(one: Resource | ResourceTemplate | ChatView | Prompt, revision: str) -> Json:
    out: Json = {"name": one.name, "description": one.description}
    if revision >= TITLES_SINCE:
        out["title"] = one.title
    return out


def _text(value: Any) -> str:
    # ASCII only, like `ToolListing`.
    return json.dumps(value, separators=(",", ":"))


METHODS: dict[str, tuple[str, Callable[[View, str, bool], list[str]]]] = {
    "tools/list": ("tools", _tools),
    "resources/list": ("resources", _resources),
    "resources/templates/list": ("resourceTemplates", _templates),
    "prompts/list": ("prompts", _prompts),
}
"""Method -> the field of its result, and the function that returns the entries."""
