"""Helpers for tests of the context window."""

from typing import Any

from almanac.families.context.storage.store_memory import StoreRequest, store
from almanac.kernel.caller import Caller
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import context_of


def window(app: ProjectApp, caller: Caller | None = None, **more: Any) -> Json:
    """The context of context_getCurrent."""
    return app.do("context_getCurrent", caller=caller, **more)["context"]


def ids(rows: list[Json]) -> list[str]:
    return [row["id"] for row in rows]


def ghosts(app: ProjectApp, **more: Any) -> dict[str, Json]:
    """Ghost messages by their trigger."""
    found = window(app, **more)["ghostMessages"]
    assert len({each["trigger"] for each in found}) == len(found)
    return {each["trigger"]: each for each in found}


def store_note(app: ProjectApp, content: str, session: str | None = None, **more: Any) -> str:
    """The id of a working memory."""
    asked = StoreRequest(type="scratchpad", content=content, session=session, **more)
    return store(context_of(app), asked).memory.id


def pattern(app: ProjectApp, content: str, language: str | None = None, path: str | None = None, **more: Any) -> str:
    """The id of a code pattern of layer 2."""
    metadata: Json = {"codeBlock": {"code": f"// {content}", **({"language": language} if language else {})}}
    if path is not None:
        metadata["fileContext"] = {"path": path}
    layer = more.pop("layer", 2)
    return app.do("context_store", type="code_pattern", content=content, metadata=metadata, layer=layer, **more)["id"]
