"""Records of the memories each client session was told, so that none is told twice.

Instants are milliseconds since 1970.

P#<tenant>#<project>#hook_sessions   <session>   HookSession
"""

from almanac.platform.store.records import Table, VersionedRecord

KEPT_MS = 90 * 86_400_000


class HookSession(VersionedRecord, frozen=True, kw_only=True):
    """One session of a client. `session` is a digest of the session's own id. `told` has a short digest of
    each injected memory. `tokens` estimates all injected text, and `injections` counts the answers with injected
    text."""

    session: str
    client: str
    key_id: str
    at: int
    expires_at: int
    repository: str | None = None
    told: tuple[str, ...] = ()
    tokens: int = 0
    injections: int = 0


HOOK_SESSIONS = Table(HookSession, "hook_sessions", sort=("session",), expires="expires_at")
