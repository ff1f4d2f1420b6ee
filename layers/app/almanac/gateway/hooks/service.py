"""Handling of one hook event: record what was said, select memories for the session, and note which it was told."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec

from almanac.gateway.hooks import recall
from almanac.gateway.hooks.answers import EMPTY, Reply, answer_of, takes_text
from almanac.gateway.hooks.events import HookEvent, SentTurn, as_object, as_objects
from almanac.gateway.hooks.injection import Injection, Line, injection_of, strip_injected
from almanac.gateway.hooks.records import HOOK_SESSIONS, KEPT_MS, HookSession
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError
from almanac.kernel.instants import iso, now_ms
from almanac.platform.store.port import ConditionFailed, Store
from almanac.platform.store.records import Rows, replace

Json = dict[str, Any]
_DIGEST = 24
_MARK = 10
_MOST_TOLD = 1500
"""Most marks, of ten characters each, that a session record holds. A session with more is told nothing more."""
_TRIES = 3
_WAITED_MS, _WAITED_AT_START_MS = 650, 1400
"""Time for which the installed hooks wait for an answer, excluding the transfer."""
_TURN_BYTES = 60_000
_ERROR_CHARACTERS = 4000
_SESSIONS_COUNTED = 500


class Hooks:
    """Hooks of one caller. `call` calls a tool through the same endpoint as every other client."""

    def __init__(self, call: recall.CallTool, store: Store, caller: Caller, clock: Clock) -> None:
        self._call = call
        self._caller = caller
        self._clock = clock
        self._store = store
        self._rows: Rows[HookSession] = HOOK_SESSIONS.within(store, caller.scope)
        self._began = now_ms(clock)
        self._waited_for = _WAITED_MS

    def answer(self, event: HookEvent) -> Json:
        """Return the answer to the event, in the client's own JSON."""
        self._waited_for = _WAITED_AT_START_MS if event.kind == "start" else _WAITED_MS
        match event.kind:
            case "start":
                is_elsewhere = self._is_elsewhere(event)
                lines = recall.at_start(
                    event, self._call, self._caller.actor, lambda: self._is_shared(event), is_elsewhere
                )
                most = recall.COMPACT_TOKENS if event.source == "compact" else recall.START_TOKENS
                return answer_of(event, Reply(self._block_for(event, lines, most, recall.START_CHARACTERS)))
            case "prompt":
                # Search before recording, so that the prompt does not find itself.
                lines = recall.at_prompt(event, self._call, self._is_elsewhere(event))
                text = self._block_for(event, lines, recall.PROMPT_TOKENS, recall.PROMPT_CHARACTERS)
                self._record_prompt(event)
                return answer_of(event, Reply(text))
            case "before_edit":
                claimed = recall.claim_in_the_way(event, self._call, self._caller.actor)
                ask = claimed.text if claimed and self._is_first(event, claimed) else ""
                return answer_of(event, Reply(self._block_for_edit(event), ask))
            case "after_edit":
                text = self._block_for_edit(event)
                self._note_edit(event)
                return answer_of(event, Reply(text))
            case "error":
                return answer_of(event, Reply(self._block_for_error(event)))
            case "turns":
                self._record_turns(event)
            case "end":
                self._record_turns(event)
                if event.session is not None:
                    self._call("summarize_session", session_id=event.session, force=True)
            case _:
                pass
        return EMPTY

    def usage(self) -> Json:
        """Return how much the caller's key was told recently, for `almanac connect --status`."""
        sessions = [
            record
            for record in self._rows.query(limit=_SESSIONS_COUNTED).records
            if record.key_id == self._caller.key_id
        ]
        return {
            "sessions": len(sessions),
            "injections": sum(session.injections for session in sessions),
            "injected_tokens": sum(session.tokens for session in sessions),
            "last_seen": iso(max((session.at for session in sessions), default=None)),
        }

    def _block_for_edit(self, event: HookEvent) -> str:
        lines = recall.at_edit(event, self._call, self._is_elsewhere(event)) if takes_text(event) else ()
        return self._block_for(event, lines, recall.EDIT_TOKENS, recall.EDIT_CHARACTERS)

    def _block_for(self, event: HookEvent, lines: Iterable[Line], most_tokens: int, characters: int) -> str:
        """Return the block for the model after noting that the session was told it, or "" if nothing is new."""
        if not takes_text(event):
            return ""
        session = self._session(event)
        told = set(session.told)
        new = [line for line in _different(lines) if line.text.strip() and not told & set(_marks(line))]
        injection = injection_of(new, most_tokens, characters)
        if len(session.told) >= _MOST_TOLD:
            injection = Injection()
        if not injection.text and event.kind != "start":
            return ""
        return injection.text if self._note_told(session, injection) else ""

    def _is_first(self, event: HookEvent, line: Line) -> bool:
        """Return whether a question is to be asked, and note it, since a session is asked only once. If it cannot be
        noted, the question is asked all the same."""
        for _ in range(_TRIES):
            session = self._session(event)
            if _digest(line.id or line.text) in session.told:
                return False
            if len(session.told) >= _MOST_TOLD or self._note_told(session, Injection(lines=(line,))):
                break
        return True

    def _note_told(self, session: HookSession, injection: Injection) -> bool:
        """Note the injected lines, and return whether to send them.

        False if another hook of the session was quicker, since it may have told the same lines, and if the client no
        longer waits, since a later answer can tell them."""
        now = now_ms(self._clock)
        if injection.lines and now - self._began > self._waited_for:
            return False
        marks = tuple(mark for line in injection.lines for mark in _marks(line))
        noted = msgspec.structs.replace(
            session,
            at=now,
            expires_at=now + KEPT_MS,
            told=(*session.told, *marks),
            tokens=session.tokens + injection.tokens,
            injections=session.injections + bool(injection.text),
        )
        try:
            is_new = session.expires_at == 0
            self._store.write([self._rows.insert(noted) if is_new else replace(self._rows, noted)])
        except (ConditionFailed, AlmanacError):
            return False
        return True

    def _session(self, event: HookEvent) -> HookSession:
        """Return the stored session, or a new one, whose expiry is 0 until it is written."""
        own = _session_digest(event.session or f"{self._caller.key_id} {event.client}")
        new = HookSession(
            session=own,
            client=event.client,
            key_id=self._caller.key_id,
            at=0,
            expires_at=0,
            repository=event.repository,
        )
        return self._rows.get(own) or new

    def _is_shared(self, event: HookEvent) -> bool:
        """Return whether sessions of other repositories also use the project, or so many sessions that some may."""
        known = self._rows.query(limit=_SESSIONS_COUNTED).records
        own = (None, event.repository)
        return len(known) >= _SESSIONS_COUNTED or any(one.repository not in own for one in known)

    def _is_elsewhere(self, event: HookEvent) -> recall.IsElsewhere:
        def is_elsewhere(session: str) -> bool:
            if not session or event.repository is None:
                return False
            known = self._rows.get(_session_digest(session))
            return known is not None and known.repository not in (None, event.repository)

        return is_elsewhere

    def _record_prompt(self, event: HookEvent) -> None:
        """Record a prompt, unless the client has a transcript, which contains it."""
        if event.has_transcript or not strip_injected(event.prompt):
            return
        self._record(event, [self._turn(event, "user", event.prompt, self._own_id(event, event.prompt))])

    def _record_turns(self, event: HookEvent) -> None:
        if event.turns is not None:
            self._record(event, [turn for one in event.turns if (turn := self._turn_of(event, one))])
        elif event.reply:
            self._record(event, [self._turn(event, "assistant", event.reply, self._own_id(event, event.reply))])

    def _record(self, event: HookEvent, turns: list[Json]) -> None:
        turns = [turn for turn in turns if turn["content"]]
        if not turns:
            return
        session = self._session(event)
        if session.expires_at == 0 and event.session is not None:
            self._note_told(session, Injection())
        named = {"session_id": event.session} if event.session else {}
        answered = self._call("record_turns", turns=turns, tool=event.client, **named) or {}
        if any(as_object(one.get("error")).get("retryable") for one in as_objects(answered.get("results"))):
            raise TryAgain

    def _turn_of(self, event: HookEvent, sent: SentTurn) -> Json:
        turn = self._turn(event, sent.role, sent.text, _turn_id(event.session, sent.id), sent.agent)
        return turn | ({"occurred_at": sent.at} if _is_instant(sent.at) else {})

    def _turn(self, event: HookEvent, role: str, text: str, own_id: str | None, agent: str | None = None) -> Json:
        content = strip_injected(text).encode()[:_TURN_BYTES].decode("utf-8", "ignore")
        metadata = {"repository": event.repository, "agent": agent or event.agent}
        kept = {name: value for name, value in metadata.items() if value}
        said: Json = {"content": content, "role": role, "metadata": kept}
        # Ignore a client's clock that runs ahead of the server's.
        when = event.at if event.at is not None and 0 <= event.at <= now_ms(self._clock) else None
        identity: Json = {"client_turn_id": own_id, "occurred_at": when}
        return said | {name: value for name, value in identity.items() if value is not None}

    def _own_id(self, event: HookEvent, text: str) -> str | None:
        """Return an id for text of a hook without a transcript, or None if a repeated event looks like a new one."""
        return _turn_id(event.session, f"{event.once} {text}") if event.once else None

    def _note_edit(self, event: HookEvent) -> None:
        if event.path is None or self._caller.readonly:
            return
        named = {"session_id": event.session} if event.session else {}
        self._call("heartbeat", current_file=event.path, current_action="editing", tool=event.client, **named)

    def _block_for_error(self, event: HookEvent) -> str:
        message = strip_injected(event.error or "")[:_ERROR_CHARACTERS]
        if not message:
            return ""
        payload = {"message": message, "filePath": event.path, "command": event.command}
        said = {name: value for name, value in payload.items() if value}
        named = {"sessionId": event.session} if event.session else {}
        found = self._call("context_reportEvent", event={"type": "error_occurred", "payload": said, **named}) or {}
        lines = [
            Line(str(one.get("content") or ""), one.get("id"), "seen before")
            for one in as_objects(found.get("similar"))
        ]
        return self._block_for(event, lines[:1], recall.EDIT_TOKENS, recall.EDIT_CHARACTERS)


class TryAgain(Exception):
    """A tool could not record an event now. The sender keeps the event and sends it again."""


def _different(lines: Iterable[Line]) -> Iterable[Line]:
    seen: set[str] = set()
    for line in lines:
        marks = set(_marks(line))
        if not marks & seen:
            yield line
        seen |= marks


def _marks(line: Line) -> tuple[str, ...]:
    """Return the marks of a line, for its memory and for its words, because two memories may say the same."""
    words = _digest(" ".join(line.text.lower().split()))
    return (_digest(line.id), words) if line.id else (words,)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:_MARK]


def _session_digest(session: str) -> str:
    return sha256(session.encode("utf-8", "replace")).hexdigest()[:_DIGEST]


def _turn_id(session: str | None, own: str) -> str:
    digest = sha256(f"{session or ''}\n{own}".encode("utf-8", "replace")).hexdigest()
    return f"hook:{digest[:40]}"


def _is_instant(at: Any) -> bool:
    return (isinstance(at, int) and at >= 0) or (isinstance(at, str) and at[:2] == "20" and "T" in at)
