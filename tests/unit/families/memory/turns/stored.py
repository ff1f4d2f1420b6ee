"""Views of stored turns, which tests need beside the tools."""

import msgspec

from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import SESSIONS, TURNS, Session, Turn
from tests.project_app import ProjectApp


def project_of(app: ProjectApp) -> MemoryProject:
    return open_memory(app.services, app.caller, app.clock)


def turn(app: ProjectApp, turn_id: str) -> Turn:
    found = project_of(app).rows(TURNS).get(turn_id)
    assert found is not None
    return found


def turns(app: ProjectApp) -> list[Turn]:
    return list(project_of(app).rows(TURNS).every())


def turns_of(app: ProjectApp, session_id: str) -> list[Turn]:
    """Return the turns in the order of their positions."""
    return list(project_of(app).rows(TURNS).every(session_id, index="gsi2"))


def session(app: ProjectApp, session_id: str) -> Session:
    found = project_of(app).rows(SESSIONS).get(session_id)
    assert found is not None
    return found


def forget(app: ProjectApp, turn_id: str) -> None:
    """As forgetting does, for a second."""
    forgotten = msgspec.structs.replace(turn(app, turn_id), forgotten_at=app.now, purge_at=app.now + 1000)
    app.store.write(project_of(app).put(forgotten, is_new=False))
