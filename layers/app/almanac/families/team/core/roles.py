"""Roles of actors, such as reviewer. An operator sets them; mail to a role reaches each actor that has it."""

import re
from collections.abc import Sequence

from almanac.families.team.core.actors import folded
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.port import Store
from almanac.platform.store.records import Record, Table

MOST_ROLES = 8
MOST_NAME = 256
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class ActorRoles(Record, frozen=True, kw_only=True):
    """The roles of an actor, both in small letters."""

    actor: str
    roles: list[str]


ROLES = Table(ActorRoles, "actor_roles", sort=("actor",))


def roles_of(store: Store, scope: Scope, actor: str) -> Sequence[str]:
    found = ROLES.within(store, scope).get(folded(actor))
    return () if found is None else found.roles


def roles_of_each(store: Store, scope: Scope, actors: Sequence[str]) -> list[Sequence[str]]:
    """The roles of several actors, in their order."""
    found = ROLES.within(store, scope).get_many([(folded(actor),) for actor in actors])
    return [() if one is None else one.roles for one in found]


def actor_roles(actor: str, roles: Sequence[str]) -> ActorRoles:
    """The record of an actor with these roles and no others. Raises InvalidInput for names that cannot be roles."""
    if not 1 <= len(folded(actor)) <= MOST_NAME:
        raise InvalidInput(
            f"An actor's name has 1 to {MOST_NAME} characters.",
            "Name an actor as `almanac keys list` shows it.",
            path="actor",
        )
    names = sorted({folded(role) for role in roles})
    for name in names:
        if not _NAME.fullmatch(name):
            raise InvalidInput(
                f'"{name[:80]}" cannot be a role.',
                "Use 1 to 64 letters, digits, - and _, starting with a letter or digit.",
                path="roles",
            )
    if len(names) > MOST_ROLES:
        raise InvalidInput(
            f"An actor has up to {MOST_ROLES} roles, not {len(names)}.",
            "Name only those that others write to.",
            path="roles",
        )
    return ActorRoles(actor=folded(actor), roles=names)
