"""Views of the week, the board and the claims that a chat client draws from tool results.

Each view is one HTML document that loads nothing. It consists of `chat/frame.html` with the dashboard's stylesheet, the
script that talks to the host, and the script that draws. Views know tools by name, as the dashboard's pages do.
"""

import re
from functools import partial
from importlib import resources

from almanac.protocol.views import ChatView


def _document(name: str, title: str) -> str:
    """Return the view as one self-contained HTML document."""
    folder = resources.files(__package__ or "")
    styles = (folder / "dashboard/static/almanac.css").read_text(encoding="utf-8")
    # The views draw nothing of the layer `pages`, such as the hours of a day.
    styles = styles.partition("@layer pages {")[0]
    styles += (folder / "chat/chat.css").read_text(encoding="utf-8")
    parts = {
        "TITLE": title,
        "STYLES": re.sub(r"\s*([{};,])\s*", r"\1", styles),
        "SCRIPTS": "".join((folder / f"chat/{each}.js").read_text(encoding="utf-8") for each in ("host", name)),
    }
    frame = (folder / "chat/frame.html").read_text(encoding="utf-8")
    for part, text in parts.items():
        frame = frame.replace(f"<!--{part}-->", text)
    return frame


def _view(name: str, title: str, description: str, *tools: str) -> ChatView:
    uri = f"ui://almanac/{name}.html"
    return ChatView(uri, name, title, description, frozenset(tools), partial(_document, name, title))


CHAT_VIEWS = (
    _view(
        "week",
        "Week",
        "Draws events, tasks and free time by day, and moves an event to another day.",
        "list_events",
        "calendar_list_events",
        "find_free_slots",
        "daily_overview",
    ),
    _view(
        "board",
        "Board",
        "Draws a board's cards by column, and moves a card to another column.",
        "kanban_list_cards",
        "kanban_move_card",
    ),
    _view("claims", "Claims", "Draws who holds which claim and works on which file.", "list_claims", "get_focus_map"),
)
