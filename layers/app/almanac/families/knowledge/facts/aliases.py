"""Other names of a subject, by edges between names that somebody said are the same."""

from collections.abc import Callable

from msgspec import Struct


class SubjectAliases(Struct, frozen=True):
    """`of` names the subjects that `same_as` edges connect with one, as they are written; a bounded number."""

    of: Callable[[str], tuple[str, ...]]
