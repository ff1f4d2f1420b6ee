"""Draw the picture of README from real calls: `python -m tools.readme_picture` writes docs/agent-session.svg.

Two agents work in one project at a fixed time. Each answer is what the tool returned, cut to the fields shown.
"""

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

import msgspec

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.local.data_folder import DataFolder
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.invoke import Host, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call

PICTURE = Path(__file__).parents[1] / "docs/agent-session.svg"
THURSDAY = datetime(2026, 11, 19, 15, 30, tzinfo=UTC)
NIGHT = timedelta(hours=17)
COLUMNS, LINE, CHARACTER, MARGIN = 100, 20, 8.4, 22
COLOURS = {"heading": "#8b98a9", "call": "#7cc7ff", "answer": "#d7dde5", "refusal": "#ffb27a"}
Json = dict[str, Any]


class Line(NamedTuple):
    kind: str
    text: str


class Session:
    """Calls tools as one actor after another and collects the lines to draw."""

    def __init__(self, folder: Path) -> None:
        self.lines: list[Line] = []
        self.clock = FixedClock(THURSDAY)
        families = every_family(services_for(DataFolder(folder).open_store(self.clock), self.clock))
        self._tools = {tool.name: tool for family in families for tool in family.tools}
        collaborators = {kind: make for family in families for kind, make in family.collaborators.items()}
        collaborators |= {
            Clock: lambda call: call.clock,
            Caller: lambda call: call.caller,
            Elicitation: lambda call: call.elicitation,
        }
        self._host = Host(
            clock=self.clock, collaborators=collaborators, new_reference=lambda: "reference", report_defect=_raise
        )
        self._caller = Caller(Scope("acme", "web"), "ann", "key", default_timezone="Europe/Berlin")

    def scene(self, heading: str, actor: str) -> None:
        self.lines += [Line("heading", ""), Line("heading", heading)] if self.lines else [Line("heading", heading)]
        self._caller = Caller(Scope("acme", "web"), actor, f"key of {actor}", default_timezone="Europe/Berlin")

    def call(self, tool: str, *shown: str, **arguments: Any) -> None:
        """Call a tool and draw the result's fields at the paths `shown`, or a refusal's code and first sentence."""
        told = ", ".join(f"{name}={msgspec.json.encode(value).decode()}" for name, value in arguments.items())
        self._write("call", f"{tool}({told})")
        call = Call(self._caller, self.clock, NoProgress())
        outcome = invoke(self._tools[tool], arguments, call, self._host)
        if outcome.structured is None:
            self._write("refusal", _without_ids(outcome.content[0]["text"]))
        else:
            result = msgspec.json.decode(outcome.structured)
            for path in shown:
                self._write("answer", f"{path}: {_as_text(_at(result, path))}")

    def _write(self, kind: str, text: str) -> None:
        first, rest = ("> ", "    ") if kind == "call" else ("  ", "    ")
        self.lines += [Line(kind, part) for part in wrap(text, COLUMNS, initial_indent=first, subsequent_indent=rest)]


def play(session: Session) -> None:
    """Play the scene: two agents want the same slot, and one of them comes back the next morning."""
    tuesday = "2026-11-24T14:00:00+01:00"
    session.scene("Thursday, 4:30 PM. Ann's agent in Claude Code", "ann")
    session.call("context_orient", "summary", projectPath="/home/ann/web")
    session.call("resolve_datetime", "resolved_local", "interpretation", expression="next Tuesday at 2pm")
    session.call(
        "book_slot",
        "success",
        "day_of_week",
        calendar_id="primary",
        start=tuesday,
        end="2026-11-24T15:00:00+01:00",
        summary="Review with Ben",
    )
    session.call(
        "context_store",
        "layer",
        "reason",
        type="decision",
        content="API tokens expire after 15 minutes, since a stolen one worked for a day. password: tr0ub4dor&3x",
    )
    session.scene("At the same time. Ben's agent in Cursor", "ben")
    session.call(
        "book_slot",
        calendar_id="primary",
        start="2026-11-24T14:30:00+01:00",
        end="2026-11-24T15:30:00+01:00",
        summary="Call the supplier",
    )
    session.clock.instant += NIGHT
    session.scene("Friday, 9:30 AM. Ann's agent, a new session that has seen none of this", "ann")
    session.call("context_orient", "summary", projectPath="/home/ann/web")
    session.call("search_memory", "hits.0.content", "coverage.verdict", query="When do API tokens expire?")


def draw_svg(lines: list[Line]) -> str:
    """Return the lines as an SVG of one monospaced column."""
    width, height = round(COLUMNS * CHARACTER) + 3 * MARGIN, len(lines) * LINE + 2 * MARGIN
    rows = "\n".join(
        f'<text x="{MARGIN + CHARACTER * _indent(line.text):g}" y="{MARGIN + (number + 1) * LINE - 6}"'
        f' fill="{COLOURS[line.kind]}">'
        f"{escape(line.text.strip(), quote=False)}</text>"
        for number, line in enumerate(lines)
        if line.text
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14"'
        ' role="img" aria-label="Two agents use Almanac">\n'
        f'<rect width="{width}" height="{height}" rx="10" fill="#12171e"/>\n{rows}\n</svg>\n'
    )


def picture() -> str:
    """Return the picture of a new run."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder))
        play(session)
    return draw_svg(session.lines)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _at(result: Any, path: str) -> Any:
    for part in path.split("."):
        result = result[int(part)] if part.isdigit() else result[part]
    return result


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _without_ids(refusal: str) -> str:
    """Return the refusal without values that differ from run to run."""
    return ", ".join(part for part in refusal.split(", ") if not part.startswith("event_id "))


def _raise(_reference: str, _where: str, defect: BaseException) -> None:
    raise defect


if __name__ == "__main__":
    if "--check" in sys.argv and PICTURE.read_text(encoding="utf-8") != picture():
        sys.exit(f"{PICTURE} is out of date: run python -m tools.readme_picture")
    if "--check" not in sys.argv:
        PICTURE.write_text(picture(), encoding="utf-8")
