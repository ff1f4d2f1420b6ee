"""Form submission: one tool call, then a redirect to the page, which shows the outcome and offers to undo it.

A form names its `tool`, and has one field for each argument. `a.<argument>` is converted to the type in the tool's
schema, `j.<argument>` is JSON, and `l.<argument>` is a local time in the page's zone, which is validated first. Empty
fields are left out unless `keep` names them. `undo` is the inverse call, in which "$name" stands for a field of the
call's result.
"""

import base64
import binascii
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from almanac.gateway.dashboard.requests import own_path
from almanac.gateway.dashboard.tools import Result
from almanac.gateway.dashboard.visit import View, Visit
from almanac.protocol.invoke import Json

_MAX_NOTICE = 3000
_MAX_WARNING = 600
_MAX_TITLE = 60
_TITLES = 3
_STATUSES = {"forbidden": 403, "not_found": 404, "conflict": 409, "revision_conflict": 409, "limit_exceeded": 429}
"""HTTP statuses by the tool's error code. All other codes are 422."""


class Undo(msgspec.Struct, frozen=True):
    tool: str
    args: Json
    says: str = "Undone."


class Notice(msgspec.Struct, frozen=True):
    """A notice at the top of the next page. `at` is its time in milliseconds since 1970. It also identifies a notice
    that has an `undo`. `warning` is what the tool warned of."""

    text: str
    is_good: bool = True
    undo: Undo | None = None
    at: int = 0
    warning: str = ""


class Notices(msgspec.Struct, frozen=True):
    """Notices of a browser. `fresh` is for the next page, and `past` are those that can be undone, newest first."""

    fresh: Notice | None = None
    past: tuple[Notice, ...] = ()

    def after(self, notice: Notice, undone: str) -> "Notices":
        """Return the notices after a form was submitted, without the one that `undone` identifies."""
        left = tuple(one for one in self.past if str(one.at) != undone)
        return Notices(notice, (replace(notice, warning=""), *left) if notice.undo is not None else left)


@dataclass(frozen=True, slots=True)
class Done:
    """A form that was carried out. The browser goes on to `back`, which shows `notice`."""

    back: str
    notice: Notice


def carry_out(visit: Visit) -> Done | View:
    """Carry out the form. Returns a page that keeps all input if a choice is needed or the call failed."""
    form = visit.request.form
    tool, back = form.get("tool", ""), own_path(form.get("back", ""))
    try:
        arguments = dict(_arguments(visit, tool, form))
        _check_wall_time(visit, form)
    except _Ambiguous as question:
        return _choices(visit, question)
    except _Unreadable as wrong:
        return _problem(visit, Result(problem=str(wrong), code="invalid_input"))
    result = visit.tools.call(tool, **arguments)
    data = result.fields
    if not result.is_good:
        return _problem(visit, result)
    if data.get("ok") is False or data.get("success") is False or data.get("released") is False:
        return _problem(visit, Result(problem=_refusal(data), code="conflict"))
    at = round(visit.now.timestamp() * 1000)
    undo = _undo(form.get("undo", ""), data)
    return Done(back, Notice(form.get("says") or "Done.", undo=undo, at=at, warning=_warning(data)))


def _warning(data: Mapping[str, Any]) -> str:
    """Return what the tool warned of: its own sentences, and the events that the new or changed one overlaps."""
    said = [data.get("warning"), *(data.get("warnings") or ())]
    titles = [str(one.get("title") or "(no title)")[:_MAX_TITLE] for one in data.get("conflicts") or ()]
    more = ", ..." if len(titles) > _TITLES else ""
    said += [f"It overlaps {', '.join(f'“{one}”' for one in titles[:_TITLES])}{more}."] if titles else []
    return " ".join(one for one in said if isinstance(one, str))[:_MAX_WARNING]


class _Unreadable(Exception):
    pass


class _Ambiguous(Exception):
    """A local time that does not exist or occurs twice. The person's choice goes into `field` and replaces the fields
    `replaces`."""

    def __init__(self, field: str, replaces: Collection[str], asked: str, answer: Mapping[str, Any]) -> None:
        super().__init__(asked)
        self.field = field
        self.replaces = replaces
        self.asked = asked
        self.answer = answer


def _arguments(visit: Visit, tool: str, form: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    properties: Mapping[str, Any] = visit.tools.input_schema(tool).get("properties", {})
    keep = form.get("keep", "").split()
    for field, text in form.items():
        kind, _, name = field.partition(".")
        if kind not in ("a", "j", "l") or not name or (not text.strip() and name not in keep):
            continue
        if kind == "j":
            try:
                yield name, msgspec.json.decode(text)
            except msgspec.DecodeError:
                raise _Unreadable(f"{name} is not JSON.") from None
        elif kind == "l":
            yield name, _instant(visit, name, text.strip())
        else:
            yield name, parse_field(text, properties.get(name, {}))


def _check_wall_time(visit: Visit, form: Mapping[str, str]) -> None:
    """Raise _Ambiguous for a time that the clocks skip or show twice.

    This is for forms that send date and time in separate fields, which `wall` names. The choice is an instant that
    replaces the date."""
    names = form.get("wall", "").split()
    texts = [form.get(f"a.{name}", "").strip() for name in names]
    if len(texts) != 2 or not all(texts):
        return
    local = f"{texts[0]}T{texts[1]}"
    if len(local) == 16:
        local += ":00"
    answer = visit.tools.call("validate_local_datetime", local_datetime=local, time_zone=visit.zone.key)
    if answer.fields.get("suggested_fixes") or len(answer.fields.get("possible_instants") or ()) > 1:
        raise _Ambiguous(f"a.{names[0]}", ("wall", *(f"a.{name}" for name in names)), local, answer.fields)


def parse_field(text: str, schema: Mapping[str, Any]) -> Any:
    """Return a field's text as a value of the schema's type, or unchanged if it cannot be converted."""
    options = [schema, *schema.get("anyOf", ())]
    types = {option.get("type") for option in options}
    plain = text.strip()
    if not plain and "null" in types and "string" not in types:
        return None
    if "array" in types and "string" not in types:
        return [part.strip() for part in plain.replace("\n", ",").split(",") if part.strip()]
    if "boolean" in types:
        return plain in ("true", "on", "1", "yes")
    for kind, read in (("integer", int), ("number", float)):
        if kind in types:
            try:
                return read(plain)
            except ValueError:
                continue
    return text


def _instant(visit: Visit, name: str, text: str) -> str:
    """Return the local time with its offset. Raises _Ambiguous, _Unreadable."""
    if len(text) > 19:
        return text  # the person chose it before, so it has an offset
    local = text if len(text) == 19 else f"{text}:00"
    answer = visit.tools.call("validate_local_datetime", local_datetime=local, time_zone=visit.zone.key)
    if not answer.is_good:
        raise _Unreadable(answer.problem or "The time cannot be read.")
    instants: list[dict[str, Any]] = answer.data.get("possible_instants") or []
    if answer.data["status"] != "valid":
        raise _Ambiguous(f"l.{name}", (f"l.{name}",), text, answer.data)
    if instants:
        return f"{local}{instants[0]['offset']}"
    return _with_offset(visit, local)


def _with_offset(visit: Visit, local: str) -> str:
    return datetime.fromisoformat(local).replace(tzinfo=visit.zone).isoformat()


def _choices(visit: Visit, question: _Ambiguous) -> View:
    answer = question.answer
    local = question.asked if len(question.asked) == 19 else f"{question.asked}:00"
    options = [
        (f"{local}{one['offset']}", f"{local.replace('T', ' ')[:16]} at UTC{one['offset']}")
        for one in answer.get("possible_instants") or ()
    ]
    options += [
        (
            _with_offset(visit, one["local_datetime"]),
            f"{one['local_datetime'].replace('T', ' ')[:16]} ({one['strategy'].replace('_', ' ')})",
        )
        for one in answer.get("suggested_fixes") or ()
        if not options
    ]
    kept = {name: value for name, value in visit.request.form.items() if name not in (*question.replaces, "token")}
    values = {"message": answer["message"], "options": options, "field": question.field, "kept": kept}
    return View("choice.html", "Which time?", values, status=422)


def _problem(visit: Visit, result: Result) -> View:
    status = _STATUSES.get(result.code or "", 422)
    fields = {name: value for name, value in visit.request.form.items() if name != "token"}
    shown = {
        name: value for name, value in fields.items() if name[:2] in ("a.", "l.") and not name.endswith(("_id", "Id"))
    }
    values = {"problem": result.problem, "shown": shown, "kept": {n: v for n, v in fields.items() if n not in shown}}
    return View("problem.html", "That could not be done", values, status=status)


def _refusal(data: Mapping[str, Any]) -> str:
    facts = {
        name: value
        for name, value in data.items()
        if name in ("reason", "held_by", "held_by_actor", "decided_by", "held_key")
    }
    said = ", ".join(
        f"{name.replace('_', ' ')}: {str(value).replace('_', ' ')}" for name, value in facts.items() if value
    )
    return f"It was refused. {said[:1].upper()}{said[1:]}." if said else "It was refused."


def _undo(text: str, data: Mapping[str, Any]) -> Undo | None:
    if not text:
        return None
    try:
        undo = msgspec.json.decode(text, type=Undo)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
    return Undo(undo.tool, {name: _fill_in(value, data) for name, value in undo.args.items()}, undo.says)


def _fill_in(value: Any, data: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        found: Any = data
        for part in value[1:].split("."):
            found = Result(found).fields.get(part)
        return found
    return value


def notices_cookie(visit: Visit, notices: Notices) -> str:
    """Return the notices as a cookie value that only this session's pages accept, or "" for none. The oldest notices
    are dropped if not all fit."""
    past, fresh = notices.past, notices.fresh
    if not past and fresh is None:
        return ""
    text = msgspec.json.encode(notices)
    while len(text) > _MAX_NOTICE and past:
        past = past[:-1]
        text = msgspec.json.encode(Notices(fresh, past))
    if len(text) > _MAX_NOTICE and fresh is not None:
        text = msgspec.json.encode(Notices(Notice(fresh.text[:200], fresh.is_good)))
    plain = base64.urlsafe_b64encode(text).decode()
    return f"{plain}.{visit.signature(plain)}"


def read_notices(visit: Visit, cookie: str) -> Notices:
    plain, _, signature = cookie.partition(".")
    if not plain or not visit.is_signed(plain, signature):
        return Notices()
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(plain), type=Notices)
    except (binascii.Error, msgspec.DecodeError, msgspec.ValidationError):
        return Notices()
