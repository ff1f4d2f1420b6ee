"""Team text that may contain secrets stored before redaction existed."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from almanac.families.team.core.project import open_project
from almanac.families.team.core.records import (
    BROADCASTS,
    CLAIMS,
    DECIDED_REVIEWS,
    HANDOVERS,
    NOTICES,
    PENDING_REVIEWS,
    PRESENCE,
    WAITING,
)
from almanac.families.team.messages.mail_records import MESSAGES
from almanac.families.team.rules.records import RULES
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.redactions.records import Where
from almanac.platform.redactions.scan import AT_ONCE, Redactable, StoredTexts, texts_of
from almanac.platform.services import Services
from almanac.platform.store.records import Table


def _all_of(table: Table[Any], where: Where, fields: Sequence[str], item: str = "id") -> Redactable:
    def every(services: Services, caller: Caller) -> Iterator[StoredTexts]:
        project = open_project(services, caller.scope, caller.actor, services.get(Clock))
        rows = project.rows(table)
        return texts_of(project, where, rows, rows.every(page=AT_ONCE), fields, at=project.now(), item=item)

    return Redactable(where, every)


def _notices(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    """Yield the notices that wait for holders of claims and for callers in the queue. All other notices end after at
    most a week."""
    project = open_project(services, caller.scope, caller.actor, services.get(Clock))
    claims, waiting, rows = project.rows(CLAIMS), project.rows(WAITING), project.rows(NOTICES)
    holders = dict.fromkeys(one.holder for one in chain(claims.every(page=AT_ONCE), waiting.every(page=AT_ONCE)))
    notices = chain.from_iterable(rows.every(holder, page=AT_ONCE) for holder in holders if holder)
    return texts_of(project, "claim", rows, notices, ("reason",), at=project.now())


_PRESENCE = ("display_name", "tool", "current_file", "current_function", "current_action")

REDACTABLE = (
    _all_of(BROADCASTS, "broadcast", ("value",), "key"),
    _all_of(PENDING_REVIEWS, "review", ("subject", "metadata")),
    _all_of(DECIDED_REVIEWS, "review", ("subject", "metadata", "comment")),
    _all_of(MESSAGES, "message", ("subject", "body")),
    _all_of(CLAIMS, "claim", ("metadata",)),
    _all_of(HANDOVERS, "claim", ("note", "evidence", "comment")),
    _all_of(WAITING, "claim", ("metadata",), "key"),
    Redactable("claim", _notices),
    _all_of(RULES, "rule", ("description", "actions"), "name"),
    _all_of(PRESENCE, "presence", _PRESENCE, "actor"),
)
