"""Capabilities of a server, and the results of initialize and server/discover."""

from collections.abc import Callable

from almanac.protocol.introduction import introduction
from almanac.protocol.message.revisions import COMPLETIONS_CAPABILITY_SINCE, STATELESS_SINCE, SUPPORTED
from almanac.protocol.message.rpc import Json
from almanac.protocol.skills import EXTENSION
from almanac.protocol.toolset import View
from almanac.protocol.views import EXTENSION as VIEWS
from almanac.protocol.views import SETTINGS, declares_views
from almanac.protocol.wire.server_info import FEED, ServerInfo


def capabilities(view: View, revision: str) -> Json:
    """Return the capabilities of a view. Lists never change within a connection and the server pushes nothing, so no
    flag is set."""
    names = {"tools", "resources", "prompts"}
    if revision >= COMPLETIONS_CAPABILITY_SINCE:
        names.add("completions")
    if revision < STATELESS_SINCE:
        names.add("logging")
    declared: Json = {name: {} for name, is_there in _FEATURES.items() if name in names and is_there(view)}
    if revision >= STATELESS_SINCE:
        extensions = ({EXTENSION: {"directoryRead": True}} if view.skills is not None else {}) | _view_extension(view)
        declared |= {"extensions": extensions} if extensions else {}
    return declared


def _view_extension(view: View) -> Json:
    return {VIEWS: SETTINGS} if view.chat_views else {}


def has_feature(view: View, feature: str) -> bool:
    """Return whether the view offers a feature, named like its capability or extension."""
    return _FEATURES[feature](view)


def _logs(view: View) -> bool:
    return any(tool.listing.logs for tool in view.tools)


def _completes(view: View) -> bool:
    return any(one.complete for one in (*view.prompts, *view.resource_templates))


_FEATURES: dict[str, Callable[[View], bool]] = {
    "tools": lambda _: True,
    "resources": lambda view: bool(view.resources or view.resource_templates or view.skills or view.chat_views),
    "prompts": lambda view: bool(view.prompts),
    "completions": _completes,
    "logging": _logs,
    EXTENSION: lambda view: view.skills is not None,
}


def initialize_result(view: View, server: ServerInfo, revision: str, client: Json | None = None) -> Json:
    """Return MCP's InitializeResult for a client with the capabilities `client`.

    The revisions with a handshake define no extensions. The server still declares its chat views to clients that
    declare the extension.
    """
    extensions = _view_extension(view) if declares_views(client or {}) else {}
    declared = capabilities(view, revision) | ({"extensions": extensions} if extensions else {})
    if server.feed_url is not None:
        declared["experimental"] = {FEED: {"url": server.feed_url}}
    return {
        "protocolVersion": revision,
        "capabilities": declared,
        "serverInfo": server.to_wire(revision),
        **_instructions(view),
    }


def discover_result(view: View, revision: str) -> Json:
    """Return MCP's DiscoverResult. It also lists the revisions with a handshake."""
    return {
        "supportedVersions": list(SUPPORTED),
        "capabilities": capabilities(view, revision),
        **_instructions(view),
    }


def _instructions(view: View) -> Json:
    text = introduction(view)
    return {"instructions": text} if text else {}
