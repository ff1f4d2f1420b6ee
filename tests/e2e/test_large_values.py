"""Test values far over the size of a DynamoDB item, by tools and by export and import."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

import pytest

from tests.e2e.local_stack import ZONE
from tests.e2e.planner_agent import PlannerAgent, connect_agent
from tests.e2e.target import Target

NAME = "brewing-tea"
SKILL = f"---\nname: {NAME}\ndescription: Brews tea. Use when somebody is thirsty.\n---\nRead the tables.\n"
SMALL, LARGE = 400_000, 3_000_000


def _text(size: int, about: str) -> str:
    """Such as no two lines of are the same."""
    lines: Iterator[str] = (f"{about} {number}: the water boils at {number % 90} degrees\n" for number in range(size))
    text = ""
    while len(text) < size:
        text += "".join(next(lines) for _ in range(1000))
    return text[: size - 1] + "\n"


def _read(agent: PlannerAgent, path: str) -> str:
    parts: list[str] = []
    at: int | None = 0
    while at is not None:
        part = agent.do("read_skill_file", name=NAME, path=path, offset=at, limit=200_000)
        parts.append(part["text"])
        at = part["next_offset"]
    return "".join(parts)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def test_a_skill_with_large_files_is_read_as_it_was_sent(agents: tuple[PlannerAgent, PlannerAgent]) -> None:
    ann, ben = agents
    files = {"small.txt": _text(SMALL, "kettle"), "large.txt": _text(LARGE, "pot")}
    assert ann.do("install_skill", skill_md=SKILL, files=files, folder=NAME)["files"] == 3
    for path, text in files.items():
        assert _digest(_read(ben, path)) == _digest(text)


def test_large_files_of_code_are_found_to_their_last_line(agents: tuple[PlannerAgent, PlannerAgent]) -> None:
    ann, ben = agents
    # A file of code may have 1 MB.
    for name, size in {"small": SMALL, "largest": 1_000_000}.items():
        last = f"last_of_{name}_{token_hex(4)}\n"
        file = {"path": f"docs/{name}.md", "content": _text(size - len(last), name) + last}
        assert ann.do("index_files", repo_id="shop", files=[file])["indexed"] == 1
        found = ben.do("context_searchCode", query=last.strip(), mode="text")["results"]
        assert [each["filePath"] for each in found] == [file["path"]]


def test_five_megabytes_go_to_another_tenant_by_export_and_import(issuing_target: Target, tmp_path: Path) -> None:
    almanac, mark = issuing_target.command_line, token_hex(4)
    assert almanac is not None
    tenant, copy, file = f"large-{mark}", f"copy-{mark}", tmp_path / "tenant.jsonl"
    parts = [_text(LARGE, "first"), _text(5_000_000 - LARGE, "second")]

    def agent_of(name: str) -> AbstractContextManager[PlannerAgent]:
        key = almanac("keys", "issue", "--tenant", name, "--timezone", ZONE).strip()
        return connect_agent(replace(issuing_target, key=key))

    almanac("tenants", "create", tenant)
    with agent_of(tenant) as agent:
        sent = [
            agent.do("install_skill", files={f"{number}.txt": part}, upload_only=True)["uploads"][0]["sha256"]
            for number, part in enumerate(parts)
        ]
        agent.do("install_skill", skill_md=SKILL, files={"whole.txt": {"uploads": sent}}, folder=NAME)
    almanac("export", tenant, str(file))
    almanac("import", str(file), "--into", copy)
    with agent_of(copy) as agent:
        assert _digest(_read(agent, "whole.txt")) == _digest("".join(parts))
    for name in (tenant, copy):
        almanac("tenants", "delete", name, "--yes")


@pytest.mark.parametrize("size", [4_300_000, 5_500_000, 11_000_000])
def test_a_body_over_the_limit_is_told_what_to_do(at: Target, size: int) -> None:
    answer = at.post("tools/call", params={"name": "install_skill", "arguments": {"skill_md": "x" * size}})
    assert answer.status_code == 413
    assert answer.json()["jsonrpc"] == "2.0"
    assert "Send" in answer.json()["error"]["message"]
