"""Events that outlast the session: errors, decisions, patterns and feedback of the user."""

import re
from typing import Any

from almanac.families.context.core.types import Layer
from almanac.families.context.reports.capture import (
    CODE_BYTES,
    NAME_BYTES,
    SHORT_BYTES,
    TEXT_BYTES,
    Capture,
    Content,
    code_block,
    file_context,
    file_of_event,
    lasting_request,
    missing_field,
    required_text,
)
from almanac.families.context.reports.errors import same_error
from almanac.families.context.reports.parsed_event import ParsedEvent
from almanac.families.context.reports.texts import fold, head

_KIND = re.compile(r"[\w.:]{0,100}(?:Error|Exception)")
_ERROR_NAMES = ("error", "message", "stderr", "text", "description", "output", "content", "stack", "traceback")
_DECISION_NAMES = ("decision", "content", "title", "summary", "description", "text", "message")
_FEEDBACK_NAMES = ("feedback", "text", "message", "comment", "content", "description")
_MORE_OF_ERROR = (
    ("Context", ("context",)),
    ("Command", ("command", "cmd")),
    ("Fix", ("fix", "solution", "resolution")),
)


def error_occurred(event: ParsedEvent) -> list[Capture]:
    payload = event.payload
    error, file = _error(event), file_of_event(event)
    lines, metadata = [f"Error: {error}"], dict[str, Any](error=error)
    if file is not None:
        metadata |= file_context(event, file)
        line = payload.number("line", "linestart", "linenumber")
        lines.append(f"File: {file}" if line is None else f"File: {file}:{line:g}")
    for title, names in _MORE_OF_ERROR:
        text = payload.text(*names)
        if text is not None:
            metadata[title.lower()] = head(text, SHORT_BYTES)
            lines.append(f"{title}: {metadata[title.lower()]}")
    stack = payload.text("stack", "stacktrace", "traceback")
    if stack is not None and head(stack, SHORT_BYTES) != error:
        lines.append(f"Stack: {head(stack, SHORT_BYTES)}")
    content = Content(type="bug_fix", text="\n".join(lines), tags=("error", "bug_fix"), metadata=metadata)
    # A fix is new information, even for a known error.
    same = f"{same_error(error, file)}\n{fold(metadata.get('fix', ''))}"
    return [Capture(request=lasting_request(event, content, 2), action="stored_error_memory", same=same, error=error)]


def decision_made(event: ParsedEvent) -> list[Capture]:
    decision = head(required_text(event, "decision", *_DECISION_NAMES), TEXT_BYTES)
    rationale = event.payload.text("rationale", "reason", "reasoning", "why", "context")
    text, metadata = f"Decision: {decision}", dict[str, Any](decision=head(decision, SHORT_BYTES))
    if rationale is not None and rationale != decision:
        metadata["rationale"] = head(rationale, SHORT_BYTES)
        text += f"\nRationale: {head(rationale, TEXT_BYTES)}"
    content = Content(type="decision", text=text, tags=("decision",), metadata=metadata, source="ai_inferred")
    return [Capture(request=lasting_request(event, content, 2), action="stored_decision", same=fold(decision))]


def pattern_detected(event: ParsedEvent, layer: Layer) -> list[Capture]:
    payload, file = event.payload, file_of_event(event)
    name = head(required_text(event, "name", "name", "pattern", "title", "description", "text", "code"), NAME_BYTES)
    description, code = (
        payload.text("description", "content", "text", "pattern"),
        payload.text("code", "snippet", "example"),
    )
    lines, metadata = [f"Pattern: {name}"], dict[str, Any](title=name)
    if description is not None and head(description, NAME_BYTES) != name:
        metadata["description"] = head(description, SHORT_BYTES)
        lines.append(metadata["description"])
    if file is not None:
        metadata |= file_context(event, file)
    if code is not None:
        shown = head(code, CODE_BYTES)
        metadata |= code_block(event, shown, file)
        lines.append(f"\nCode:\n{shown}")
    content = Content(
        type="code_pattern", text="\n".join(lines), tags=("pattern",), metadata=metadata, source="ai_inferred"
    )
    same = fold(f"{name}\n{code or description or ''}")
    return [Capture(request=lasting_request(event, content, layer), action="stored_pattern", same=same)]


def user_feedback(event: ParsedEvent, layer: Layer) -> list[Capture]:
    feedback, rating = event.payload.text(*_FEEDBACK_NAMES), event.payload.number("rating", "score", "stars")
    if feedback is None and rating is None:
        raise missing_field(event, "feedback")
    metadata: dict[str, Any] = {} if rating is None else {"rating": rating}
    text = "Feedback" if rating is None else f"Feedback (rating: {rating:g}/5)"
    if feedback is not None:
        metadata["feedback"] = head(feedback, SHORT_BYTES)
        text += f": {head(feedback, TEXT_BYTES)}"
    content = Content(
        type="relationship",
        text=text,
        tags=("feedback", "user_preference"),
        metadata=metadata,
        source="user_explicit",
    )
    return [Capture(request=lasting_request(event, content, layer), action="stored_feedback", same=fold(text))]


def _error(event: ParsedEvent) -> str:
    """Return the text of the error, with its name if the payload has that separately."""
    error = head(required_text(event, "error", *_ERROR_NAMES), SHORT_BYTES)
    name = event.payload.text("name", "errorname", "errortype", "type")
    return f"{name}: {error}" if name and name not in error and _KIND.fullmatch(name) else error
