"""The pages of sign-in in a browser: axe, the policy, and the way back to the program."""

import json
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.browser.conftest import Example, OpenTab, Theme, violations
from tests.doubles import loopback
from tests.integration.sign_in.world import CHALLENGE


class Program(BaseHTTPRequestHandler):
    """A program that waits for its answer."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Signed in</title>")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize(("theme", "decision"), [("light", "Allow"), ("dark", "Deny")])
def test_a_person_decides_on_pages_without_a_fault(
    open_tab: OpenTab, example: Example, theme: Theme, decision: str
) -> None:
    with loopback.serve(Program) as address:
        callback = f"{address}/callback"
        tab = open_tab(signed=False, theme=theme, script=True)
        tab.page.goto(f"{example.url}/authorize?{_sign_in_query(example, callback)}")
        assert tab.page.get_by_text("The answer goes to a program on this computer.").is_visible()
        assert violations(tab.page) == []
        tab.page.get_by_label("Your API key").fill("alm_wrong")
        tab.page.get_by_role("button", name="Continue").click()
        assert "That is not an API key." in tab.page.get_by_role("alert").inner_text()
        assert violations(tab.page) == []
        tab.page.get_by_label("Your API key").fill((example.folder / "api-key").read_text().strip())
        tab.page.get_by_role("button", name="Continue").click()
        assert tab.page.get_by_role("heading", name="Allow this program?").is_visible()
        assert violations(tab.page) == []
        tab.page.get_by_role("button", name=decision, exact=True).click()
        tab.page.wait_for_url(f"{callback}?**")
        answer = parse_qs(urlsplit(tab.page.url).query)
    told = "code" if decision == "Allow" else "error"
    assert set(answer) - {"error_description"} == {told, "state", "iss"}
    assert tab.foreign == [tab.page.url], "the pages load nothing from elsewhere"
    assert [said for said in tab.complaints if "400" not in said] == []


def _sign_in_query(example: Example, callback: str) -> str:
    body = json.dumps({"redirect_uris": [callback], "client_name": "A program"}).encode()
    with urlopen(Request(f"{example.url}/register", body, {"content-type": "application/json"})) as answer:
        client_id = json.loads(answer.read())["client_id"]
    asked = {"response_type": "code", "client_id": client_id, "redirect_uri": callback, "state": "s"}
    return urlencode(asked | {"code_challenge": CHALLENGE, "code_challenge_method": "S256"})
