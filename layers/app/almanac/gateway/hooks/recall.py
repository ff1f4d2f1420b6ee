"""Selection of memories for a session at its start, at a prompt and at an edit. The search itself is done by tools.

The thresholds for prompts were set on labelled weeks of work with coding agents (docs/decisions/0062-hooks.md has the
figures).
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice, zip_longest
from posixpath import basename
from typing import Any, cast

from almanac.gateway.hooks.events import HookEvent, as_object, as_objects
from almanac.gateway.hooks.injection import Line, strip_injected

Json = dict[str, Any]
CallTool = Callable[..., Json | None]
"""Calls a tool by name for the caller of the hook. Returns the structured result, or None if the tool refuses."""
IsElsewhere = Callable[[str], bool]
"""Returns whether a session, given by the client's own id, worked in another repository."""
IsShared = Callable[[], bool]
"""Returns whether sessions of other repositories also use the project."""

START_TOKENS = 800
COMPACT_TOKENS = 400
PROMPT_TOKENS = 350
EDIT_TOKENS = 200
START_CHARACTERS = 400
PROMPT_CHARACTERS = 360
EDIT_CHARACTERS = 240
LEAST_PROMPT = 20
_QUERY_CHARACTERS = 1000
_MOST_HITS = 3
_SEARCHED = 20
_SNAPSHOT_TOKENS = 2400
_OF_HOOKS = "auto_capture"
"""Tag of memories that context_reportEvent stores by itself, such as the errors that hooks report."""
_TURNS_READ = 100
_TURNS_TOLD = 6
_CLAIMS_TOLD = 5
_LEAST_TEXT = 20

_SIMILAR, _VERY_SIMILAR = 0.75, 0.86
"""Least similarity of a turn that shares two words with the prompt, and of a turn that shares one."""
_KEPT_SIMILAR = 0.72
"""Least similarity of a memory that was stored on purpose and shares a word with the prompt."""
_NEAR = 0.5
"""Least similarity of uncertain hits. They are shown only if no rare word of the prompt is missing."""
_ON_TOPIC, _RARE, _RARE_OF_RAREST = 0.5, 7.0, 1.5
"""Thresholds for prompts that are no questions. A turn needs this similarity, and the idf of the words it shares with
the prompt must add up to `_RARE`, and to `_RARE_OF_RAREST` times the highest idf of any hit's word. The second bound is
there because words are rarer in a large store."""
_WEAK = r"(?:(?:and|so|but|ok|hi|hey|oh|ah|btw|please)[ ,]+)*"
_ASKS = re.compile(
    _WEAK
    + r"(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|should|will|would|has"
    r"|have)\b",
    re.IGNORECASE,
)
_ASKS_TO_DO = re.compile(_WEAK + r"(?:can|could|will|would)\s+(?:you|we|i)\b", re.IGNORECASE)


def at_start(
    event: HookEvent, call: CallTool, actor: str, is_shared: IsShared, is_elsewhere: IsElsewhere
) -> Iterator[Line]:
    """Yield permanent memories, the work of other agents, sentences that still hold, broadcasts, due items and the end
    of the last session here."""
    place = {"projectPath": event.folder} if event.folder else {}
    known = call("get_snapshot", max_tokens=_SNAPSHOT_TOKENS, **_session(event)) or {}
    yield from _claims_of_others(call("list_claims", limit=50) or {}, actor)
    found_out = (one for one in _rows(known, "semantic") if not _is_error_elsewhere(one, call, is_elsewhere))
    pinned = [*_rows(known, "pinned"), *found_out]
    yield from (Line(_text(one), one.get("id")) for one in pinned)
    turns = call("list_recent_turns", limit=_TURNS_READ) or {}
    yield from _current_sentences(event, known, turns, is_shared)
    for one in _rows(known, "broadcasts"):
        value = one.get("value")
        yield Line(value if isinstance(value, str) else str(value), f"broadcast:{one.get('key')}", "broadcast")
    due = as_object(known.get("due_today"))
    for name, about in (("overdue", "overdue"), ("items", "due today")):
        for one in _rows(due, name):
            yield Line(f"{one.get('time') or ''} {one.get('title') or ''}", one.get("id"), about)
    oriented = call("context_orient", **place) or {}
    for one in _rows(oriented, "upcoming"):
        yield Line(str(one.get("title") or one.get("summary") or ""), one.get("id"), "upcoming")
    yield from _last_turns(event, turns)


def at_prompt(event: HookEvent, call: CallTool, is_elsewhere: IsElsewhere) -> Iterator[Line]:
    """Yield the memories that are close enough to the prompt, closest first."""
    prompt = strip_injected(event.prompt)
    if len(prompt) < LEAST_PROMPT or prompt.startswith("/"):
        return
    found = call("search_memory", query=prompt[:_QUERY_CHARACTERS], k=_SEARCHED, explain=True) or {}
    hits = _rows(found, "hits")
    is_near = _is_near if _is_answered(found) else _never if _asks(prompt) else _on_topic(hits)
    worth = (
        hit
        for hit in hits
        if _may_be_told(hit, prompt, event)
        and (is_near(hit) if hit.get("kind") == "turn" else _is_near_memory(hit))
        and not is_elsewhere(str(hit.get("session_id") or ""))
    )
    for hit in islice(worth, _MOST_HITS):
        yield Line(_text(hit), hit.get("id"), "" if hit.get("kind") != "turn" else str(hit.get("role") or ""))


def at_edit(event: HookEvent, call: CallTool, is_elsewhere: IsElsewhere) -> Iterator[Line]:
    """Yield the decisions and fixes that name the file, without errors in files of other repositories."""
    if event.path is None:
        return
    place = {"projectPath": event.folder} if event.folder else {}
    known = call("context_getCurrent", currentFile=event.path, maxTokens=1500, **place) or {}
    name = basename(event.path).lower()
    for one in _rows(known.get("context") or {}, "relevant"):
        about = f"{one.get('content')} {one.get('metadata')}".lower()
        is_known = one.get("type") in ("decision", "bug_fix", "convention") and name in about
        if is_known and not _is_error_elsewhere(one, call, is_elsewhere):
            yield Line(_text(one), one.get("id"), str(one.get("type")).replace("_", " "))


def claim_in_the_way(event: HookEvent, call: CallTool, actor: str) -> Line | None:
    """Return a sentence for a person about another holder of the file, with the claim's id, or None without one."""
    if event.path is None:
        return None
    found = call("list_claims", key=f"file:{event.path}", limit=20) or {}
    for claim in _rows(found, "claims"):
        if not _is_own(claim, event, actor):
            minutes = max(1, round(int(claim.get("expires_in_ms") or 0) / 60_000))
            reason = as_object(claim.get("metadata")).get("reason")
            why = f" ({reason})" if isinstance(reason, str) else ""
            holder = strip_injected(str(claim.get("holder") or claim.get("actor") or "somebody"))[:80]
            key = strip_injected(str(claim.get("key") or event.path))[:200]
            text = f"{holder} has claimed {key}{why[:120]} for another {minutes} min. Edit {event.path} all the same?"
            return Line(text, f"claim:{claim.get('token')}:{claim.get('holder')}:{event.path}")
    return None


def _is_own(claim: Json, event: HookEvent, actor: str) -> bool:
    """Return whether the claim is this key's, unless it names another session as its holder."""
    if claim.get("actor") != actor:
        return False
    holder = str(claim.get("holder") or "")
    return holder in ("", actor) or event.session is None or event.session in holder or not _names_session(holder)


def _names_session(holder: str) -> bool:
    return holder.startswith(("session:", "hook:"))


def _is_answered(found: Json) -> bool:
    """Return whether the found turns answer the prompt.

    Most prompts are no questions, and many questions have no answer here although turns contain their words. Memories
    stored on purpose are not counted."""
    coverage = as_object(found.get("coverage"))
    if coverage.get("verdict") == "thin":
        return not coverage.get("missing") and float(coverage.get("nearest") or 0) >= _NEAR
    return coverage.get("verdict") == "covered"


def _asks(prompt: str) -> bool:
    """Return whether the prompt is a question and not a request to do something."""
    return not _ASKS_TO_DO.match(prompt) and (
        any(mark in prompt for mark in "?\uff1f\u061f") or bool(_ASKS.match(prompt))
    )


def _may_be_told(hit: Json, prompt: str, event: HookEvent) -> bool:
    text = _text(hit)
    if len(text) < _LEAST_TEXT or text == prompt or not _is_of_place(hit, event):
        return False
    # The model already has its own session in its context.
    if hit.get("session_id") is not None and hit.get("session_id") == event.session:
        return False
    return hit.get("kind") != "turn" or hit.get("role") in ("user", "assistant", "agent")


def _is_near_memory(hit: Json) -> bool:
    similarity = _similarity(hit)
    return similarity >= _VERY_SIMILAR or (similarity >= _KEPT_SIMILAR and bool(_idfs(hit)))


def _is_near(turn: Json) -> bool:
    similarity, words = _similarity(turn), len(_idfs(turn))
    return (words >= 2 and similarity >= _SIMILAR) or (words >= 1 and similarity >= _VERY_SIMILAR)


def _on_topic(hits: list[Json]) -> Callable[[Json], bool]:
    least = max(_RARE, _RARE_OF_RAREST * max((idf for hit in hits for idf in _idfs(hit)), default=0))
    return lambda turn: _similarity(turn) >= _ON_TOPIC and len(_idfs(turn)) >= 2 and sum(_idfs(turn)) >= least


def _never(_: Json) -> bool:
    return False


def _similarity(hit: Json) -> float:
    return float(hit.get("similarity") or 0)


def _idfs(hit: Json) -> list[float]:
    """Return the idf of each word that the hit shares with the prompt."""
    return [float(one.get("idf") or 0) for one in _rows(hit.get("why") or {}, "terms")]


def _is_of_place(one: Json, event: HookEvent) -> bool:
    """Return whether the record may be shown here, which excludes records of other repositories."""
    recorded = as_object(one.get("metadata")).get("repository")
    return recorded is None or event.repository is None or recorded == event.repository


def _is_error_elsewhere(one: Json, call: CallTool, is_elsewhere: IsElsewhere) -> bool:
    """Return whether the memory is an error that a hook reported in another repository."""
    tagged = one if "tags" in one else as_object(one.get("metadata"))
    if _OF_HOOKS not in cast("list[Any]", tagged.get("tags") or []):
        return False
    found = call("get_memory", memory_id=str(one.get("id"))) or {}
    return is_elsewhere(str(as_object(found.get("memory")).get("session_id") or ""))


def _claims_of_others(found: Json, actor: str) -> Iterator[Line]:
    claims = [one for one in _rows(found, "claims") if one.get("actor") != actor]
    for claim in claims[:_CLAIMS_TOLD]:
        minutes = max(1, round(int(claim.get("expires_in_ms") or 0) / 60_000))
        holder = claim.get("holder") or claim.get("actor")
        yield Line(f"{claim.get('key')}, by {holder} for {minutes} min", f"claim:{claim.get('token')}", "claimed")


def _current_sentences(event: HookEvent, known: Json, found: Json, is_shared: IsShared) -> Iterator[Line]:
    """Yield sentences that still hold, newest first and alternating between the kinds.

    A sentence does not name its repository. If several repositories share the project, only sentences from the last
    turns here are used."""
    groups = [
        (str(one.get("kind") or ""), cast("list[Any]", one.get("lines") or [])) for one in _rows(known, "standing")
    ]
    listed = [[(kind, str(each)) for each in lines] for kind, lines in groups]
    sentences = [one for some in zip_longest(*listed) for one in some if one is not None]
    turns = _rows(found, "turns")
    here = [turn for turn in turns if _is_of_place(turn, event)]
    is_bounded = event.repository is not None and bool(sentences) and (len(here) < len(turns) or is_shared())
    said = " ".join(_flat(_text(one)) for one in here) if is_bounded else ""
    for kind, text in sentences:
        # In a conversation of several people the sentence begins with the speaker's name.
        unnamed = _flat(text.partition(": ")[2])
        if not is_bounded or _flat(text) in said or (len(unnamed) >= _LEAST_TEXT and unnamed in said):
            yield Line(text, about=kind.replace("_", " "))


def _flat(text: str) -> str:
    return " ".join(text.split()).rstrip(".…")


def _last_turns(event: HookEvent, found: Json) -> Iterator[Line]:
    """Yield the last turns of other sessions, earliest first."""
    turns = [
        one
        for one in _rows(found, "turns")
        if one.get("role") in ("user", "assistant")
        and len(_text(one)) >= _LEAST_TEXT
        and one.get("session_id") != event.session
        and _is_of_place(one, event)
    ]
    for turn in reversed(turns[:_TURNS_TOLD]):
        yield Line(_text(turn)[:200], turn.get("id"), f"{turn.get('role')} said")


def _session(event: HookEvent) -> Json:
    return {"session_id": event.session} if event.session else {}


def _text(one: Json) -> str:
    return strip_injected(str(one.get("content") or ""))


def _rows(found: Any, name: str) -> list[Json]:
    return as_objects(as_object(found).get(name))
