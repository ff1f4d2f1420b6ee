"""An MCP server of the skills in one store. Tests ask it as clients do, and write skills directly to the store."""

import json
import os
import random
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from almanac.families.skills.bundle.files import bundle_of
from almanac.families.skills.core.records import CONTENTS, SKILLS, VERSIONS, Skill, SkillContent, SkillVersion
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.format.skill_parser import read_skill
from almanac.families.skills.mcp_resources.skills import ServedSkills
from almanac.gateway.http.door import fits
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.large_values import LargeValues
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.family import Family, Icon
from almanac.protocol.invoke import Host
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.http import HttpEndpoint, Request
from almanac.protocol.wire.server_info import ServerInfo

CLOCK = FixedClock(datetime(2026, 3, 1, 9, 0, tzinfo=UTC))
SCOPE = Scope("tenant", "project")
ANN = Caller(SCOPE, actor="ann", key_id="key")
STATELESS = "2026-07-28"
_INSTALLED_AT = 1_772_355_600_123


def open_store(folder: Path) -> Store:
    """Open a store that keeps large values in blobs, as installations do."""
    small = SqliteStore(folder / "store.db", clock=CLOCK, cursor_secret=b"a secret of the tests")
    return LargeValues(small, FolderBlobs(folder / "blobs"), os.urandom)


def skill_md(name: str, description: str = "What it does.", *, more: str = "", body: str = "Do it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}\n"


class SkillServer:
    """Serves skills. `defects` are the errors that the server reported."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.defects: list[BaseException] = []
        self.skills = ServedSkills(lambda call: self.project(call.caller))
        family = Family(
            name="skills",
            title="Skills",
            instructions="",
            icon=Icon("https://example.com/icon.svg", "image/svg+xml"),
            tools=(),
            skills=self.skills,
        )
        host = Host(
            clock=CLOCK,
            collaborators={},
            new_reference=lambda: "REF",
            report_defect=lambda _, __, cause: self.defects.append(cause),
        )
        info = ServerInfo(name="skills", title="Skills", version="1")
        self.endpoint = HttpEndpoint(Toolset([family]), host, server=info, carries=fits)

    def project(self, caller: Caller) -> SkillProject:
        backoff = Backoff(sleep=lambda _: None, random=random.random)
        trusted = caller.trusted_installers
        return SkillProject(self.store, caller.scope, caller.actor, CLOCK, os.urandom, backoff, trusted)

    def install(
        self,
        text: str,
        files: Mapping[str, bytes] = {},
        *,
        name: str | None = None,
        number: int = 1,
        by: str = "ann",
        scope: Scope = SCOPE,
        removed: bool = False,
    ) -> SkillVersion:
        """Store a skill in the state that its installation leaves. Return the stored version."""
        reading = read_skill(text, None)
        assert reading.manifest is not None
        version = SkillVersion(
            name=name or reading.manifest.name,
            number=number,
            skill_md=text,
            digest=sha256(text.encode()).hexdigest(),
            frontmatter=json.dumps(reading.manifest.frontmatter),
            description=reading.manifest.description,
            valid=reading.valid,
            errors=reading.errors,
            files=bundle_of(files),
            installed_at=_INSTALLED_AT,
            installed_by=by,
        ).seal()
        skill = Skill(
            name=version.name,
            number=number,
            description=version.description,
            valid=version.valid,
            content=version.content,
            files=len(files) + 1,
            size=len(text),
            installed_at=_INSTALLED_AT,
            installed_by=by,
            changed_at=_INSTALLED_AT,
            removed_at=_INSTALLED_AT if removed else None,
        )
        contents = CONTENTS.within(self.store, scope)
        for data in files.values():
            self.store.write([contents.put(SkillContent(sha256=sha256(data).hexdigest(), data=data))])
        self.store.write([SKILLS.within(self.store, scope).put(skill), VERSIONS.within(self.store, scope).put(version)])
        return version

    def rewrite(self, version: SkillVersion, **changed: Any) -> None:
        """Change fields of a stored version without renewing its seal."""
        self.store.write([VERSIONS.within(self.store, SCOPE).put(msgspec.structs.replace(version, **changed))])

    def answer(
        self, method: str, params: Mapping[str, Any], *, caller: Caller = ANN, revision: str = STATELESS
    ) -> dict[str, Any]:
        meta = {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        }
        headers = {"mcp-protocol-version": revision}
        if revision == STATELESS:
            headers["mcp-method"] = method
            if method == "resources/read":
                headers["mcp-name"] = _in_header(params["uri"])
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        if revision != STATELESS:
            body["params"] = dict(params)
        response = self.endpoint.answer(Request("POST", headers, json.dumps(body).encode()), caller)
        assert response.status < 500
        return json.loads(response.body)

    def result(self, method: str, /, caller: Caller = ANN, revision: str = STATELESS, **params: Any) -> dict[str, Any]:
        answer = self.answer(method, params, caller=caller, revision=revision)
        assert "result" in answer, answer
        return answer["result"]

    def error_of(
        self, method: str, /, caller: Caller = ANN, revision: str = STATELESS, **params: Any
    ) -> tuple[int, str]:
        """Return the code and the message of the error."""
        error = self.answer(method, params, caller=caller, revision=revision)["error"]
        return error["code"], error["message"]

    def names(self, caller: Caller = ANN) -> list[str]:
        """Return the skills' names from all pages of skills/list."""
        listed: list[str] = []
        params: dict[str, Any] = {}
        while True:
            page = self.result("skills/list", caller=caller, **params)
            listed += [skill["frontmatter"]["name"] for skill in page["skills"]]
            if "nextCursor" not in page:
                return listed
            params = {"cursor": page["nextCursor"]}


def _in_header(text: str) -> str:
    return f"=?base64?{b64encode(text.encode()).decode()}?="
