"""The tool that returns the current context."""

from typing import Annotated

from msgspec import Meta

from almanac.families.context.core.context import Context
from almanac.families.context.core.places import MAX_CHARACTERS
from almanac.families.context.tools.recall import SessionId
from almanac.families.context.window.rows import CurrentContext
from almanac.families.context.window.window import current_context
from almanac.families.context.window.window_request import read_window
from almanac.protocol.tool import Effect, tool
from almanac.search.questions.port import Search

_Path = Annotated[str, Meta(max_length=MAX_CHARACTERS)]


@tool(
    title="Get the current context",
    effect=Effect.READS,
    naming="camel",
    aliases=["context.getCurrent", "context_get_current", "context.ghost", "context.getPatterns"],
)
def context_getCurrent(  # noqa: N802 - the contract's name
    session_id: Annotated[SessionId | None, Meta(description="Session whose working memories to show.")] = None,
    current_file: Annotated[_Path | None, Meta(description="Open file.", examples=["src/main.ts"])] = None,
    current_command: Annotated[str, Meta(description="Command that runs.", max_length=4000)] | None = None,
    project_path: Annotated[_Path | None, Meta(description="Folder you work in; memories of it come first.")] = None,
    language: Annotated[str, Meta(description="Only patterns of this language.", max_length=100)] | None = None,
    file_path: Annotated[_Path | None, Meta(description="Only patterns of this file's folder, or of a glob.")] = None,
    max_tokens: Annotated[int, Meta(description="Limit for the whole answer.", ge=200, le=100_000)] = 4000,
    *,
    context: Context,
    search: Search,
) -> CurrentContext:
    """Get the current context while you code: the working memories of the session, and the decisions, bug fixes and
    patterns that are relevant right now to the file you open or edit or the command you run. To search use
    context_recall.
    """
    request = read_window(
        session=session_id,
        file=current_file,
        command=current_command,
        place=project_path,
        language=language,
        pattern_file=file_path,
        max_tokens=max_tokens,
    )
    return current_context(context, search, request)
