"""Items of lists, tuples, sets, dictionaries and generators, by key if it is constant."""

from codegraph.python.points_to.attributes import Attributes
from codegraph.python.points_to.flow import Flow, Watcher
from codegraph.python.points_to.program import Site
from codegraph.python.points_to.values import Values
from codegraph.python.summary.facts import NOTHING, Key

ANY = ""
"""Field of items whose key is unknown. A constant key is stored as (type, key) text, so it is never empty."""
_KEYS = "keys"
_ALL = "all"
MOST_ITEMS = 64


def item(key: Key) -> str:
    """Return the field of a constant key."""
    return f"i{key}" if isinstance(key, int) else f"s{key}"


def _tell(watcher: Watcher, slot: int) -> None:
    _, follower, field = watcher
    follower[0](follower, field, slot)


class Containers:
    def __init__(self, attributes: Attributes, lengths: dict[int, tuple[str, int]]) -> None:
        self._attributes = attributes
        self._flow: Flow = attributes.flow
        self._values: Values = attributes.values
        self.lengths = lengths
        self._items: dict[int, dict[str, int]] = {}
        self._followers: dict[int, list[Watcher]] = {}
        self.keyed: list[tuple[int, Watcher, int]] = []
        """Container, (…, key, other slot), 0 for a get and 1 for a put: for where the key stays unknown."""

    def type_of(self, number: int) -> str:
        return self.lengths.get(number, ("list", NOTHING))[0]

    def slot(self, number: int, field: str) -> int:
        """Return the slot of a field. From then on it counts among all items."""
        fields = self._items.setdefault(number, {})
        slot = fields.get(field)
        if slot is None:
            if len(fields) >= MOST_ITEMS and field != ANY:
                return self.slot(number, ANY)
            slot = fields[field] = self._flow.slot()
            self._flow.connect(slot, self.all(number))
            for follower in self._followers.get(number, ()):
                self._flow.later((_tell, follower, field), slot)
        return slot

    def all(self, number: int) -> int:
        return self._attributes.field(number, _ALL)

    def follow(self, number: int, follower: Watcher) -> None:
        """Call the follower with each present and future field of a container and its slot."""
        followers = self._followers.setdefault(number, [])
        followers.append(follower)
        for field, slot in self._items.get(number, {}).items():
            self._flow.later((_tell, follower, field), slot)

    def elements(self, number: int, target: int) -> None:
        """Connect the values of an iteration over a container to `target`: the keys of a dictionary, or the items of
        another container."""
        is_dict = self.type_of(number) == "dict"
        self._flow.connect(self._attributes.field(number, _KEYS) if is_dict else self.all(number), target)

    # Gets and puts

    def get(self, number: int, key: Key | None, target: int) -> None:
        length = self.lengths.get(number, ("", NOTHING))[1]
        if isinstance(key, int) and key < 0 and self.type_of(number) != "dict":
            key = key + length if length + key >= 0 else None
        if key is None:
            self._flow.connect(self.all(number), target)
        else:
            self._flow.connect(self.slot(number, item(key)), target)
            self._flow.connect(self.slot(number, ANY), target)

    def put(self, number: int, key: Key | None, source: int) -> None:
        self._flow.connect(source, self.slot(number, ANY if key is None else item(key)))

    def at_key(self, number: int, key: int, other: int, *, put: bool) -> None:
        """Get into the slot `other`, or put from it, under each key in the slot `key`."""
        if key <= 0:
            (self.put if put else self.get)(number, None, other)
            return
        watcher = (self._with_key, number, other, put)
        self.keyed.append((number, (key, other), int(put)))
        self._flow.watch(key, watcher)
        if put and self.type_of(number) == "dict":
            self._flow.connect(key, self._attributes.field(number, _KEYS))

    def _with_key(self, watcher: Watcher, found: int) -> None:
        _, number, other, put = watcher
        value = self._values.all[found]
        key = value.first if value.kind == "constant" else None
        (self.put if put else self.get)(number, key, other)

    def without_keys(self) -> None:
        """Let each get and put with an unknown key apply to all keys."""
        for number, (key, other), put in self.keyed:
            if not self._flow.of(key):
                (self.put if put else self.get)(number, None, other)
        self.keyed.clear()

    def slice(self, number: int, first: int, end: int, target: int) -> None:
        kind, length = self.lengths.get(number, ("list", NOTHING))
        if end < NOTHING or (end == NOTHING and length >= 0):
            end = length + end + 1 if end == NOTHING else length + end
        made = self._values.number("container", target, "slice")
        self.lengths[made] = (kind, max(end - first, 0) if length >= 0 else NOTHING)
        self._flow.add(target, made)
        self.follow(number, (self._slice_field, made, first, end if length >= 0 else NOTHING))

    def _slice_field(self, follower: Watcher, field: str, slot: int) -> None:
        _, made, first, end = follower
        if field == ANY or not field.startswith("i"):
            self._flow.connect(slot, self.slot(made, ANY))
            return
        place = int(field[1:])
        if place >= first and (end < 0 or place < end):
            self._flow.connect(slot, self.slot(made, item(place - first)))

    # Methods

    def call_method(self, site: Site, number: int, name: str) -> None:
        args = [each for each in site.args if each > 0]
        first = args[0] if args else NOTHING
        if name in {"append", "add", "appendleft"}:
            self.put(number, None, first)
        elif name == "insert":
            self.put(number, None, args[-1] if args else NOTHING)
        elif name in {"extend", "extendleft", "update", "union"}:
            self._flow.watch(first, (self._extend_with, number))
            for key, slot in site.kwargs:
                self.put(number, key, slot)
        elif name in {"get", "pop", "setdefault"}:
            self._take_item(site, number, name)
        else:
            self._list_view(site, number, name)

    def _take_item(self, site: Site, number: int, name: str) -> None:
        key = site.args[0] if site.args else NOTHING
        other = site.args[1] if len(site.args) > 1 else NOTHING
        self.at_key(number, key, site.result, put=False)
        self._flow.connect(other, site.result)
        if name == "setdefault":
            self.at_key(number, key, other, put=True)

    def _list_view(self, site: Site, number: int, name: str) -> None:
        if name in {"popleft", "popitem"}:
            self._flow.connect(self.all(number), site.result)
        elif name == "copy":
            self._flow.add(site.result, number)
        else:
            made = self._values.number("container", site.result, name)
            self.lengths[made] = ("list", NOTHING)
            self._flow.add(site.result, made)
            self._fill(made, number, name)

    def _fill(self, made: int, number: int, name: str) -> None:
        keys = self._attributes.field(number, _KEYS)
        if name == "keys":
            self._flow.connect(keys, self.slot(made, ANY))
        elif name == "values":
            self._flow.connect(self.all(number), self.slot(made, ANY))
        elif name == "items":
            pair = self._values.number("container", made, "pair")
            self.lengths[pair] = ("tuple", 2)
            self._flow.connect(keys, self.slot(pair, item(0)))
            self._flow.connect(self.all(number), self.slot(pair, item(1)))
            self._flow.add(self.slot(made, ANY), pair)

    def _extend_with(self, watcher: Watcher, found: int) -> None:
        if self._values.all[found].kind == "container":
            number = watcher[1]
            if self.type_of(number) == "dict":
                self._flow.connect(self._attributes.field(found, _KEYS), self._attributes.field(number, _KEYS))
                self.follow(found, (self._same_field, number))
            else:
                self._flow.connect(self.all(found), self.slot(number, ANY))

    def _same_field(self, follower: Watcher, field: str, slot: int) -> None:
        self._flow.connect(slot, self.slot(follower[1], field))
