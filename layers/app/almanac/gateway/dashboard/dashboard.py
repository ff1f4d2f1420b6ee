"""The dashboard: pages under /ui/, their sessions, and the frame around each page.

    GET  /ui/...            a page, or the sign-in form for a browser without a session
    POST /ui/login          begins a session with a key or a one-time code
    POST /ui/do             calls one tool
    POST /ui/ticket         returns the ticket with which a page opens the live feed's socket, on AWS
    GET  /ui/static/...     files, without a session

`enter` admits or refuses a request, and `answer` makes the page. In between a laptop waits for the tenant's turn.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from almanac.gateway.dashboard import answers, knowledge_pages, operator_pages, planner_pages
from almanac.gateway.dashboard.actions import Done, Notice, Notices, carry_out, notices_cookie, read_notices
from almanac.gateway.dashboard.door import LIVE, PageListener
from almanac.gateway.dashboard.lists import LISTINGS, list_page
from almanac.gateway.dashboard.operator_pages import Operator, StoredBytes
from almanac.gateway.dashboard.renderer import Templates
from almanac.gateway.dashboard.requests import HOME, MAX_FORM_BYTES, Origins, UiRequest, own_path, read_request
from almanac.gateway.dashboard.tools import Result, ToolCalls
from almanac.gateway.dashboard.visit import View, Visit
from almanac.gateway.http.facts import Event
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import Refusal
from almanac.identity.api_key import read_api_key
from almanac.identity.browser_sessions import MOST_MS, BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.identity.records import KeyRecord, check_zone
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.platform.store.port import Store
from almanac.protocol.wire.http import Response

Page = Callable[[Visit], View]


def _usage(visit: Visit) -> View:
    # Import here, because the module also imports its counters.
    from almanac.gateway.dashboard.usage import usage  # noqa: PLC0415

    return usage(visit)


PAGES: Mapping[str, tuple[str, Page]] = {
    "/ui/": ("Today", planner_pages.today),
    "/ui/calendar": ("Calendar", planner_pages.calendar),
    "/ui/board": ("Board", planner_pages.board),
    "/ui/team": ("Team", knowledge_pages.team),
    "/ui/inbox": ("Inbox", knowledge_pages.inbox),
    "/ui/memory": ("Memory", knowledge_pages.memory),
    "/ui/sessions": ("Sessions", knowledge_pages.sessions),
    "/ui/knowledge": ("Knowledge", knowledge_pages.knowledge),
    **{path: (shown.title, list_page(shown)) for path, shown in LISTINGS.items()},
    "/ui/connect": ("Connect", operator_pages.connect),
    "/ui/usage": ("Usage", _usage),
    "/ui/history": ("History", operator_pages.history),
}
"""The pages in the order of the navigation."""
MORE: Mapping[str, Page] = {
    "/ui/quick": planner_pages.quick,
    "/ui/event": planner_pages.event,
    "/ui/memory/one": knowledge_pages.one_memory,
}
_TICKET = "/ui/ticket"
_THEMES = ("system", "light", "dark")
_NOTICE = "almanac_notice"
_NOTICE_SECONDS = 12 * 3600
_REFRESH = "almanac-refresh"
"""Header of requests by which a page's script updates the page."""
_THEME = "almanac_theme"
_YEAR_SECONDS = 31_536_000


@dataclass(frozen=True, slots=True)
class AdmittedRequest:
    """An admitted request. `principal` is the caller whose turn it takes."""

    principal: Principal
    visit: Visit


class Dashboard:
    """The pages of one server.

    `is_live` means that the server has a stream of changes for pages, and `feed` is the address of a socket with the
    same purpose. `ends_keys` means that operators may revoke keys on the pages. `stored` returns the stored bytes of a
    tenant, if the server counts them."""

    def __init__(
        self,
        tools: ToolCalls,
        gatekeeper: Gatekeeper,
        store: Store,
        clock: Clock,
        *origins: Origins,
        is_live: bool = False,
        feed: str = "",
        ends_keys: bool = True,
        stored: StoredBytes | None = None,
    ) -> None:
        self._tools = tools
        self._gatekeeper = gatekeeper
        self._clock = clock
        self._store = store
        self._origins = origins
        self._live = LIVE if is_live else feed
        self._feed = feed
        self._policy = answers.policy(*(["{0.scheme}://{0.netloc}".format(urlsplit(feed))] if feed else []))
        self._ends_keys = ends_keys
        self._stored = stored
        self._sessions = BrowserSessions(store, clock, os.urandom)
        self._keys = ApiKeys(store, clock, os.urandom)
        self._files = answers.StaticFiles()
        self._templates = Templates({"file": self._files.address, "pages": _page_titles()})

    def enter(self, event: Event) -> Response | AdmittedRequest:
        """Return the answer to a request that needs no page, or the admitted request."""
        request = read_request(event)
        found = self._origins_of(request)
        if found is None:
            return self._plain(421, "These pages are not served under this name", _WRONG_HOST)
        request = replace(request, origins=found)
        if request.method not in ("GET", "HEAD", "POST"):
            return self._plain(405, "That is not how pages are asked for", "Use GET or POST.")
        if request.path == "/ui":
            # API Gateway treats both paths as the same, so a redirect would lead back here.
            request = replace(request, path=HOME)
        if request.path.startswith("/ui/static/"):
            return self._files.find(request.path) or self._plain(404, "There is no such file", "")
        if request.method == "POST":
            if not request.may_change(self._origins):
                return self._plain(403, "This form did not come from these pages", _FOREIGN)
            if len(request.body) > MAX_FORM_BYTES:
                return self._plain(413, "That is too much at once", f"A form holds {MAX_FORM_BYTES // 1024} KiB.")
            if request.path == "/ui/login":
                return self._sign_in(request)
        return self._sign_in_page(request) if request.path == "/ui/login" else self._enter(request)

    def admit_listener(self, event: Event) -> Response | PageListener:
        """Admit or refuse a request for the stream of changes. An open page does not count as use of its session."""
        request = read_request(event)
        origins = self._origins_of(request)
        if request.method != "GET" or origins is None:
            return self._plain(421, "These pages are not served under this name", _WRONG_HOST)
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return self._plain(403, "Only these pages are told", _FOREIGN)
        signed = self._sessions.find(request.cookies.get(origins.cookie, ""), is_used=False)
        principal = None if signed is None else self._gatekeeper.admits(signed.key, signed.session.project)
        if signed is None or principal is None or isinstance(principal, Refusal):
            return self._plain(401, "Sign in again", "The session has ended.")
        return PageListener(signed.session.id, principal.caller)

    def _origins_of(self, request: UiRequest) -> Origins | None:
        host = request.headers.get("host", "")
        return next((origin for origin in self._origins if origin.knows(host)), None)

    def answer(self, entered: AdmittedRequest) -> Response:
        visit = entered.visit
        request = visit.request
        if request.method != "POST":
            return self._page(visit)
        if not visit.is_signed("form", request.form.get("token", "")):
            return self._frame(visit, _problem_view(403, "The form is of another session. Open the page again."))
        if request.path == "/ui/logout":
            self._sessions.end(visit.signed.key, visit.signed.session.id)
            return answers.redirect(HOME, {"set-cookie": _session_cookie(request, "", seconds=0)})
        if request.path == "/ui/settings":
            return self._settings(visit)
        if request.path == "/ui/end":
            return self._end(visit)
        if request.path == _TICKET and self._feed:
            return answers.secret(self._sessions.new_ticket(visit.signed.session))
        if request.path != "/ui/do":
            return self._frame(visit, _problem_view(404, "There is nothing at this address."))
        done = carry_out(visit)
        if isinstance(done, View):
            return self._frame(visit, done)
        return self._on(visit, done)

    def _enter(self, request: UiRequest) -> Response | AdmittedRequest:
        # An open page does not count as use of its session.
        is_used = request.path != _TICKET
        signed = self._sessions.find(request.cookies.get(request.origins.cookie, ""), is_used=is_used)
        if signed is None:
            return self._sign_in_page(request)
        principal = self._gatekeeper.admits(signed.key, signed.session.project)
        if isinstance(principal, Refusal):
            return self._sign_in_page(request, f"{principal.message} Sign in again.", status=401)
        now = self._clock.now()
        # A caller who has signed in to the pages is a person, whatever the key.
        caller = replace(principal.caller, is_person=True)
        principal = replace(principal, caller=caller)
        operator = Operator(self._store, self._clock, caller.scope, caller.actor, self._ends_keys, self._stored)
        visit = Visit(
            request,
            signed,
            principal,
            self._tools.of(principal),
            now,
            operator if signed.is_operator else None,
        )
        return AdmittedRequest(principal, visit)

    def _page(self, visit: Visit) -> Response:
        path = visit.request.path
        page = PAGES[path][1] if path in PAGES else MORE.get(path)
        if page is None:
            return self._frame(visit, _problem_view(404, "There is nothing at this address.", "No such page"))
        response = self._frame(visit, page(visit))
        if response.status != 200 or "set-cookie" in response.headers:
            return response
        return answers.unless_known(response, visit.request.headers.get("if-none-match", ""))

    def _frame(self, visit: Visit, view: View) -> Response:
        notices = read_notices(visit, visit.request.cookies.get(_NOTICE, ""))
        # A page that the person is leaving may still refresh itself. The notice of a form is for the next page.
        fresh = None if _REFRESH in visit.request.headers else notices.fresh
        values = {
            **view.values,
            "title": view.title,
            "visit": visit,
            "zone": visit.zone,
            "now": visit.now,
            "can": visit.tools.can,
            "notice": fresh,
            "past": notices.past,
            # A form has used its tool call already, and a failed one is answered by a page without a view.
            "unread": _count(visit.unread) if visit.request.method != "POST" else "",
            "theme": _theme(visit.request),
            "here": visit.request.path,
            "live": self._live if visit.request.method != "POST" and view.status == 200 else "",
            "back": visit.address() if visit.request.method != "POST" else own_path(visit.request.form.get("back", "")),
        }
        text = self._templates.render(view.template, values)
        headers = {"content-security-policy": self._policy}
        if fresh is not None:
            left = notices_cookie(visit, Notices(None, notices.past))
            headers["set-cookie"] = _own_cookie(visit.request, _NOTICE, left, _NOTICE_SECONDS if left else 0)
        return answers.html(text, view.status, headers)

    def _on(self, visit: Visit, done: Done) -> Response:
        before = read_notices(visit, visit.request.cookies.get(_NOTICE, ""))
        said = notices_cookie(visit, before.after(done.notice, visit.request.form.get("undoes", "")))
        return answers.redirect(done.back, {"set-cookie": _own_cookie(visit.request, _NOTICE, said, _NOTICE_SECONDS)})

    def _end(self, visit: Visit) -> Response:
        """End a key, a sign-in or a session. Only an operator may do so."""
        if visit.operator is None or visit.principal.caller.readonly:
            return self._frame(
                visit, _problem_view(403, "Only an operator whose key may change something may do that.")
            )
        form = visit.request.form
        try:
            said = visit.operator.end(form.get("what", ""), form.get("name", ""))
        except (InvalidInput, NotFound) as wrong:
            return self._frame(visit, _problem_view(404, f"{wrong} {wrong.hint or ''}"))
        return self._on(visit, Done(own_path(form.get("back", "")), Notice(said)))

    def _settings(self, visit: Visit) -> Response:
        """Save the zone in the session and the theme in the browser."""
        form = visit.request.form
        back = own_path(form.get("back", ""))
        if form.get("theme") in _THEMES:
            return answers.redirect(
                back, {"set-cookie": _own_cookie(visit.request, _THEME, form["theme"], _YEAR_SECONDS)}
            )
        chosen = form.get("zone", "").strip()
        try:
            zone = check_zone(chosen) if chosen else None
        except InvalidInput as wrong:
            return self._frame(visit, _problem_view(422, f"{wrong} {wrong.hint or ''}"))
        self._sessions.edit(visit.signed.session, timezone=zone)
        return self._on(visit, Done(back, Notice(f"Times are shown in {zone or 'the zone of the key'}.")))

    def _sign_in(self, request: UiRequest) -> Response:
        form = request.form
        found = self._by_code(form["code"]) if form.get("code", "").strip() else self._by_key(request, form)
        if isinstance(found, str):
            return self._sign_in_page(request, found, status=401)
        key, operator, project = found
        principal = self._gatekeeper.admits(key, project)
        if isinstance(principal, Refusal):
            return self._sign_in_page(request, f"{principal.message} {_PROJECT}", status=401)
        device = request.headers.get("user-agent", "")
        cookie = self._sessions.begin(key, principal.caller.scope.project, device=device, operator=operator)
        return answers.redirect(own_path(form.get("next", "")), {"set-cookie": _session_cookie(request, cookie)})

    def _by_key(self, request: UiRequest, form: Mapping[str, str]) -> tuple[KeyRecord, bool, str] | str:
        text, project = form.get("key", "").strip(), form.get("project", "").strip()
        headers = {"x-api-key": text, **({"x-almanac-project": project} if project else {})}
        verdict = self._gatekeeper.judge(headers, "/ui", request.address)
        if isinstance(verdict, Refusal):
            return f"{verdict.message} {_PROJECT if verdict.code == 'project_required' else ''}".strip()
        key = read_api_key(text)
        record = None if key is None else self._keys.find(key.id)
        return "The API key is not valid." if record is None else (record, False, project)

    def _by_code(self, code: str) -> tuple[KeyRecord, bool, str] | str:
        found = self._sessions.redeem(code)
        return (found[0], found[1], "") if found else "The code was used already, or is older than a minute."

    def _sign_in_page(self, request: UiRequest, problem: str = "", status: int = 200) -> Response:
        following = request.form.get("next", "") if request.method == "POST" else request.path
        values = {
            "title": "Sign in",
            "problem": problem,
            "next": HOME if following == "/ui/login" else own_path(following),
            "theme": _theme(request),
            "zone": UTC,
            "now": datetime.now(UTC),
        }
        return answers.html(self._templates.render("sign_in.html", values), status)

    def _plain(self, status: int, title: str, text: str) -> Response:
        values = {"title": title, "text": text, "theme": "system"}
        return answers.html(self._templates.render("plain.html", values), status)


def _session_cookie(request: UiRequest, value: str, seconds: int = MOST_MS // 1000) -> str:
    origins = request.origins
    return _cookie(origins.cookie, value, seconds, "Lax" if origins.is_secure else "Strict", secure=origins.is_secure)


def _own_cookie(request: UiRequest, name: str, value: str, seconds: int) -> str:
    return _cookie(name, value, seconds, "Strict", secure=request.origins.is_secure)


def _cookie(name: str, value: str, seconds: int, same_site: str, *, secure: bool) -> str:
    cookie: SimpleCookie = SimpleCookie({name: value})
    cookie[name]["path"] = "/"
    cookie[name]["max-age"] = seconds
    cookie[name]["httponly"] = True
    cookie[name]["samesite"] = same_site
    if secure:
        cookie[name]["secure"] = True
    return cookie[name].OutputString()


def _theme(request: UiRequest) -> str:
    chosen = request.cookies.get(_THEME, "")
    return chosen if chosen in _THEMES else "system"


def _page_titles() -> list[tuple[str, str]]:
    return [(path, name) for path, (name, _) in PAGES.items()]


def _count(mail: Result | None) -> str:
    """Return the number of unread messages for the navigation, or "" for none."""
    if mail is None or not mail.fields.get("messages"):
        return ""
    return f"{len(mail.data['messages'])}{'+' if mail.data['truncated'] else ''}"


def _problem_view(status: int, problem: str, title: str = "That could not be done") -> View:
    values: dict[str, Any] = {"problem": problem, "shown": {}, "kept": {}}
    return View("problem.html", title, values, status=status)


_WRONG_HOST = "Open them at the server's public URL, or on its own machine at http://127.0.0.1 with its port."
_FOREIGN = "Open the page again, and send the form from there."
_PROJECT = "The key is for several projects: choose one."
