"""Test that deleting a tenant leaves no item, large value, index document or log line with its texts."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx2
import pytest

from tests.e2e.local_stack import SYSTEM, ZONE, Stack
from tests.e2e.planner_agent import PlannerAgent, connect_agent
from tests.e2e.target import Target, eventually

SKILL = "---\nname: kites\ndescription: How to fly a kite.\n---\nFly it.\n"


@pytest.fixture
def tenant() -> str:
    return f"leaver-{token_hex(4)}"


@pytest.fixture
def word() -> str:
    """A word that only this tenant wrote."""
    return f"zq{token_hex(6)}"


def test_a_deleted_tenant_leaves_nothing(issuing_target: Target, tenant: str, word: str, tmp_path: Path) -> None:
    almanac, left = issuing_target.command_line, _Remains(issuing_target.stack, tenant, word)
    assert almanac is not None
    almanac("tenants", "create", tenant)
    key = almanac("keys", "issue", "--tenant", tenant, "--timezone", ZONE).strip()
    with connect_agent(replace(issuing_target, key=key)) as agent:
        _write(agent, word)
        if issuing_target.stack is None or issuing_target.stack.search:
            eventually(lambda: _count_indexed(almanac("search", "status", "--tenant", tenant, "--json")) >= 3)
    if issuing_target.stack is not None:
        assert left.items()
        assert left.versions()

    almanac("tenants", "delete", tenant, "--yes", *left.bucket_option)

    assert left.items() == []
    assert left.versions() == []
    assert left.documents() == 0
    assert left.lines() == []
    # A new tenant of that name has what every new one has.
    almanac("tenants", "create", tenant)
    file = tmp_path / "again.jsonl"
    almanac("export", tenant, str(file), *left.bucket_option)
    assert {line["kind"] for line in map(json.loads, file.read_text().splitlines())} == {"tenant", "item", "end"}
    assert word not in file.read_text()


def _write(agent: PlannerAgent, word: str) -> None:
    """Something in every store that there is; the skill twice, so that a large value is left behind."""
    agent.do("notes_create", title=f"{word} note", body=f"{word} about kites.")
    agent.do("record_turn", content=f"{word} said that kites fly.", session_id="s1")
    agent.do("pin_memory", content=f"{word} flies kites on Sundays.")
    agent.do("index_files", repo_id="acme/kites", files=[{"path": "kites.md", "content": f"# {word}\n"}])
    agent.do("claim", key=f"story:{word}", holder=word, ttl_ms=60_000)
    for number in (1, 2):
        agent.do("install_skill", skill_md=SKILL, files={"long.md": f"{word} {number}\n" + "kite flying\n" * 40_000})


def _count_indexed(status: str) -> int:
    return sum(row["documents"] for row in json.loads(status))


class _Remains:
    """Data of a tenant that is left in the services of a stack. Of a laptop it knows nothing."""

    def __init__(self, stack: Stack | None, tenant: str, word: str) -> None:
        self._stack, self._tenant, self._word = stack, tenant, word
        self._bucket = ""
        if stack is not None:
            (found,) = stack.client("cloudformation").describe_stacks(StackName=SYSTEM)["Stacks"]
            self._bucket = {each["OutputKey"]: each["OutputValue"] for each in found["Outputs"]}["LargeValuesBucket"]

    @property
    def bucket_option(self) -> tuple[str, ...]:
        return ("--bucket", self._bucket) if self._bucket else ()

    def items(self) -> list[str]:
        """Return partitions of items that name the tenant or contain its texts."""
        return [] if self._stack is None else [*self._items(self._stack)]

    def versions(self) -> list[str]:
        """Paths of objects, of earlier versions and of marks that one was deleted."""
        if self._stack is None:
            return []
        pages = self._stack.client("s3").get_paginator("list_object_versions").paginate(Bucket=self._bucket)
        every = [each["Key"] for page in pages for kind in ("Versions", "DeleteMarkers") for each in page.get(kind, [])]
        return [path for path in every if self._tenant in path.split("/")]

    def documents(self) -> int:
        if self._stack is None or not self._stack.search:
            return 0
        body: Any = {"query": {"prefix": {"scope": f'["{self._tenant}"'}}}
        httpx2.post(f"http://{self._stack.search}/_refresh").raise_for_status()
        answer = httpx2.post(f"http://{self._stack.search}/_all/_count", json=body)
        return int(answer.raise_for_status().json()["count"])

    def lines(self) -> list[str]:
        """Return log lines with the tenant's texts."""
        if self._stack is None:
            return []
        logs = self._stack.client("logs")
        groups = [each["logGroupName"] for each in logs.describe_log_groups()["logGroups"]]
        pages = (logs.get_paginator("filter_log_events").paginate(logGroupName=group) for group in groups)
        events = (event["message"] for of_group in pages for page in of_group for event in page["events"])
        return [message for message in events if self._word in message]

    def _items(self, stack: Stack) -> Iterator[str]:
        pages = stack.client("dynamodb").get_paginator("scan").paginate(TableName=stack.table)
        for item in (item for page in pages for item in page["Items"]):
            partition = item["PK"]["S"]
            names = self._tenant in partition.split("#") or f"'{self._tenant}'" in repr(item)
            # That it was deleted is kept, and where rounds over all tenants go on.
            if (names or self._word in repr(item)) and partition not in (f"S#audit#{self._tenant}", "S#rounds"):
                yield partition
