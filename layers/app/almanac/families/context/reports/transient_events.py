"""Events with short-lived memories: opened files, commands, and the start and end of sessions. A failed command is also
stored as an error."""

from typing import Any

from almanac.families.context.reports.capture import (
    CODE_BYTES,
    FILE_NAMES,
    NAME_BYTES,
    SHORT_BYTES,
    Capture,
    Content,
    code_block,
    file_context,
    lasting_request,
    required_text,
    working_request,
)
from almanac.families.context.reports.errors import has_failed, same_error
from almanac.families.context.reports.parsed_event import ParsedEvent
from almanac.families.context.reports.texts import fold, head, tail

_OUTPUT_BYTES = 600


def file_opened(event: ParsedEvent) -> list[Capture]:
    path = head(required_text(event, "path", *FILE_NAMES), NAME_BYTES)
    text = event.payload.text("content", "text")
    metadata = dict(file_context(event, path))
    if text is not None:
        metadata |= code_block(event, head(text, CODE_BYTES // 4), path)
    content = _note(event, f"File opened: {path}", metadata)
    return [Capture(request=working_request(event, content, f"file:{path}", 1), action="stored_scratchpad")]


def command_executed(event: ParsedEvent) -> list[Capture]:
    payload = event.payload
    command = head(required_text(event, "command", "command", "cmd", "commandline", "text"), SHORT_BYTES)
    code = payload.number("exitcode", "code", "status", "returncode", "exitstatus")
    output = payload.text("output", "stdout", "result", "content", ends=True) or ""
    stderr = payload.text("stderr", "error", "message", ends=True) or ""
    said = output if stderr in output else f"{output}\n{stderr}".strip()
    metadata: dict[str, Any] = {"command": command, "hasOutput": bool(said)}
    lines = [f"Command: {command}"]
    if code is not None:
        metadata["exitCode"] = code
        lines.append(f"Exit code: {code:g}")
    if said:
        lines.append(f"Output: {tail(said, _OUTPUT_BYTES)}")
    storing = working_request(event, _note(event, "\n".join(lines), metadata), f"command:{fold(command)}", 2)
    noted = Capture(request=storing, action="stored_command")
    if not has_failed(code, payload.flag("success", "ok", "succeeded"), output, stderr):
        return [noted]
    return [noted, _failure(event, command, tail(stderr or output, SHORT_BYTES), metadata)]


def session_start(event: ParsedEvent) -> list[Capture]:
    where = f" in {event.place}" if event.place else ""
    content = _note(event, f"Session started: {event.cli}{where}")
    return [Capture(request=working_request(event, content, "session", 24), action="initialized_session")]


def session_end(event: ParsedEvent) -> list[Capture]:
    summary = event.payload.text("summary", "reason", "text", "message")
    content = _note(event, f"Session ended: {head(summary, SHORT_BYTES)}" if summary else "Session ended")
    return [Capture(request=working_request(event, content, "session", 1), action="session_closed")]


def _failure(event: ParsedEvent, command: str, error_text: str, metadata: dict[str, Any]) -> Capture:
    content = Content(
        type="bug_fix",
        text=f'Error from command "{command}":\n{error_text}',
        tags=("error", "command_failed"),
        metadata={**metadata, "errorOutput": error_text},
    )
    same = f"{fold(command)}\n{same_error(error_text, None)}"
    return Capture(request=lasting_request(event, content, 2), action="stored_error", same=same, error=error_text)


def _note(event: ParsedEvent, text: str, metadata: dict[str, Any] | None = None) -> Content:
    return Content(type="scratchpad", text=text, tags=(event.type,), metadata=metadata or {})
