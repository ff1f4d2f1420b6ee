"""HTTP handler of sign-in, for API Gateway's events on Lambda and on the laptop.

GET       /.well-known/oauth-protected-resource[/mcp[/<family>]]   where to sign in for a resource
GET       /.well-known/oauth-authorization-server                  what the authorization server offers
GET       /.well-known/mcp/catalog.json  /mcp/server-card          the server's description and address
GET POST  /authorize                                               the pages for a person
POST      /token  /register  /revoke                               for programs
"""

import os
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from almanac.gateway.http.event import IncomingRequest, answer_event, read_event
from almanac.gateway.http.facts import read_address, read_headers
from almanac.gateway.http.responses import guard, json_response, not_found, too_large
from almanac.gateway.http.server_card import CARD, CARD_TYPE, CATALOG, WELL_KNOWN_CARD, catalog, server_card
from almanac.gateway.oauth import metadata, pages
from almanac.gateway.oauth.authorize import AuthorizeEndpoint, Parts, Visit
from almanac.gateway.oauth.request import form_of, query_of
from almanac.gateway.oauth.token_endpoint import ProgramEndpoints
from almanac.gateway.observability.request_report import RequestReport, printable
from almanac.gateway.observability.telemetry import Telemetry, telemetry_for
from almanac.identity.oauth.resources import PROTECTED_RESOURCE, Origins
from almanac.kernel.errors import AlmanacError, InvalidInput, LimitExceeded, Unavailable
from almanac.protocol.wire.http import Response

MOST_BODY_BYTES = 64 * 1024
WELL_KNOWN = "/.well-known/"

_PROGRAMS = ("/token", "/register", "/revoke")
_ALLOWED = {"/authorize": ("GET", "POST"), **dict.fromkeys(_PROGRAMS, ("POST",))}
_CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers": "Authorization, Content-Type, MCP-Protocol-Version",
    "access-control-max-age": "86400",
}

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


def is_for_sign_in(path: str) -> bool:
    """Return whether the sign-in handler answers a request for this path, even if only with 404."""
    return path.rstrip("/") in (*_ALLOWED, CARD) or WELL_KNOWN in path


class SignInDoor:
    """The handler. It calls `open_parts` when a request first needs the store. With `reads_documents` a client may
    identify itself by the URL of a metadata document."""

    def __init__(
        self,
        open_parts: Callable[[], Parts],
        origins: Origins,
        *,
        families: tuple[str, ...],
        telemetry: Telemetry | None = None,
        reads_documents: bool = True,
    ) -> None:
        self._parts = cache(open_parts)
        self._origins = origins
        self._families = families
        self._reads_documents = reads_documents
        self._telemetry = telemetry or telemetry_for(os.environ)

    def handle(self, event: Mapping[str, Any], context: object) -> dict[str, Any]:
        """Return the answer to one event of API Gateway. Never raises."""
        started = time.perf_counter()
        path, method = "", ""

        def answer() -> Response:
            nonlocal path, method
            incoming = read_event(event)
            path, method = incoming.path, incoming.request.method
            return self._answer(incoming, event)

        response = guard(answer, self._telemetry, "the sign-in door")
        status = response.status
        self._telemetry.record_request(
            RequestReport(
                path=printable(path),
                method=printable(method),
                status=status,
                outcome="done" if status < 400 else "failed" if status >= 500 else "error",
                milliseconds=round((time.perf_counter() - started) * 1000, 3),
                request_id=str(getattr(context, "aws_request_id", "")),
            )
        )
        return answer_event(response, is_rest="httpMethod" in event)

    def origin_of(self, event: Mapping[str, Any]) -> str | None:
        """Return the origin at which a request's client may sign in, or None."""
        return self._origins.of(read_headers(event))

    def _answer(self, incoming: IncomingRequest, event: Mapping[str, Any]) -> Response:
        headers, method = dict(incoming.request.headers), incoming.request.method
        path = incoming.path.rstrip("/")
        origin = self._origins.of(headers)
        if origin is None or not self._origins.is_own_host(headers):
            return not_found("Clients sign in at a loopback address, or at the public URL of this server.")
        if path == CARD or WELL_KNOWN in path:
            return _open_to_pages(self._document(path, method, origin))
        allowed = _ALLOWED.get(path)
        if allowed is None:
            return not_found("Send MCP messages with POST to /mcp.")
        if method == "OPTIONS" and path in _PROGRAMS:
            return Response(204, dict(_CORS), "")
        if method not in allowed:
            return _wrong_method(allowed)
        if len(incoming.request.body) > MOST_BODY_BYTES:
            return too_large(MOST_BODY_BYTES)
        visit = Visit(origin, headers, read_address(event))
        if path == "/authorize":
            return self._page(visit, method, incoming, event)
        programs = ProgramEndpoints(self._parts())
        call = {"/token": programs.token, "/register": programs.register, "/revoke": programs.revoke}[path]
        try:
            return _open_to_pages(call(visit, incoming.request.body))
        except LimitExceeded as limit:
            body = {"error": "temporarily_unavailable", "error_description": str(limit)}
            return _open_to_pages(json_response(429, body, {"retry-after": "60", "cache-control": "no-store"}))

    def _document(self, path: str, method: str, origin: str) -> Response:
        if method == "OPTIONS":
            return Response(204, {}, "")
        document, kind, seconds = None, "application/json", 300
        if path in (CARD, WELL_KNOWN_CARD):
            document, kind, seconds = server_card(origin), CARD_TYPE, 3600
        elif path == CATALOG:
            document, seconds = catalog(origin), 3600
        elif path == metadata.AUTHORIZATION_SERVER:
            document = metadata.authorization_server(origin, self._families, reads_documents=self._reads_documents)
        elif path == PROTECTED_RESOURCE or path.startswith(f"{PROTECTED_RESOURCE}/"):
            document = metadata.protected_resource(origin, path, self._families)
        if document is None:
            return not_found("Metadata is at /.well-known/oauth-protected-resource and oauth-authorization-server.")
        if method not in ("GET", "HEAD"):
            return _wrong_method(("GET",))
        return json_response(200, document, {"content-type": kind, "cache-control": f"public, max-age={seconds}"})

    def _page(self, visit: Visit, method: str, incoming: IncomingRequest, event: Mapping[str, Any]) -> Response:
        endpoint = AuthorizeEndpoint(self._parts())
        try:
            if method == "GET":
                return endpoint.show(visit, query_of(event))
            form = form_of(incoming.request.body)
            if form is None:
                raise InvalidInput("This form cannot be read.", "Start again in the program.")
            return endpoint.act(visit, form)
        except LimitExceeded as limit:
            return pages.problem_page(str(limit), 429)
        except Unavailable as down:
            return pages.problem_page(f"{down} Try again in a moment.", 503)
        except AlmanacError as problem:
            return pages.problem_page(str(problem))


def _open_to_pages(response: Response) -> Response:
    return Response(response.status, {**response.headers, **_CORS}, response.body, response.served)


def _wrong_method(allowed: tuple[str, ...]) -> Response:
    methods = ", ".join(allowed)
    body = {"error": "invalid_request", "error_description": f"Use {methods}."}
    return json_response(405, body, {"allow": methods})
