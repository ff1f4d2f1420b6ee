"""Test rules that escalate lapsed reviews and unacknowledged mail, once each, also after the server was killed."""

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.services import services_for
from almanac.families.team.core.project import open_project
from almanac.families.team.core.roles import ROLES, actor_roles
from almanac.families.team.messages.delivery import plan_message
from almanac.families.team.messages.mail_records import Letter
from almanac.families.team.messages.reviews import Reviews
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock, SystemClock
from almanac.kernel.instants import milliseconds
from almanac.local.data_folder import DataFolder
from almanac.platform.store.port import Store
from tests.doubles.writers import SomeWriter
from tests.integration.local.channel_client import KillableServer
from tests.integration.local.server_process import Server, call_message

HERE = Scope("default", "default")
PATIENCE_SECONDS = 60
ESCALATIONS = {"mail-escalation": "Not acknowledged: ", "review-escalation": "No decision: "}


def answer(server: Server, key: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    result = server.post(call_message(tool, **arguments), x_api_key=key).json["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


def issue(store: Store, actor: str) -> str:
    grant = Grant(tenant="default", project="default", actor=actor)
    return ApiKeys(store, SystemClock(), os.urandom).issue(grant).key.text


def let_lapse(store: Store, name: str) -> set[str]:
    """Write a message and a review as of an hour ago that nobody answered. Return the subjects of their escalations."""
    past = FixedClock(SystemClock().now() - timedelta(hours=1))
    letter = Letter(to=["bob"], subject=name, body="", ack_required=True, priority="urgent")
    writer = SomeWriter(store, HERE, os.urandom, actor="ann")
    services = services_for(store, past)
    # It notes when jobs have work.
    services.get(Store).write([*plan_message(writer, letter, at=milliseconds(past.now())).changes])
    reviews = Reviews(open_project(services, HERE, "ann", past))
    reviews.request(name, reviewers=["bob"], deadline_ms=60_000)
    return {f"{begins}{name}" for begins in ESCALATIONS.values()}


def await_escalations(server: Server, key: str, wanted: set[str]) -> list[str]:
    """The subjects of the rules' messages in an inbox, once all that are wanted are there."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        box = answer(server, key, "read_inbox", limit=50, wait_ms=1000)
        subjects = [one["subject"] for one in box["messages"] if one["subject"].startswith(tuple(ESCALATIONS.values()))]
        if wanted <= set(subjects) or time.monotonic() > until:
            return subjects


@pytest.mark.slow
def test_lapsed_reviews_and_unacknowledged_mail_reach_lead_and_sender_once(tmp_path: Path) -> None:
    with KillableServer(tmp_path) as running:
        store = DataFolder(tmp_path).open_store(SystemClock())
        store.write([ROLES.within(store, HERE).put(actor_roles("lead", ["lead"]))])
        lead, ann = issue(store, "lead"), issue(store, "ann")
        for rule in answer(running.server, ann, "list_default_rules")["defaults"]:
            if rule["name"] in ESCALATIONS:
                taken = ("name", "on_kind", "where", "actions")
                answer(running.server, ann, "install_rule", **{one: rule[one] for one in taken if one in rule})
        wanted = let_lapse(store, "while it runs")
        assert sorted(await_escalations(running.server, lead, wanted)) == sorted(wanted)

        running.kill()
        wanted |= let_lapse(store, "while it is down")
        running.start()
        assert sorted(await_escalations(running.server, lead, wanted)) == sorted(wanted)

        # Killed wherever it is with them; the last ones come after whatever might come twice.
        wanted |= let_lapse(store, "as it is killed")
        running.kill()
        running.start()
        await_escalations(running.server, lead, wanted)
        wanted |= let_lapse(store, "last")
        for key in (lead, ann):
            assert sorted(await_escalations(running.server, key, wanted)) == sorted(wanted)
        assert {one["last_error"] for one in answer(running.server, ann, "list_rules")["rules"]} == {None}
