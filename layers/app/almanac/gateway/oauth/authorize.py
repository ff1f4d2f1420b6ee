"""Authorization endpoint: checks a client's request, lets a person sign in with a key and consent, and redirects back.

Until the client and its redirect URI are verified, problems are shown to the person and never sent to a URI.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.gateway.oauth import pages
from almanac.gateway.oauth.request import (
    MOST_STATE,
    AuthorizationRequest,
    BadResource,
    DuplicateParameter,
    Parameters,
    Seal,
    SealedRequest,
    answer_uri,
    resource_in,
)
from almanac.identity.access.authorize import KEY_HEADER
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.public_limits import PublicLimits
from almanac.identity.access.refusals import Refusal
from almanac.identity.api_key import read_api_key
from almanac.identity.browser_sessions import BrowserSessions, SignedInSession, cookie_name
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.attempts import Attempts
from almanac.identity.oauth.clients import Clients
from almanac.identity.oauth.grants import ClientGrants, is_challenge
from almanac.identity.oauth.records import Attempt, Client, Terms
from almanac.identity.oauth.redirects import display_host, may_redirect
from almanac.identity.oauth.resources import HUB, family_in
from almanac.identity.oauth.scopes import RequestedAccess, read_scopes
from almanac.identity.oauth.tokens import base32
from almanac.identity.records import ANY_PROJECT, KeyRecord
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError, Conflict, InvalidInput, LimitExceeded
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.protocol.wire.http import Response

MOST_A_MINUTE = 120
FETCHES_A_MINUTE = 30
_MOST_SESSIONS = 2
_BROWSER = re.compile(r"[0-9a-f]{32}")


class Parts(Struct, frozen=True):
    """Collaborators of the endpoints. `families` are the names of all families."""

    clients: Clients
    grants: ClientGrants
    attempts: Attempts
    limits: PublicLimits
    keys: ApiKeys
    sessions: BrowserSessions
    tenants: Tenants
    gatekeeper: Gatekeeper
    seal: Seal
    clock: Clock
    random_bytes: RandomBytes
    families: Sequence[str]


class Visit(Struct, frozen=True):
    """One request of a browser. `origin` is the issuer, `address` the browser's network address."""

    origin: str
    headers: Mapping[str, str]
    address: str

    @property
    def cookie_name(self) -> str:
        return "__Host-almanac_sign_in" if self.origin.startswith("https:") else "almanac_sign_in"

    @property
    def browser(self) -> str:
        """Return the nonce in the browser's cookie, or "" if it has none."""
        return next((value for value in self._cookies(self.cookie_name) if _BROWSER.fullmatch(value)), "")

    @property
    def sessions(self) -> Sequence[str]:
        """Return the browser's session cookies of the dashboard.

        Both cookie names are accepted, since behind a proxy the pages may have been reached by this machine's name."""
        port = self.headers.get("host", "").rpartition(":")[2]
        names = {cookie_name(secure=secure, port=port) for secure in (True, False)}
        return self._cookies(*sorted(names))[:_MOST_SESSIONS]

    def _cookies(self, *names: str) -> list[str]:
        pairs = (each.strip().partition("=") for each in self.headers.get("cookie", "").split(";"))
        return [value for name, _, value in pairs if name in names]

    def with_cookie(self, response: Response, browser: str) -> Response:
        secure = "; Secure" if self.origin.startswith("https:") else ""
        cookie = f"{self.cookie_name}={browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600{secure}"
        return replace(response, headers={**response.headers, "set-cookie": cookie})


class _Refused(Exception):
    """An error to redirect to the client, with `error` and `description` as in RFC 6749."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(error)
        self.error = error
        self.description = description


class AuthorizeEndpoint:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def show(self, visit: Visit, asked: Parameters) -> Response:
        """Return the page for a client's request, or the redirect to the client. Raises an AlmanacError to be shown."""
        parts = self._parts
        parts.limits.count("authorize", MOST_A_MINUTE, visit.address)
        try:
            client_id, redirect_uri, state = (asked.one(name) for name in ("client_id", "redirect_uri", "state"))
        except DuplicateParameter as repeated:
            raise InvalidInput(f"The program sent {repeated} more than once.", "Try another version of it.") from None
        client = self._client(visit, client_id or "", redirect_uri or "")
        request = AuthorizationRequest(
            client_id=client.id,
            client_name=client.name,
            client_host=client.host,
            redirect_uri=redirect_uri or "",
            challenge="",
            resource="",
            scope="",
            attempt=parts.attempts.new_id(),
            state=state,
        )
        if len(state or "") > MOST_STATE:
            raise InvalidInput("The program sent a state that is too long.", "Try another version of it.")
        try:
            request = _check_request(request, asked, visit.origin)
        except _Refused as refused:
            return self._answer(visit, request, error=refused.error, error_description=refused.description)
        self._note(request, "authorize", "the page was shown")
        browser = visit.browser or parts.random_bytes(16).hex()
        sealed = SealedRequest(request=request, browser=browser, at=now_ms(parts.clock))
        signed = self._dashboard_session(visit)
        if signed is None:
            return visit.with_cookie(pages.sign_in_page(request, parts.seal.close(sealed)), browser)
        self._note(request, "key", "of the dashboard's session", signed.key)
        choice = self._choice(request, signed.key, signed.session.project)
        known = replace(sealed, key_id=signed.key.id)
        return visit.with_cookie(pages.consent_page(request, parts.seal.close(known), choice), browser)

    def act(self, visit: Visit, form: Parameters) -> Response:
        """Return the answer to a submitted form. Raises an AlmanacError to be shown."""
        parts = self._parts
        if visit.headers.get("origin", "null") not in ("null", visit.origin):
            raise InvalidInput("This form was sent by another site.", "Start again in the program.")
        try:
            text, key, decision = (form.one(name) or "" for name in ("request", "key", "decision"))
        except DuplicateParameter:
            text, key, decision = "", "", ""
        sealed = parts.seal.open(text, visit.browser, now_ms(parts.clock))
        if sealed is None:
            raise InvalidInput(
                "This page is too old, or this browser did not keep its cookie.", "Start again in the program."
            )
        if sealed.key_id is None:
            return self._sign_in(visit, sealed, key.strip())
        if decision == "other":
            return pages.sign_in_page(sealed.request, parts.seal.close(replace(sealed, key_id=None)))
        record = parts.keys.find(sealed.key_id)
        if record is None or not record.works_at(now_ms(parts.clock)):
            raise InvalidInput("The API key no longer works.", "Start again in the program, with another key.")
        if decision != "allow":
            self._note(sealed.request, "consent", "denied", record)
            return self._answer(visit, sealed.request, error="access_denied", error_description="The person said no.")
        return self._grant_access(visit, sealed, record, form)

    def _client(self, visit: Visit, client_id: str, redirect_uri: str) -> Client:
        """Return the client after checking its redirect URI. Raises an AlmanacError if either is wrong."""
        parts = self._parts

        def may_fetch() -> None:
            parts.limits.count("document", FETCHES_A_MINUTE, visit.address)

        noted = Attempt(
            id="",
            at=0,
            attempt=parts.attempts.new_id(),
            step="authorize",
            outcome="",
            client_id=client_id,
            redirect=redirect_uri,
        )
        try:
            client = parts.clients.find(client_id, may_fetch) if client_id else None
            if client is None:
                raise InvalidInput(
                    "The program that sent you here is not known to this server.",
                    "Remove the connection in the program and add it again: it then registers anew.",
                )
            if not may_redirect(redirect_uri, client.redirect_uris, client.host):
                raise InvalidInput(
                    "The program asks for the answer at an address that it did not register.",
                    "Nothing was sent there. Remove the connection in the program and add it again.",
                )
        except LimitExceeded:
            raise
        except AlmanacError as problem:
            parts.attempts.note(replace(noted, outcome=problem.message))
            raise
        return client

    def _dashboard_session(self, visit: Visit) -> SignedInSession | None:
        """Return the browser's dashboard session if its key still works in its project."""
        for cookie in visit.sessions:
            signed = self._parts.sessions.find(cookie)
            if signed is not None and not isinstance(
                self._parts.gatekeeper.admits(signed.key, signed.session.project), Refusal
            ):
                return signed
        return None

    def _sign_in(self, visit: Visit, sealed: SealedRequest, text: str) -> Response:
        parts = self._parts
        key = read_api_key(text)
        if key is None:
            problem, status = "That is not an API key. A key begins with alm_.", 400
            return pages.sign_in_page(sealed.request, parts.seal.close(sealed), problem, status)
        verdict = parts.gatekeeper.judge({KEY_HEADER: text}, HUB, visit.address)
        # A key for several projects is valid although this request names no project (403).
        if isinstance(verdict, Refusal) and verdict.status != 403:
            self._note(sealed.request, "key", "refused")
            problem = f"{verdict.message} {verdict.hint}" if verdict.status == 429 else "That API key is not valid."
            return pages.sign_in_page(sealed.request, parts.seal.close(sealed), problem, verdict.status)
        record = parts.keys.find(key.id)
        if record is None:
            raise InvalidInput("The API key no longer works.", "Start again in the program, with another key.")
        self._note(sealed.request, "key", "accepted", record)
        known = replace(sealed, key_id=key.id)
        return pages.consent_page(sealed.request, parts.seal.close(known), self._choice(sealed.request, record))

    def _choice(self, request: AuthorizationRequest, record: KeyRecord, first: str = "") -> pages.Choice:
        """Return the choices that a person has with this key, with the project `first` at the top."""
        own = record.grant
        projects = [own.project]
        if own.project == ANY_PROJECT:
            projects = [one.id for one in self._parts.tenants.projects(own.tenant) if one.deleting_at is None]
            projects.sort(key=lambda project: project != first)
        family = family_in(request.resource)
        wish = read_scopes(request.scope, self._parts.families)
        if family is not None:
            wish = RequestedAccess((family,), wish.writes)
        return pages.Choice(
            tenant=own.tenant,
            actor=own.actor,
            key_id=record.id,
            key_label=own.label,
            projects=projects,
            families=[name for name in self._parts.families if own.families is None or name in own.families],
            wish=wish,
            may_write=not own.readonly,
        )

    def _grant_access(self, visit: Visit, sealed: SealedRequest, record: KeyRecord, form: Parameters) -> Response:
        request, parts = sealed.request, self._parts
        choice = self._choice(request, record)
        terms = _terms(choice, record, form)
        if terms is None:
            problem = "Choose a project, and at least one of what it may use."
            return pages.consent_page(request, parts.seal.close(sealed), choice, problem)
        # A form that is sent twice, as by a double click, counts as one decision.
        decided = parts.seal.derive(form.one("request") or "", msgspec.json.encode(terms).decode())
        try:
            code = parts.grants.new_code(
                client_id=request.client_id,
                client_name=request.client_name,
                client_host=request.client_host,
                redirect_uri=request.redirect_uri,
                challenge=request.challenge,
                resource=request.resource,
                terms=terms,
                attempt=request.attempt,
                secret=base32(decided),
            )
        except Conflict:
            raise InvalidInput("This page was used before.", "Start again in the program.") from None
        self._note(request, "consent", "allowed", record)
        return self._answer(visit, request, code=code)

    def _answer(self, visit: Visit, request: AuthorizationRequest, **answer: str) -> Response:
        if "error" in answer:
            self._note(request, "answer", answer["error"])
        return pages.redirect(answer_uri(request.redirect_uri, visit.origin, request.state, **answer))

    def _note(self, request: AuthorizationRequest, step: str, outcome: str, key: KeyRecord | None = None) -> None:
        self._parts.attempts.note(
            Attempt(
                id="",
                at=0,
                attempt=request.attempt,
                step=step,
                outcome=outcome,
                client_id=request.client_id,
                client_host=request.client_host,
                redirect=display_host(request.redirect_uri),
                scope=request.scope,
                resource=request.resource,
                tenant=key.grant.tenant if key else "",
                key_id=key.id if key else "",
            )
        )


def _check_request(request: AuthorizationRequest, asked: Parameters, origin: str) -> AuthorizationRequest:
    """Return the request with the remaining parameters checked and filled in. Raises _Refused."""
    try:
        names = ("response_type", "code_challenge", "code_challenge_method", "scope", "response_mode")
        response_type, challenge, method, scope, mode = (asked.one(name) for name in names)
    except DuplicateParameter as repeated:
        raise _Refused("invalid_request", f"{repeated} was sent more than once.") from None
    if response_type != "code":
        raise _Refused("unsupported_response_type", "response_type must be code.")
    if mode not in (None, "query"):
        raise _Refused("invalid_request", "response_mode must be query.")
    if method != "S256" or not is_challenge(challenge or ""):
        raise _Refused("invalid_request", "Send a code_challenge with code_challenge_method S256.")
    try:
        resource = resource_in(asked, origin) or f"{origin}{HUB}"
    except BadResource:
        raise _Refused("invalid_target", f"resource must be {origin}{HUB}, or an address below it.") from None
    return replace(request, challenge=challenge or "", resource=resource, scope=scope or "")


def _terms(choice: pages.Choice, record: KeyRecord, form: Parameters) -> Terms | None:
    """Return the terms that a person chose among the offered ones, or None if the choice is incomplete."""
    chosen, named = form.every("family"), choice.wish.families
    offered = [family for family in choice.families if named is None or family in named]
    families = tuple(family for family in offered if family in chosen)
    projects, accesses, lifetimes = form.every("project"), form.every("access"), form.every("lifetime")
    lifetime = {name: span for name, _, span in pages.LIFETIMES}
    if len(projects) != 1 or projects[0] not in choice.projects or not families or lifetimes[-1:] == []:
        return None
    if lifetimes[0] not in lifetime:
        return None
    whole = named is None and len(families) == len(offered) and record.grant.families is None
    return Terms(
        key_id=record.id,
        tenant=record.grant.tenant,
        project=projects[0],
        families=None if whole else families,
        readonly=not (choice.may_write and choice.wish.writes and accesses == ["write"]),
        lifetime_ms=lifetime[lifetimes[0]],
    )
