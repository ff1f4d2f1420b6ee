"""The tool that programs call to report events of a session."""

from typing import Annotated

from msgspec import Meta

from almanac.families.context.core.context import Context
from almanac.families.context.reports.event_report import EventReport, report
from almanac.families.context.reports.parsed_event import Event, read
from almanac.protocol.tool import Effect, tool
from almanac.search.questions.port import Search


@tool(
    title="Report what happened while you work",
    effect=Effect.ADDS,
    aliases=["context.reportEvent", "context_report_event"],
    naming="camel",
)
def context_reportEvent(  # noqa: N802 - the name of the contract
    event: Annotated[
        Event,
        Meta(
            description="What happened.",
            examples=[
                {
                    "type": "error_occurred",
                    "payload": {"error": "TypeError: Cannot read properties of undefined", "file": "src/users.ts"},
                    "timestamp": "2026-02-25T09:00:00.000Z",
                    "sessionId": "session-1",
                    "cliType": "claude-code",
                }
            ],
        ),
    ],
    *,
    context: Context,
    search: Search,
) -> EventReport:
    """Report or log what happened in your coding session: a file was opened, a command ran, tests or a build failed, an
    error occurred, the user gave feedback, the session starts or ends. To store a decision in your own words use
    context_store.

    Files and commands stay for an hour or two, errors and decisions for good; an error returns similar earlier ones.
    """
    return report(context, search, read(event, context.now(), context.memory.zone))
