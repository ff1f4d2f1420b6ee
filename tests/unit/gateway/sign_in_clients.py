"""A program and a person who sign in by events of a REST API, through the handler of sign-in."""

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.unit.gateway.events import rest_event

Json = dict[str, Any]
PUBLIC = "https://mcp.example.com"
CALLBACK = "http://127.0.0.1:4711/callback"
VERIFIER = "a-verifier-of-at-least-forty-three-characters-0"
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
_HIDDEN = re.compile(r'name="request" value="([^"]*)"')


class SigningIn:
    """`handle` is the door's handler. Cookies are kept, as a browser does."""

    def __init__(self, handle: Callable[[Mapping[str, Any], object], Json]) -> None:
        self._handle = handle
        self.cookies: dict[str, str] = {}

    def send(self, method: str, path: str, body: str | None = None, **headers: str) -> Json:
        """The door's answer. The path may have a query, which comes decoded, as API Gateway passes it on."""
        parts = urlsplit(path)
        query = parse_qs(parts.query, keep_blank_values=True)
        event = rest_event(body, None, parts.path, method, multiValueQueryStringParameters=query or None)
        sent = {"Host": "mcp.example.com", "Content-Type": "application/x-www-form-urlencoded"} | headers
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        event["headers"] = sent
        event["multiValueHeaders"] = {name: [value] for name, value in sent.items()}
        answer = self._handle(event, None)
        if cookie := answer["headers"].get("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    def register(self, uri: str = CALLBACK) -> str:
        answer = self.send("POST", "/register", json.dumps({"redirect_uris": [uri]}))
        assert answer["statusCode"] == 201, answer
        return json.loads(answer["body"])["client_id"]

    def ask(self, client_id: str, **more: str) -> Json:
        """The page for a program's request."""
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "a state & more",
            "resource": f"{PUBLIC}/mcp",
        } | more
        return self.send("GET", f"/authorize?{urlencode(asked)}")

    def submit(self, page: Json, **fields: Any) -> Json:
        found = _HIDDEN.search(page["body"])
        assert found, page
        form = urlencode({"request": unescape(found[1]), **fields}, doseq=True)
        return self.send("POST", "/authorize", form, Origin=PUBLIC)

    def allow(self, consent: Json, project: str, **chosen: Any) -> Json:
        """Allow the program on the page of consent, and return the answer to the program."""
        offered = re.findall(r'name="family" value="([a-z]+)"', consent["body"])
        fields = {"decision": "allow", "project": project, "family": offered, "access": "write", "lifetime": "quarter"}
        answer = self.submit(consent, **(fields | chosen))
        assert answer["statusCode"] == 303, answer
        location: str = answer["headers"]["location"]
        return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}

    def token(self, **form: str) -> Json:
        return self.send("POST", "/token", urlencode(form))

    def redeem(self, client_id: str, code: str) -> Json:
        form = {"client_id": client_id, "redirect_uri": CALLBACK, "code": code, "code_verifier": VERIFIER}
        return self.token(grant_type="authorization_code", **form)

    def tokens(self, client_id: str, key: str, project: str) -> Json:
        """The tokens of a whole sign-in with a key."""
        consent = self.submit(self.ask(client_id), key=key)
        answer = self.redeem(client_id, self.allow(consent, project)["code"])
        assert answer["statusCode"] == 200, answer
        return json.loads(answer["body"])
