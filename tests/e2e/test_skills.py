"""Skills from one agent to the other: by the tools, by search, and by the protocol's own extension."""

from hashlib import sha256
from typing import Any

from tests.e2e.planner_agent import PlannerAgent
from tests.e2e.target import Target, eventually

Json = dict[str, Any]

SKILL = """\
---
name: cutting-a-release
description: Cuts a release of the shop. Use when somebody wants to ship, tag or publish a version.
metadata:
  version: "1.2"
---
Run scripts/notes.py, read references/order.md, and tag the commit.
"""
FILES = {"references/order.md": "First the database, then the shop.\n", "scripts/notes.py": "print('notes')\n"}
_REVISION = {"mcp-protocol-version": "2026-07-28"}
_CLIENT = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "e2e", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def test_what_one_agent_installs_the_other_finds_and_reads(agents: tuple[PlannerAgent, PlannerAgent]) -> None:
    ann, ben = agents
    installed = ann.do("install_skill", skill_md=SKILL, files=FILES, folder="cutting-a-release")
    assert (installed["ok"], installed["valid"], installed["version"], installed["files"]) == (True, True, 1, 3)
    assert ann.do("install_skill", skill_md=SKILL, files=FILES, folder="cutting-a-release")["changed"] is False

    (row,) = ben.do("list_skills")["skills"]
    assert (row["name"], row["installed_by"], row["trusted"]) == ("cutting-a-release", "ann", False)
    found = ben.do("search_memory", query="how do we publish a new version", mode="skills")["hits"]
    assert "cutting-a-release" in str(found[0])

    opened = ben.do("get_skill", name="cutting-a-release")
    assert opened["manifest"]["metadata"] == {"version": "1.2"}
    assert {file["path"]: file["sha256"] for file in opened["files"]} == {
        path: sha256(text.encode()).hexdigest() for path, text in FILES.items()
    }
    part = ben.do("read_skill_file", name="cutting-a-release", path="scripts/notes.py")
    assert part["text"] == FILES["scripts/notes.py"]
    assert ".." in ben.refusal("read_skill_file", name="cutting-a-release", path="../../etc/passwd")

    ann.do("remove_skill", name="cutting-a-release")
    assert ben.do("list_skills")["skills"] == []
    assert "removed" in ben.refusal("get_skill", name="cutting-a-release")
    assert ben.do("get_skill", name="cutting-a-release", version=1)["removed"] is True
    assert ann.do("install_skill", skill_md=SKILL, files=FILES)["version"] == 2


def test_every_default_skill_installs_as_it_is_and_is_trusted(agents: tuple[PlannerAgent, PlannerAgent]) -> None:
    ann, _ = agents
    defaults = ann.do("list_default_skills")["skills"]
    assert len(defaults) >= 7
    (first,) = ann.do("list_default_skills", name=defaults[0]["name"])["skills"]
    installed = ann.do(
        "install_skill", skill_md=first["skill_md"], files=first["files"], folder=first["name"], strict=True
    )
    assert (installed["ok"], installed["valid"], installed["warnings"]) == (True, True, [])
    (row,) = ann.do("list_skills")["skills"]
    assert row["trusted"] is True


def test_a_client_with_the_extension_loads_skills_by_it(issuing_target: Target, project: str) -> None:
    key = issuing_target.issue("--project", project, "--actor", "ann")
    issuing_target.call("install_skill", {"skill_md": SKILL, "files": FILES, "folder": "cutting-a-release"}, key=key)

    def ask(method: str, path: str = "", **given: Any) -> Json:
        parameters = {**given, "_meta": _CLIENT}
        answer = issuing_target.post(method, path, key, params=parameters, headers=_REVISION | {"mcp-method": method})
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    offered = ask("server/discover")["capabilities"]["extensions"]
    assert offered["io.modelcontextprotocol/skills"] == {"directoryRead": True}
    (entry,) = eventually(lambda: ask("skills/list", "/skills")["skills"])
    assert entry["uri"] == "skill://cutting-a-release/SKILL.md"
    assert entry["frontmatter"]["metadata"] == {"version": "1.2"}
    for file in entry["resources"]:
        headers = _REVISION | {"mcp-method": "resources/read", "mcp-name": file["uri"]}
        parameters = {"uri": file["uri"], "_meta": _CLIENT}
        read = issuing_target.post("resources/read", "", key, params=parameters, headers=headers).json()["result"]
        (content,) = read["contents"]
        assert file["digest"] == f"sha256:{sha256(content['text'].encode()).hexdigest()}"
    listed = ask("resources/directory/read", uri="skill://cutting-a-release")["resources"]
    assert [child["name"] for child in listed] == ["SKILL.md", "references", "scripts"]
