"""Renderer of templates to HTML. It escapes every text and makes invisible characters visible."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.runtime import Context
from jinja2.utils import pass_context
from markupsafe import Markup, escape

# Characters that reorder, hide or join others. Joiners are legitimate between letters that are not ASCII and in emoji.
_UNSEEN = re.compile(
    r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b"
    r"\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
    r"|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)


def visible(value: Any) -> Any:
    """Replace invisible and reordering characters in a text by their code points. Markup is left unchanged, because its
    texts were replaced when it was made."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNSEEN.sub(lambda found: f"\u27e8U+{ord(found[0]):04X}\u27e9", value)
    return value


def field_value(value: Any) -> Markup:
    """Return a form field's value, only escaped, because the browser sends it back unchanged."""
    return escape("" if value is None else value)


def compact(value: Any) -> str:
    """Return a value of any type as text."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def short(text: Any, length: int = 160) -> str:
    plain = " ".join(str(text).split())
    return plain if len(plain) <= length else plain[: length - 1].rstrip() + "\u2026"


def instant_of(value: Any) -> datetime | None:
    """Return the instant that milliseconds or a timestamp stand for, or None."""
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value / 1000, UTC)
    if isinstance(value, str) and value:
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            return None
        return read if read.tzinfo else None
    return value if isinstance(value, datetime) else None


@pass_context
def when(context: Context, value: Any, form: str = "full") -> Markup:
    """Return an instant in the page's zone: `full` with the day, `time` without it, `ago` as a distance from now."""
    instant = instant_of(value)
    if instant is None:
        return escape("" if value is None else value)
    zone: ZoneInfo = context["zone"]
    now: datetime = context["now"]
    local = instant.astimezone(zone)
    exact = f"{local:%Y-%m-%d %H:%M} {zone.key}, {instant.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    words = {"time": f"{local:%H:%M}", "ago": _ago(now, instant)}.get(form) or _day_and_time(
        local, now.astimezone(zone)
    )
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        f"{instant.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", exact, words
    )


def _day_and_time(local: datetime, now: datetime) -> str:
    days = (local.date() - now.date()).days
    day = {0: "today", 1: "tomorrow", -1: "yesterday"}.get(days) or f"{local:%a} {local.day} {local:%b}"
    if local.year != now.year:
        day += f" {local.year}"
    return f"{day} {local:%H:%M}"


def _ago(now: datetime, instant: datetime) -> str:
    seconds = round((now - instant).total_seconds())
    words = _span(abs(seconds))
    return f"{words} ago" if seconds >= 0 else f"in {words}"


def _span(seconds: int) -> str:
    for size, name in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {name}"
    return f"{seconds} s"


def group_thousands(value: int) -> str:
    """Return a number with commas between its thousands."""
    return f"{value:,}"


_BROWSERS = (
    ("Edge", r"Edg(?:A|iOS)?/(\d+)"),
    ("Opera", r"OPR/(\d+)"),
    ("Samsung Internet", r"SamsungBrowser/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"(?:(?:Headless)?Chrome|CriOS)/(\d+)"),
    ("Safari", r"Version/(\d+)[.\d]* (?:Mobile/\w+ )?Safari/"),
)
"""Patterns of browsers. The order matters, since a browser also names the browsers it is compatible with."""
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def device(user_agent: str) -> str:
    """Return name and version of the browser or program with this User-Agent, and its system if it names one."""
    browsers = ((name, re.search(pattern, user_agent)) for name, pattern in _BROWSERS)
    name = next((f"{name} {found[1]}" for name, found in browsers if found), "")
    if not name:
        program = re.match(r"(?!Mozilla/)([\w .+-]{1,40})(?:/v?([\w.+-]{1,20}))?", user_agent)
        name = " ".join(filter(None, program.groups())) if program else "A browser"
    system = next((system for mark, system in _SYSTEMS.items() if mark in user_agent), "")
    return f"{name} on {system}" if system else name


def day(value: Any) -> str:
    """Return a date such as `2026-11-27` as `Fri 27 Nov`, and any other value unchanged."""
    try:
        read = date.fromisoformat(str(value))
    except ValueError:
        return str(value)
    return f"{read:%a} {read.day} {read:%b}"


class Templates:
    """The templates of this package. Each can use the names in `shared`."""

    def __init__(self, shared: Mapping[str, Any]) -> None:
        self._environment = Environment(
            loader=PackageLoader(__package__ or "", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=visible,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        filters: dict[str, Any] = {
            "kept": field_value,
            "when": when,
            "short": short,
            "day": day,
            "compact": compact,
            "grouped": group_thousands,
            "device": device,
        }
        self._environment.filters.update(filters)
        self._environment.globals.update(shared)

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        return self._environment.get_template(name).render(values)
