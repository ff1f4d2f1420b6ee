"""Every page in both themes: axe, the policy, other origins, narrow and enlarged windows, no script, keys."""

import gzip

import pytest
from playwright.sync_api import expect

from almanac.gateway.dashboard.dashboard import PAGES
from tests.browser.conftest import OpenTab, Tab, keep, violations

EVERY = [
    *PAGES,
    *(f"/ui/calendar?view={view}" for view in ("day", "month", "agenda")),
    "/ui/calendar?view=week&at=2026-10-25",
    "/ui/memory?q=money",
    "/ui/team?show=files",
    "/ui/sessions?session_id=webhooks",
    "/ui/knowledge?subject=billing+service",
    "/ui/quick?title=Tea&words=next+Tuesday+at+2pm",
    "/ui/event",
    "/ui/memory/one",
    "/ui/nowhere",
]
FOLLOWED = {"/ui/event": "/ui/calendar?view=month", "/ui/memory/one": "/ui/memory"}
"""Pages of one thing, by the page that leads to it."""
_TABBABLE = """() => [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden], [type=radio]:not(:checked)), select, textarea, summary, [tabindex="0"]'
)].filter(e => e.checkVisibility() && !e.disabled)"""
_WATCH = """() => {
    window.reached = new Set(); window.unseen = [];
    for (const each of document.querySelectorAll('main details')) each.open = true;
    document.addEventListener('focusin', event => {
        const e = event.target, box = e.getBoundingClientRect(), style = getComputedStyle(e);
        reached.add(e);
        const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        if (!(box.width && box.height && ring)) unseen.push(e.outerHTML.slice(0, 160));
    });
}"""
_SMALL = """() => [...document.querySelectorAll('button, .button, input:not([type=hidden]), select, textarea, summary')]
    .filter(e => e.checkVisibility() && !e.closest('.unseen'))
    .filter(e => { const box = (e.closest('label.choice') ?? e).getBoundingClientRect();
                   return box.width < 24 || box.height < 24; })
    .map(e => e.outerHTML.slice(0, 160))"""

_CUT = """() => [
    ...[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth),
    ...[...document.querySelectorAll('.slot > .inner')].filter(e => {
        const lines = e.clientHeight / parseFloat(getComputedStyle(e).lineHeight);
        return Math.abs(lines - Math.round(lines)) > .1;
    }),
].map(e => e.outerHTML.slice(0, 160))"""
"""Tables that are wider than their panel, and texts of which half a line shows."""


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("path", EVERY)
def test_a_page_has_no_fault(open_tab: OpenTab, path: str, theme: str) -> None:
    tab = open_tab(theme=theme)
    _visit(tab, path)
    keep(tab, path, f"{theme}-1280")
    assert violations(tab.page) == []
    assert tab.page.evaluate(_SMALL) == []
    assert tab.page.evaluate(_CUT) == []
    for width, height in ((640, 450), (320, 640)):
        tab.page.set_viewport_size({"width": width, "height": height})
        assert tab.page.evaluate("document.scrollingElement.scrollWidth") <= width, f"scrolls at {width}"
    assert theme == "dark" or violations(tab.page) == []
    assert tab.complaints == ([] if path != "/ui/nowhere" else [_NOT_FOUND])
    assert tab.foreign == []


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("path", ["/ui/", "/ui/login"])
def test_the_form_to_sign_in_has_no_fault(open_tab: OpenTab, path: str, theme: str) -> None:
    tab = open_tab(signed=False, theme=theme, width=320, height=640)
    tab.go(path)
    keep(tab, "/ui/login", f"{theme}-320")
    assert violations(tab.page) == []
    assert tab.page.evaluate("document.scrollingElement.scrollWidth") <= 320
    assert (tab.complaints, tab.foreign) == ([], [])


@pytest.mark.parametrize("path", EVERY)
def test_keys_reach_everything_and_show_where_they_are(open_tab: OpenTab, path: str) -> None:
    tab = open_tab()
    _visit(tab, path)
    tab.page.evaluate(_WATCH)
    left = f"({_TABBABLE})().filter(e => !reached.has(e)).map(e => e.outerHTML.slice(0, 160))"
    # Dates and times have a stop for each of their parts.
    for _ in range(
        tab.page.evaluate(f"({_TABBABLE})().length + 5 * document.querySelectorAll('[type=date], [type=time]').length")
    ):
        tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("unseen") == []
    assert tab.page.evaluate(left) == []


@pytest.mark.parametrize("path", EVERY)
def test_a_page_is_whole_without_script(open_tab: OpenTab, path: str) -> None:
    tab = open_tab(script=False)
    _visit(tab, path)
    assert tab.page.locator("h1").count() == 1
    assert tab.page.get_by_role("navigation", name="Pages").get_by_role("link").count() == len(PAGES)
    assert tab.page.locator("[hidden]:not(#zone-differs)").count() == 0


@pytest.mark.parametrize("script", [False, True])
def test_a_narrow_page_begins_with_its_own_content_and_a_menu(open_tab: OpenTab, script: bool) -> None:
    tab = open_tab(script=script, width=320, height=640)
    tab.go("/ui/")
    box = tab.page.get_by_role("heading", name="Today", level=1).bounding_box()
    assert box is not None
    assert box["y"] < 120
    tab.page.get_by_role("button", name="Menu").press("Enter")
    tab.page.get_by_role("navigation", name="Pages").get_by_role("link", name="Board", exact=True).click()
    expect(tab.page.get_by_role("heading", name="Board", level=1)).to_be_visible()
    assert tab.complaints == []


def test_the_first_page_is_light(open_tab: OpenTab) -> None:
    """Counted as it would travel, compressed; nothing is in the browser's cache."""
    tab = open_tab()
    bodies: dict[str, int] = {}
    tab.page.on("response", lambda answer: bodies.update({answer.url: len(gzip.compress(answer.body(), 9))}))
    tab.go("/ui/")
    tab.page.wait_for_load_state("load")
    assert sum(bodies.values()) <= 60_000, bodies
    assert sum(size for address, size in bodies.items() if address.endswith(".js")) <= 24_000, bodies


def _visit(tab: Tab, path: str) -> None:
    if path in FOLLOWED:
        tab.go(FOLLOWED[path])
        tab.go(str(tab.page.locator(f'a[href^="{path}?"]').first.get_attribute("href")))
    elif path == "/ui/nowhere":
        tab.page.goto(tab.url + path)
    else:
        tab.go(path)


_NOT_FOUND = "Failed to load resource: the server responded with a status of 404 (Not Found)"
