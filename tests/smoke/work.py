"""Checks of agents' work: tools, large values, search, rules, the live feed and scheduled jobs."""

import json
from dataclasses import replace
from hashlib import sha256
from secrets import token_hex
from typing import Any

from websockets.sync.client import connect

from almanac.search.engine.candidate_query import LOST_INDEX, NO_INDEX
from tests.e2e.target import eventually, result_text
from tests.smoke.check import Check, CheckFailed, CheckSkipped
from tests.smoke.deployment import Deployment
from tests.smoke.tenants import operator_of, tenant_of

_LARGE = 400_000
_EVENT_SECONDS = 120
_ROUND_SECONDS = 180
"""Jobs run once a minute; the first after a deployment are cold."""

Json = dict[str, Any]


def list_every_family(at: Deployment) -> str:
    families = at.target.families
    empty = [name for name, tools in families.items() if not tools]
    if empty or not families:
        raise CheckFailed(f"no tools of {', '.join(empty) or 'any family'}")
    listed = at.target.list_tools()
    return f"{len(listed)} tools, of {', '.join(families)}"


def store_large_value(at: Deployment) -> str:
    name = f"smoke-{token_hex(4)}"
    text = "".join(f"line {number} of {name}\n" for number in range(_LARGE))[:_LARGE]
    skill = f"---\nname: {name}\ndescription: Checks a deployment. Use it never.\n---\nNothing.\n"
    at.target.ask("install_skill", skill_md=skill, files={"large.txt": text}, folder=name)
    try:
        read, place = "", 0
        while place is not None:
            part = at.target.ask("read_skill_file", name=name, path="large.txt", offset=place, limit=200_000)
            read, place = read + part["text"], part["next_offset"]
    finally:
        at.target.ask("remove_skill", name=name)
    if sha256(read.encode()).digest() != sha256(text.encode()).digest():
        raise CheckFailed(f"{len(read)} characters other than the {len(text)} that were sent")
    return f"{len(text)} bytes went in and came back"


def find_by_meaning(at: Deployment) -> str:
    title = f"smoke {token_hex(4)}"
    note = at.target.ask("notes_create", title=title, body="The kettle is for boiling water.")["data"]["id"]
    try:
        asked = {"q": f"{title} boil water in a kettle", "mode": "meaning"}
        found = json.loads(result_text(at.target.call("notes_search", asked)))["data"]
    finally:
        at.target.ask("notes_delete", noteId=note)
    remarks = found["search"].get("notes", [])
    if LOST_INDEX in remarks:
        raise CheckFailed(LOST_INDEX)
    if note not in [each["id"] for each in found["notes"]]:
        raise CheckFailed(f"{len(found['notes'])} notes without the one that was just written")
    return "the note that was just written" + (f"; {NO_INDEX}" if NO_INDEX in remarks else "")


def index_through_signed_requests(at: Deployment) -> str:
    operator = operator_of(at)
    if at.emulated:
        raise CheckSkipped("the node that stands for the domain takes requests that nobody signed")
    if not operator.outputs.get("SearchEndpoint"):
        raise CheckSkipped("the stack has no domain of its own (Search=off or endpoint)")
    with tenant_of(operator, "search") as tenant:
        replace(at.target, key=tenant.key()).ask("notes_create", title="A kettle", body="It boils water.")

        def documents() -> int:
            rows = json.loads(operator.almanac("search", "status", "--tenant", tenant.name, "--json"))
            return sum(row["documents"] for row in rows)

        count = eventually(documents, seconds=_EVENT_SECONDS, every=3)
    return f"the reactions wrote {count} document, and this command read it"


def run_rule(at: Deployment) -> str:
    name, team = f"smoke-{token_hex(4)}", at.target
    action = {"tool": "set_broadcast", "args": {"key": f"{name}:seen", "value": "${payload.value}"}}
    team.ask("install_rule", name=name, on_kind="broadcast_set", where={"payload.key": name}, actions=[action])
    try:
        team.ask("set_broadcast", key=name, value=7)
        eventually(lambda: team.ask("get_broadcast", key=f"{name}:seen")["value"] == 7, seconds=_EVENT_SECONDS, every=1)
    finally:
        team.ask("remove_rule", name=name)
    return "it did what it says"


def run_jobs(at: Deployment) -> str:
    key = f"smoke:{token_hex(4)}"
    ends = at.target.ask("claim", key=key, holder="smoke", ttl_ms=5000)["claim"]["expires_at"]

    def find_trial() -> Json | None:
        trials = at.target.ask("test_rule", on_kind="claim_expired", limit=100)["trials"]
        return next((trial for trial in trials if trial["key"] == key), None)

    late = eventually(find_trial, seconds=_ROUND_SECONDS, every=3)["at"] - ends
    return f"announced {late / 1000:.1f} s after its end"


def hear_on_feed(at: Deployment) -> str:
    address = at.target.feed_url
    if address is None:
        raise CheckSkipped("the address of the live feed is not known: FEED=wss://..., or STACK=...")
    key = f"smoke-{token_hex(4)}"
    with connect(address, additional_headers={"x-api-key": at.target.key}, open_timeout=60) as socket:

        def receive() -> Json:
            return json.loads(socket.recv(timeout=_EVENT_SECONDS))

        socket.send(json.dumps({"type": "subscribe", "keys": [key]}))
        while (frame := receive())["type"] != "subscribed":
            if frame["type"] != "ready":
                raise CheckFailed(str(frame))
        at.target.ask("set_broadcast", key=key, value=7)
        event = receive()["events"][0]
    if (event["kind"], event["payload"]["value"]) != ("broadcast_set", 7):
        raise CheckFailed(str(event))
    return "broadcast_set, as it happened"


WORK = (
    Check(
        "every family lists its tools",
        list_every_family,
        "Look in the logs of the function that lacks tools. A key for some families only makes this check smaller.",
    ),
    Check(
        "a value of 400 kB goes in and comes out by tools",
        store_large_value,
        "Values over 300 kB are in the bucket: see ALMANAC_BUCKET of the function skills and its rights (ProjectData).",
    ),
    Check(
        "what was written is found by meaning",
        find_by_meaning,
        "Where the index does not answer, look at the domain's health and access policy; else in the log of the hub.",
    ),
    Check(
        "OpenSearch takes the signed requests of functions and operator",
        index_through_signed_requests,
        "A 403 of the domain: compare its access policy with the role of the function reactions, and your own rights.",
    ),
    Check(
        "a rule fires",
        run_rule,
        "Look at the queue rules and its dead letters, in the logs of feed and rules: almanac events parked.",
    ),
    Check(
        "a claim that runs out is announced by the clock",
        run_jobs,
        "Look whether the schedule of the function jobs is on, and in its log.",
    ),
    Check(
        "the live feed tells what happens",
        hear_on_feed,
        "Look in the logs of feed-socket and feed-push, and at the queue sockets.fifo.",
    ),
)
