"""Introduction of the server to clients."""

import msgspec

from almanac.protocol.family import Icon
from almanac.protocol.message.revisions import ICONS_SINCE, TITLES_SINCE
from almanac.protocol.message.rpc import Json

FEED = "almanac/feed"
"""Experimental capability with the address of the live feed."""


class ServerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Name, title and version of the server. `feed_url` is the address of the live feed if it is not below the server's
    own."""

    name: str
    title: str
    version: str
    icons: tuple[Icon, ...] = ()
    website_url: str | None = None
    feed_url: str | None = None

    def to_wire(self, revision: str) -> Json:
        """Return MCP's `Implementation` object, without fields that `revision` does not define."""
        out: Json = {"name": self.name, "version": self.version}
        if revision >= TITLES_SINCE:
            out["title"] = self.title
        if revision >= ICONS_SINCE:
            if self.icons:
                out["icons"] = [icon.to_wire() for icon in self.icons]
            if self.website_url:
                out["websiteUrl"] = self.website_url
        return out
