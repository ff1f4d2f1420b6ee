"""Test every example of the Context Fabric reference. Answers must have the printed shape.

Ids are those of memories that were stored before. Instants are not compared, because those in the reference contradict
each other (docs/context-differences.md).
"""

import re
from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.e2e.planner_agent import PlannerAgent, connect_agent
from tests.e2e.printed import unlike
from tests.e2e.target import TENANT, Target

Json = dict[str, Any]
NAMES = (
    *("getCurrent", "store", "recall", "orient", "searchCode", "get"),
    *("update", "delete", "list", "summarize", "reportEvent", "setup"),
)
DECISION: Json = {
    "type": "decision",
    "content": "Use Zod for all API input validation. Schemas live in src/schemas/ alongside the route handlers.",
    "metadata": {
        "tags": ["validation", "api", "zod"],
        "confidence": 0.95,
        "source": "user_explicit",
        "projectPath": "/home/user/myapp",
        "weight": 5,
    },
}
AUTH = """\
import jwt from 'jsonwebtoken';
import { users } from '../db';

/** Handles authentication and token management. */
export class AuthService {
  constructor(private readonly secret: string) {}

  async login(name: string, password: string): Promise<string> {
    const user = await users.find(name);
    if (!user || !user.matches(password)) {
      throw new Error('wrong name or password');
    }
    return jwt.sign({ sub: user.id }, this.secret);
  }

  verifyToken(token: string): string {
    const claims = jwt.verify(token, this.secret);
    return claims.sub;
  }

  refresh(token: string): string {
    const sub = this.verifyToken(token);
    return jwt.sign({ sub }, this.secret);
  }
}
"""


@pytest.fixture
def agent(issuing_target: Target) -> Generator[PlannerAgent]:
    """An agent in a project of its own, at the family's own endpoint."""
    assert issuing_target.command_line is not None
    name = f"context-{token_hex(4)}"
    issuing_target.command_line("projects", "create", name, "--tenant", TENANT)
    key = issuing_target.issue("--project", name, "--actor", "ann")
    with connect_agent(replace(issuing_target, key=key)) as connection:
        yield connection


def _call(agent: PlannerAgent, name: str, **arguments: Any) -> Json:
    """Call a tool by its dotted name in the reference."""
    return agent.do(f"context.{name}", **arguments)


def _store(agent: PlannerAgent, type: str, content: str, tags: list[str], **more: Any) -> str:
    metadata = {"tags": tags, **more.pop("metadata", {})}
    return _call(agent, "store", type=type, content=content, metadata=metadata, **more)["id"]


def test_all_twelve_tools_are_listed_and_answer_to_the_names_of_the_reference(issuing_target: Target) -> None:
    assert {f"context_{name}" for name in NAMES} <= set(issuing_target.families["context"])
    assert {f"context.{name}" for name in NAMES} <= set(issuing_target.list_tools("/context?names=dotted"))


def test_get_current(agent: PlannerAgent) -> None:
    _store(agent, "scratchpad", "Currently refactoring the auth module", [], sessionId="session-abc-123")
    _store(agent, "decision", "Use JWT with 15-minute expiry for API tokens", ["auth", "jwt"])
    _store(
        agent,
        "code_pattern",
        "Validate all API inputs with Zod schemas",
        ["zod"],
        metadata={
            "title": "Zod input validation",
            "codeBlock": {"code": "const schema = z.object({ ... })", "language": "typescript"},
        },
    )
    answer = _call(
        agent,
        "getCurrent",
        sessionId="session-abc-123",
        currentFile="src/main.ts",
        currentCommand="npm test",
        projectPath="/home/user/myapp",
        language="typescript",
    )
    printed: Json = {
        "context": {
            "working": [
                {
                    "id": "mem-001",
                    "type": "scratchpad",
                    "content": "Currently refactoring the auth module",
                    "createdAt": "2026-02-25T09:00:00.000Z",
                }
            ],
            "relevant": [
                {
                    "id": "mem-042",
                    "type": "decision",
                    "content": "Use JWT with 15-minute expiry for API tokens",
                    "metadata": {"tags": ["auth", "jwt"]},
                    "createdAt": "2026-02-20T14:30:00.000Z",
                }
            ],
            "patterns": [
                {
                    "id": "pat-001",
                    "name": "Zod input validation",
                    "description": "Validate all API inputs with Zod schemas",
                    "code": "const schema = z.object({ ... })",
                    "language": "typescript",
                    "usageCount": 12,
                }
            ],
            "suggestions": [],
            "ghostMessages": [],
        }
    }
    assert unlike(answer, printed) == []
    window = answer["context"]
    assert window["working"][0]["content"] == "Currently refactoring the auth module"
    assert "Use JWT with 15-minute expiry for API tokens" in [one["content"] for one in window["relevant"]]
    zod = next(one for one in window["patterns"] if one["name"] == "Zod input validation")
    assert {
        **printed["context"]["patterns"][0],
        "id": zod["id"],
        "usageCount": zod["usageCount"],
    }.items() <= zod.items()


def test_store(agent: PlannerAgent) -> None:
    answer = _call(agent, "store", **DECISION)
    assert unlike(answer, {"id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890", "success": True, "layer": 2}) == []
    assert (answer["success"], answer["layer"]) == (True, 2)


def test_recall(agent: PlannerAgent) -> None:
    content = "Fixed auth token refresh race condition by adding a mutex lock around the refresh call"
    stored = _store(agent, "bug_fix", content, ["auth", "race-condition"])
    asked: Json = {
        "query": "authentication error handling",
        "sessionId": "session-abc-123",
        "limit": 5,
        "threshold": 0.7,
        "mode": "hybrid",
        "filter": {"types": ["bug_fix", "code_pattern"], "layers": [2, 3], "tags": ["auth"]},
    }
    printed: Json = {
        "results": [
            {
                "memory": {
                    "id": "mem-042",
                    "type": "bug_fix",
                    "content": content,
                    "metadata": {"tags": ["auth", "race-condition"]},
                    "createdAt": "2026-02-20T14:30:00.000Z",
                    "updatedAt": "2026-02-20T14:30:00.000Z",
                },
                "similarity": 0.89,
                "layer": 2,
            }
        ],
        "total": 1,
    }
    answer = _call(agent, "recall", **asked)
    same_words = _call(agent, "recall", **{**asked, "query": "auth token refresh race condition"})
    if not answer["results"]:
        # Similarities are calibrated: the words of this question are not those of the memory. The answer says so.
        assert answer["total"] == 0
        assert answer["emptyBecause"]
        answer = same_words
    assert unlike(answer, printed) == []
    assert stored in [one["memory"]["id"] for one in answer["results"]]
    assert [one["memory"]["id"] for one in same_words["results"]] == [stored]
    assert same_words["results"][0]["similarity"] >= 0.7


TIME = {
    "epochMs": 1740474900000,
    "iso": "2026-02-25T09:15:00.000+00:00",
    "timezone": "Europe/London",
    "utcOffset": "+00:00",
    "timeOfDay": "9:15 AM",
    "date": "Wednesday, February 25, 2026",
    "dayOfWeek": "Wednesday",
    "isWeekend": False,
    "weekNumber": 9,
}


def test_orient_at_the_first_session(agent: PlannerAgent) -> None:
    answer = _call(agent, "orient", timezone="Europe/London", projectPath="/home/user/myapp")
    printed: Json = {
        "summary": "...",
        "time": TIME,
        "projectPath": "/home/user/myapp",
        "offlineGap": None,
        "recentMemories": [],
    }
    assert unlike(answer, printed) == []
    assert re.match(
        r"It is \d{1,2}:\d\d [AP]M on \w+day, \w+ \d{1,2}, \d{4} \(Europe/London, UTC\+0[01]:00\)\. "
        r"Project: /home/user/myapp\. First session in this project\.",
        answer["summary"],
    )
    assert (answer["projectPath"], answer["recentMemories"]) == ("/home/user/myapp", [])


def test_orient_resolves_a_date_and_shows_a_world_clock(agent: PlannerAgent) -> None:
    answer = _call(
        agent,
        "orient",
        timezone="America/New_York",
        expression="next Monday",
        also=["Europe/London", "Asia/Tokyo"],
    )
    row = {
        "epochMs": 1772265600000,
        "timezone": "Europe/London",
        "iso": "2026-03-02T05:00:00.000+00:00",
        "timeOfDay": "5:00 AM",
        "date": "Monday, March 2, 2026",
        "utcOffset": "+00:00",
    }
    printed: Json = {"summary": "...", "time": {}, "resolved": 1772265600000, "conversions": [row, row]}
    assert unlike(answer, printed) == []
    monday = datetime.fromtimestamp(answer["resolved"] / 1000, ZoneInfo("America/New_York"))
    assert (monday.weekday(), monday.hour, monday.minute) == (0, 0, 0)
    assert timedelta(0) < monday - datetime.now(UTC) <= timedelta(days=7, hours=1)
    assert [one["timezone"] for one in answer["conversions"]] == ["Europe/London", "Asia/Tokyo"]
    assert {one["epochMs"] for one in answer["conversions"]} == {answer["resolved"]}


STATUS = {"totalFiles": 42, "totalSymbols": 187, "lastIndexed": "2026-02-25T09:15:00.000Z", "isStale": False}


def test_search_code(agent: PlannerAgent) -> None:
    files = [{"path": "src/services/auth.ts", "content": AUTH}]
    agent.do("index_files", repo_id="user/myapp", files=files, complete=True)
    answer = _call(agent, "searchCode", query="AuthService", mode="symbol", symbolKind="class", limit=5)
    symbol = {
        "name": "AuthService",
        "kind": "class",
        "signature": "export class AuthService {",
        "lineStart": 5,
        "lineEnd": 25,
        "docComment": "Handles authentication and token management.",
    }
    printed: Json = {
        "results": [{"filePath": "src/services/auth.ts", "language": "typescript", "symbol": symbol}],
        "indexStatus": STATUS,
        "total": 1,
    }
    assert unlike(answer, printed) == []
    [found] = answer["results"]
    assert (found["filePath"], found["language"], answer["total"]) == ("src/services/auth.ts", "typescript", 1)
    # The brace is no part of a signature.
    assert {**symbol, "signature": "export class AuthService"}.items() <= found["symbol"].items()
    assert answer["indexStatus"]["isStale"] is False

    by_text = _call(agent, "searchCode", query="verifyToken", mode="text", filePattern="src/**/*.ts")
    assert unlike(by_text, {"results": [{"filePath": "x", "language": "x"}], "indexStatus": STATUS, "total": 1}) == []
    assert [line for one in by_text["results"] for line in one["matchLines"]] == [16, 22]


def test_get_update_and_delete(agent: PlannerAgent) -> None:
    stored = _call(agent, "store", **DECISION)["id"]
    read = _call(agent, "get", memoryId=stored)
    row = {
        "id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
        "type": "decision",
        "content": "Use Zod for all API input validation.",
        "metadata": {"tags": ["validation", "zod"], "confidence": 0.95},
        "tags": ["validation", "zod"],
        "pinned": False,
        "createdAt": 1740474900000,
        "updatedAt": 1740474900000,
        "accessCount": 3,
    }
    assert unlike(read, {"memory": row, "layer": 2}) == []
    assert DECISION["metadata"].items() <= read["memory"]["metadata"].items()

    content, tags = "Use Zod for all API validation. Schemas live in src/schemas/.", ["validation", "zod", "api"]
    updated = _call(agent, "update", memoryId=stored, content=content, tags=tags)
    changed = {name: row[name] for name in ("id", "type", "content", "tags", "createdAt", "updatedAt")}
    assert unlike(updated, {"memory": changed, "layer": 2, "success": True}) == []
    assert (updated["memory"]["id"], updated["memory"]["content"], updated["memory"]["tags"]) == (stored, content, tags)

    deleted = _call(agent, "delete", memoryId=stored)
    assert (deleted["success"], deleted["deletedFrom"]) == (True, 2)
    assert "No memory" in agent.refusal("context.delete", memoryId="a1b2c3d4-e5f6-7890-abcd-ef1234567890")


def test_promote(agent: PlannerAgent) -> None:
    stored = _call(agent, "store", type="scratchpad", content="The retry queue is called jobs-2.", metadata={})
    assert stored["layer"] == 1
    promoted = _call(agent, "update", memoryId=stored["id"], targetLayer=2)
    assert unlike(promoted, {"success": True, "memoryId": "a1b2c3d4", "newLayer": 2}) == []
    assert promoted["newLayer"] == 2
    assert _call(agent, "get", memoryId=promoted["memoryId"])["layer"] == 2


def test_list_and_stats(agent: PlannerAgent) -> None:
    _store(agent, "decision", "Use Zod for all API validation.", ["validation"])
    _store(agent, "decision", "Deploys happen on Tuesdays.", ["deploy"], pinned=True)
    answer = _call(agent, "list", layer=2, type="decision", limit=10, offset=0)
    row = {
        "id": "mem-042",
        "type": "decision",
        "content": "Use Zod for all API validation.",
        "metadata": {"tags": ["validation"]},
        "tags": ["validation"],
        "pinned": False,
        "createdAt": 1740474900000,
        "updatedAt": 1740474900000,
    }
    assert unlike(answer, {"memories": [row], "total": 47, "limit": 10, "offset": 0, "layer": 2}) == []
    assert (answer["total"], answer["limit"], answer["offset"], answer["layer"]) == (2, 10, 0, 2)

    stats = _call(agent, "list", stats=True)
    assert unlike(stats, {"l1": 3, "l2": 47, "l3": 12, "total": 62, "pinned": {"l2": 2, "l3": 1}}) == []
    assert (stats["l2"], stats["pinned"]["l2"]) == (2, 1)
    assert stats["total"] == stats["l1"] + stats["l2"] + stats["l3"]


def test_summarize(agent: PlannerAgent) -> None:
    for number in range(4):
        _store(agent, "decision", f"Service number {number} answers within {number}00 milliseconds.", ["slo"])
    asked: Json = {
        "sessionId": "session-abc-123",
        "layer": 2,
        "olderThanDays": 30,
        "options": {"targetTokens": 2000, "includePatterns": True, "includeDecisions": True},
    }
    young = _call(agent, "summarize", **asked)
    assert (young["summarizedCount"], young["layer"]) == (0, 2)
    assert young["summary"]
    # What is as old as the example says cannot be made from outside.
    answer = _call(agent, "summarize", **{**asked, "olderThanDays": 0})
    printed: Json = {
        "summaryId": "summary-2026-02-25",
        "summarizedCount": 47,
        "summary": "Over the past ...",
        "layer": 2,
    }
    assert unlike(answer, printed) == []
    assert (answer["summarizedCount"], answer["layer"]) == (4, 2)
    assert _call(agent, "get", memoryId=answer["summaryId"])["memory"]["type"] == "summary"


def test_report_event(agent: PlannerAgent) -> None:
    event: Json = {
        "type": "error_occurred",
        "payload": {
            "error": "TypeError: Cannot read properties of undefined (reading 'email')",
            "file": "src/api/users.ts",
            "line": 42,
        },
        "timestamp": "2026-02-25T09:00:00.000Z",
        "sessionId": "session-abc-123",
        "cliType": "claude-code",
        "projectPath": "/home/user/myapp",
    }
    answer = _call(agent, "reportEvent", event=event)
    printed: Json = {
        "processed": True,
        "memoryId": "mem-100",
        "triggeredActions": ["stored_error_memory", "searched_similar_errors"],
        "message": "Error recorded. Found 1 similar error from last week.",
    }
    assert unlike(answer, printed) == []
    assert answer["processed"] is True
    assert {"stored_error_memory", "searched_similar_errors"} <= set(answer["triggeredActions"])
    assert _call(agent, "get", memoryId=answer["memoryId"])["memory"]["type"] == "bug_fix"


def test_setup(issuing_target: Target, agent: PlannerAgent) -> None:
    answer = _call(agent, "setup", cli="opencode", useDocker=True, preview=False)
    if issuing_target.home is not None:
        assert unlike(answer, {"success": True, "cli": "opencode", "configFile": "~/...", "message": "..."}) == []
        assert (answer["success"], answer["configFile"]) == (True, "~/.config/opencode/opencode.json")
        assert issuing_target.url in (issuing_target.home / ".config" / "opencode" / "opencode.json").read_text()
    else:
        assert (answer["preview"], answer["useDocker"]) == (True, True)

    preview = _call(agent, "setup", cli="gemini", preview=True)
    printed: Json = {"preview": True, "cli": "gemini", "useDocker": False, "snippet": "{...}", "message": "..."}
    assert unlike(preview, printed) == []
    assert '"mcpServers"' in preview["snippet"]
    if issuing_target.home is not None:
        assert preview["message"].startswith("This is what would be added to your gemini MCP config.")
        assert not (issuing_target.home / ".gemini").exists()
