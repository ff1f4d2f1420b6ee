"""Roles of actors, such as reviewer. An operator sets them; mail to a role reaches every actor with that role."""

import re
from collections.abc import Sequence

from almanac.families.team.core.actors import fold_actor
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.port import Store
from almanac.platform.store.records import Record, Table

MOST_ROLES = 8
MOST_NAME = 256
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class ActorRoles(Record, frozen=True, kw_only=True):
    """The roles of an actor, all in lower case."""

    actor: str
    roles: list[str]


ROLES = Table(ActorRoles, "actor_roles", sort=("actor",))


def roles_of(store: Store, scope: Scope, actor: str) -> Sequence[str]:
    found = ROLES.within(store, scope).get(fold_actor(actor))
    return () if found is None else found.roles


def roles_of_each(store: Store, scope: Scope, actors: Sequence[str]) -> list[Sequence[str]]:
    """Return the roles of several actors, in their order."""
    found = ROLES.within(store, scope).get_many([(fold_actor(actor),) for actor in actors])
    return [() if one is None else one.roles for one in found]


def actor_roles(actor: str, roles: Sequence[str]) -> ActorRoles:
    """Return the record of an actor with exactly these roles. Raises InvalidInput for names that cannot be roles."""
    if not 1 <= len(fold_actor(actor)) <= MOST_NAME:
        raise InvalidInput(
            f"An actor's name has 1 to {MOST_NAME} characters.",
            "Name an actor as `almanac keys list` shows it.",
            path="actor",
        )
    names = sorted({fold_actor(role) for role in roles})
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
    return ActorRoles(actor=fold_actor(actor), roles=names)
