"""Expiry by the caller's clock: what has expired is absent, whether or not it was swept."""

from almanac.platform.store.port import Item


def visible(item: Item | None, now: int) -> Item | None:
    return None if item is None or (item.expires_at is not None and item.expires_at <= now) else item
