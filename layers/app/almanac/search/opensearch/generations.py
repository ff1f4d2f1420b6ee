"""The OpenSearch indices behind the adapter: the current one and, during a rebuild, the one that it makes.

    NAME.search-000001    an index
    NAME.search           the alias of the current index
    NAME.search.next      the alias of the index that a rebuild makes
    NAME.search.whole     the alias of the current index, if a rebuild made it

Writes only use aliases, so that a late write cannot create an index by its name.

The mapping of an index that a rebuild makes records its `form`. Only a process that would make an index of the same
form continues an interrupted rebuild.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from opensearchpy import TransportError

from almanac.kernel.errors import Unavailable
from almanac.search.opensearch import layout
from almanac.search.opensearch.calls import Calls, IndexMissing, encoded

SHARDS, REPLICAS = layout.USUAL


class _Aliases(Struct, frozen=True):
    aliases: Mapping[str, Any]


class _Store(Struct, frozen=True):
    size_in_bytes: int = 0


class _Total(Struct, frozen=True):
    store: _Store = _Store()


class _Settings(Struct, frozen=True):
    settings: Mapping[str, str] = {}


class _Meta(Struct, frozen=True, rename={"meta": "_meta"}):
    meta: Mapping[str, str] = {}


class _Mapped(Struct, frozen=True):
    mappings: _Meta = _Meta()


class Shape(Struct, frozen=True):
    """Layout of an index over nodes. `replicas` is the largest number of copies. With too few nodes there are fewer.

    None leaves the setting unchanged, or uses the default if there is no index yet.
    """

    shards: int | None = None
    replicas: int | None = None


class _All(Struct, frozen=True):
    total: _Total


class _Stats(Struct, frozen=True, rename={"all": "_all"}):
    all: _All


class Generations:
    """Aliases and indices of one installation. `name` is its name, because several installations may share an
    endpoint."""

    def __init__(self, calls: Calls, name: str, refresh_ms: int, shape: Shape) -> None:
        self._calls = calls
        self._refresh_ms = refresh_ms
        self._shape = shape
        self.answering = f"{name}.search"
        self.next = f"{name}.search.next"
        self.whole = f"{name}.search.whole"
        self._pattern = f"{name}.search-*"
        self._begun: str | None = None

    def prepare(self) -> None:
        """Make the first index, unless a current one exists."""
        self._put_template()
        if self._make_unless_there(1):
            return
        # Another process was quicker, or a rebuild makes the index of this name. The number is computed first. An index
        # that another process makes meanwhile then has the same number, or is already current.
        number = self._next_number()
        if self._index_of(self.answering) is None:
            self._make_unless_there(number)

    def writable(self) -> list[str]:
        """Return the aliases to which writes go."""
        return [self.answering, self.next] if self.is_rebuilding() else [self.answering]

    def is_rebuilding(self) -> bool:
        return self._index_of(self.next) is not None

    def begin(self) -> None:
        """Make an empty index behind `next`, and drop the index of an earlier unfinished rebuild."""
        former = self._index_of(self.next)
        # Writes go to both indices, so both must exist.
        if self._index_of(self.answering) is None:
            self.prepare()
        self._put_template()
        self._begun = self._make(self._next_number(), self.next)
        if former is not None:
            self._drop(former)

    def resume(self) -> bool:
        """Return whether an unfinished rebuild can continue, because this process would make an index of the same
        form."""
        begun = self._index_of(self.next)
        if begun is None:
            return False
        mapped = self._calls.call("GET", f"/{begun}/_mapping", dict[str, _Mapped])
        if mapped[begun].mappings.meta.get("form") != self._form(self._settings()):
            return False
        self._begun = begun
        return True

    def switch(self) -> None:
        """Make the rebuilt index current and drop the old one, in one step. Raises Unavailable if the rebuilt index is
        gone."""
        begun, former = self._index_of(self.next), self._index_of(self.answering)
        if begun is None or self._begun not in {None, begun}:
            raise Unavailable("The index that was being rebuilt is gone: another rebuild replaced it.", "Begin again.")
        steps: list[Mapping[str, Any]] = [
            {"add": {"index": begun, "alias": self.answering}},
            {"add": {"index": begun, "alias": self.whole}},
            {"remove": {"index": begun, "alias": self.next}},
        ]
        if former is not None:
            steps.append({"remove_index": {"index": former}})
        self._calls.call("POST", "/_aliases", dict, encoded({"actions": steps}), writes=True)
        self._begun = None

    def bytes(self) -> int:
        """Return the size of all indices of all tenants, in bytes."""
        return self._calls.call("GET", f"/{self._pattern}/_stats/store", _Stats).all.total.store.size_in_bytes

    def _next_number(self) -> int:
        return max((int(index.rpartition("-")[2]) for index in self._indices()), default=0) + 1

    def _make_unless_there(self, number: int) -> bool:
        """Return whether this process made the index."""
        try:
            self._make(number, self.answering)
        except TransportError as error:
            if error.error != "resource_already_exists_exception":
                raise
            return False
        return True

    def _make(self, number: int, alias: str) -> str:
        index = f"{self._pattern[:-1]}{number:06}"
        settings = self._settings()
        body: Mapping[str, Any] = {
            "aliases": {alias: {}},
            "settings": settings,
            "mappings": {"_meta": {"form": self._form(settings)}},
        }
        self._calls.call("PUT", f"/{index}", dict, encoded(body), writes=True)
        return index

    def _settings(self) -> Mapping[str, str]:
        """Return the shards and replicas of a new index, as configured or as in the current index."""
        asked = {
            SHARDS: None if self._shape.shards is None else str(self._shape.shards),
            REPLICAS: None if self._shape.replicas is None else f"0-{self._shape.replicas}",
        }
        former: Mapping[str, str] = {}
        if None in asked.values() and (index := self._index_of(self.answering)) is not None:
            path = f"/{index}/_settings/{SHARDS},{REPLICAS}?flat_settings=true"
            former = self._calls.call("GET", path, dict[str, _Settings])[index].settings
        return {name: value or former.get(name) or layout.USUAL[name] for name, value in asked.items()}

    def _form(self, settings: Mapping[str, str]) -> str:
        return layout.form(layout.template(self._pattern, self._refresh_ms), settings)

    def _drop(self, index: str) -> None:
        try:
            self._calls.call("DELETE", f"/{index}", dict, writes=True)
        except IndexMissing:
            return

    def _put_template(self) -> None:
        template = encoded(layout.template(self._pattern, self._refresh_ms))
        self._calls.call("PUT", f"/_index_template/{self.answering}", dict, template, writes=True)

    def _indices(self) -> list[str]:
        return list(self._calls.call("GET", f"/{self._pattern}/_alias", dict[str, _Aliases]))

    def _index_of(self, alias: str) -> str | None:
        try:
            (index,) = self._calls.call("GET", f"/_alias/{alias}", dict[str, _Aliases])
        except IndexMissing:
            return None
        return index
