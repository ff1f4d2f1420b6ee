"""Methods of the extension io.modelcontextprotocol/skills, and its additions to the resource methods."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from almanac.kernel.errors import NotFound
from almanac.protocol.content import ResourceContents
from almanac.protocol.invoke import Host
from almanac.protocol.message.revisions import META_SINCE, STRUCTURED_SINCE
from almanac.protocol.message.rpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Json, RpcError, json_text
from almanac.protocol.progress import NoProgress
from almanac.protocol.skills import (
    MARKDOWN,
    SCHEME,
    SKILL_TEMPLATE,
    DamagedContent,
    SkillEntry,
    Skills,
)
from almanac.protocol.tool import Call
from almanac.protocol.wire import params
from almanac.protocol.wire.exchange import Exchange

T = TypeVar("T")

TEMPLATE: Json = {
    "uriTemplate": SKILL_TEMPLATE,
    "name": "skill-file",
    "description": "A file of a skill. Its instructions are in SKILL.md.",
}

_NO_PROGRESS = NoProgress()


class NoSuchSkillFile(Exception):
    """Raised when no skill of the view has a file at the address."""


def list_skills(exchange: Exchange, host: Host) -> str:
    """Return the fields of ListSkillsResult."""
    request = params.read(exchange.params, params.ListParams)
    page = _ask(exchange, host, lambda skills, call: skills.page(call, request.cursor))
    exchange.meta = dict(page.meta) or None
    return f'"skills":{json_text(page.entries)}{_next(page.cursor)}'


def get_skill(exchange: Exchange, host: Host) -> str:
    """Return the fields of GetSkillResult."""
    uri = params.read(exchange.params, params.ResourceAddress).uri
    entry = _ask(exchange, host, lambda skills, call: skills.entry(call, uri))
    return f'"skill":{json_text(entry)}'


def read_directory(exchange: Exchange, host: Host) -> str:
    """Return the fields of ReadResourceDirectoryResult. It is never paged: a skill has at most a few hundred files."""
    request = params.read(exchange.params, params.ResourceFolder)
    if request.cursor is not None:
        raise RpcError(INVALID_PARAMS, "Unknown cursor: folders are returned whole.")
    children = _ask(exchange, host, lambda skills, call: skills.children(call, request.uri))
    return f'"resources":{json_text(children)}'


def read_file(exchange: Exchange, host: Host, uri: str) -> ResourceContents:
    """Return the file of a skill at `uri`. NoSuchSkillFile if the view has none."""
    if not uri.startswith(SCHEME) or exchange.view.skills is None:
        raise NoSuchSkillFile
    try:
        read = _ask(exchange, host, lambda skills, call: skills.read(call, uri))
    except NotFound as missing:
        raise NoSuchSkillFile(str(missing)) from None
    return read if exchange.revision >= META_SINCE else msgspec.structs.replace(read, meta=msgspec.UNSET)


def list_resources(known: str, exchange: Exchange, host: Host, cursor: str | None) -> str:
    """Return the fields of resources/list: on the first page the resources in `known`, then the SKILL.md files of a
    page."""
    page = _ask(exchange, host, lambda skills, call: skills.page(call, cursor))
    exchange.ttl_ms = 0
    pages = "" if cursor is not None else known.removeprefix('"resources":[').removesuffix("]")
    skills = json_text([_page(entry, exchange.revision) for entry in page.entries])[1:-1]
    return f'"resources":[{",".join(filter(None, (pages, skills)))}]{_next(page.cursor)}'


def _page(entry: SkillEntry, revision: str) -> Json:
    out: Json = {
        "uri": entry.uri,
        "name": entry.frontmatter["name"],
        "description": entry.frontmatter["description"],
        "mimeType": MARKDOWN,
    }
    if revision >= STRUCTURED_SINCE:
        out["size"] = entry.resources[0].size
    if revision >= META_SINCE and entry.meta:
        out["_meta"] = entry.meta
    return out


def _next(cursor: str | None) -> str:
    return "" if cursor is None else f',"nextCursor":{json_text(cursor)}'


def _ask(exchange: Exchange, host: Host, ask: Callable[[Skills, Call], T]) -> T:
    """Ask the family on behalf of the exchange's caller and return its answer.

    Raises RpcError INTERNAL_ERROR for damaged content, and reports that to the operator.
    """
    skills = exchange.view.skills
    if skills is None:
        raise RpcError(METHOD_NOT_FOUND, "Method not found.", exchange.method)
    try:
        return ask(skills, Call(exchange.caller, host.clock, _NO_PROGRESS))
    except DamagedContent as damaged:
        reference = host.new_reference()
        host.report_defect(reference, exchange.method, damaged)
        raise RpcError(INTERNAL_ERROR, f"{damaged} Reference {reference}.") from None
