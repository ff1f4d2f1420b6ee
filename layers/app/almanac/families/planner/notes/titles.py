"""The notes that have or had a title: the targets of [[links]] to it."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from almanac.families.planner.core.note_records import MAX_HOLDERS, NOTE_TITLES, Holder, NoteTitle, WikiLink
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.notes.wikilinks import current_holder, is_id, target_now, titles_in
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace as versioned


class NoteTitles:
    """The titles of one project. Writes fail if another writer changed the same title since it was read."""

    def __init__(self, planner: Planner) -> None:
        self._rows = planner.rows(NOTE_TITLES)

    def read(self, keys: Iterable[str]) -> dict[str, NoteTitle]:
        """Return the titles by key. A title that no note ever had is empty."""
        keys = list(dict.fromkeys(keys))
        found = self._rows.by_id(keys)
        return {key: found.get(key) or NoteTitle(key=key, version=0) for key in keys}

    def links_in(self, body: str, known: Iterable[WikiLink] = ()) -> tuple[WikiLink, ...]:
        """Return the links of a text. Links that it had before keep their targets."""
        kept = {link.key: link for link in known}
        titles = titles_in(body)
        new = self.read(key for key in titles if key not in kept and not is_id(key))
        return tuple(kept.get(key) or _new_link(title, key, new) for key, title in titles.items())

    def targets(self, links: Iterable[WikiLink]) -> Mapping[str, str | None]:
        """Return the target notes by the keys of the links; None for a link without a target. Links by id keep their
        id."""
        links = list(links)
        titles = self.read(link.key for link in links if not is_id(link.key))
        return {
            link.key: link.target if is_id(link.key) else target_now(link, titles[link.key].holders) for link in links
        }

    def retitle(self, note: str, old: str | None, new: str) -> list[Change]:
        """Return the changes that give the note the title of key `new` instead of `old`."""
        keys = [new] if old is None else [old, new]
        titles = self.read(keys)
        changes = [self._put(_add_holder(titles[new], note))]
        if old is not None:
            changes.append(self._put(_release_holder(titles[old], note)))
        return changes

    def forget(self, note: str, keys: Iterable[str]) -> list[Change]:
        """Return the changes that forget that the note has or had these titles."""
        return [
            self._put(replace(title, holders=tuple(holder for holder in title.holders if holder.note != note)))
            for title in self.read(keys).values()
            if any(holder.note == note for holder in title.holders)
        ]

    def _put(self, title: NoteTitle) -> Change:
        return self._rows.insert(replace(title, version=1)) if title.version == 0 else versioned(self._rows, title)


def _new_link(title: str, key: str, titles: Mapping[str, NoteTitle]) -> WikiLink:
    if is_id(key):
        return WikiLink(title, key, target=key)
    return WikiLink(title, key, target=current_holder(titles[key].holders), after=titles[key].taken)


def _add_holder(title: NoteTitle, note: str) -> NoteTitle:
    taken = title.taken + 1
    if title.holders and title.holders[-1].note == note:  # no other note took it in between
        return replace(title, taken=taken, holders=(*title.holders[:-1], Holder(taken, note)))
    if len(title.holders) >= MAX_HOLDERS:
        return replace(title, taken=taken)
    return replace(title, taken=taken, holders=(*title.holders, Holder(taken, note)))


def _release_holder(title: NoteTitle, note: str) -> NoteTitle:
    return replace(
        title, holders=tuple(replace(holder, former=holder.former or holder.note == note) for holder in title.holders)
    )
