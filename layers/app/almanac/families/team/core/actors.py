"""Actors, the people or agents behind API keys. Their names may be e-mail addresses, in any capitals."""

import unicodedata


def is_same_actor(one: str, other: str) -> bool:
    """Return whether two spellings name the same actor for a person who reads them. Rights depend on the exact name."""
    return fold_actor(one) == fold_actor(other)


def fold_actor(actor: str) -> str:
    """Return the name in the form in which spellings are compared."""
    return unicodedata.normalize("NFC", actor.strip()).casefold()
