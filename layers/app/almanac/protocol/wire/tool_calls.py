"""tools/call, from its parameters to the fields of its result."""

from almanac.protocol.elicitation import InputRequired
from almanac.protocol.invoke import Host, Outcome, invoke
from almanac.protocol.message import headers, rpc
from almanac.protocol.message.revisions import PROGRESS_MESSAGE_SINCE, STRUCTURED_SINCE
from almanac.protocol.message.rpc import INVALID_PARAMS, Json, RpcError, json_text
from almanac.protocol.progress import NoLog, NoProgress, RecordedLog, RecordedProgress
from almanac.protocol.tool import Call
from almanac.protocol.toolset import View
from almanac.protocol.wire import elicitation, params
from almanac.protocol.wire.exchange import Exchange

_NO_PROGRESS = NoProgress()
_NO_LOG = NoLog()


def call_tool(exchange: Exchange, host: Host) -> str:
    """Run the named tool. RpcError for a name outside the view or a header that contradicts an argument."""
    request = params.read(exchange.params, params.CallTool)
    exchange.tool = request.name
    listed_tool = exchange.view.by_name.get(request.name)
    if listed_tool is None:
        raise RpcError(INVALID_PARAMS, _unknown_tool(request.name, exchange.view))
    tool = listed_tool.callable_tool
    arguments = request.arguments or {}
    if exchange.stateless and exchange.headers is not None:
        headers.check_parameters(exchange.headers, tool.header_arguments, arguments)
    token = request.meta.progress_token if request.meta else None
    progress = _NO_PROGRESS if token is None else RecordedProgress()
    log = _NO_LOG if exchange.stateless else RecordedLog()
    answers = elicitation.read_elicitation(exchange, request, host)
    call = Call(exchange.caller, host.clock, progress, log, answers, exchange.hub_url)
    try:
        outcome = invoke(tool, arguments, call, host)
    except InputRequired as required:
        return json_text(elicitation.input_required(required, exchange, request, host))[1:-1]
    if isinstance(log, RecordedLog):
        exchange.notices += [_log_notification(level, text) for level, text in log.entries]
    if token is not None and isinstance(progress, RecordedProgress):
        exchange.notices += [_progress_notification(token, report, exchange.revision) for report in progress.reports]
    exchange.meta, exchange.error = outcome.meta, outcome.error
    return result_fields(outcome, exchange.revision)


def _unknown_tool(name: str, view: View) -> str:
    reason = view.exclusion_reasons.get(name)
    if reason is None:
        return f"No tool is called {name[:64]}. tools/list has them all."
    return f"{name} cannot be called here: {reason}. tools/list has what can; whoever issues keys can widen one."


def result_fields(outcome: Outcome, revision: str) -> str:
    """Return the outcome as the fields of MCP's CallToolResult, without `_meta`."""
    fields = '"content":' + json_text(outcome.content)
    if outcome.structured is not None and revision >= STRUCTURED_SINCE:
        fields += ',"structuredContent":' + outcome.structured
    return fields + ',"isError":true' if outcome.is_error else fields


def _log_notification(level: str, text: str) -> str:
    return rpc.notification("notifications/message", {"level": level, "data": text})


def _progress_notification(token: int | str, report: tuple[float, float | None, str], revision: str) -> str:
    done, total, message = report
    fields: Json = {"progressToken": token, "progress": done}
    if total is not None:
        fields["total"] = total
    if message and revision >= PROGRESS_MESSAGE_SINCE:
        fields["message"] = message
    return rpc.notification("notifications/progress", fields)
