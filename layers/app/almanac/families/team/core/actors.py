"""Actors: who API keys stand for. They may be e-mail addresses, which people write with whatever capitals."""

import unicodedata


def is_same_actor(one: str, other: str) -> bool:
    """Return whether two spellings name one actor, as people mean it. Rights depend on the exact name."""
    return folded(one) == folded(other)


def folded(actor: str) -> str:
    return unicodedata.normalize("NFC", actor.strip()).casefold()
