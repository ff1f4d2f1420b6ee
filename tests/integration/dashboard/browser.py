"""A browser without scripts. It submits a page's forms with the headers that browsers send."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from almanac.gateway.dashboard.door import DashboardDoor

HOST = "127.0.0.1:8787"
_FORM = re.compile(r"<form(?P<attributes>[^>]*)>(?P<inside>.*?)</form>", re.DOTALL)
_INPUT = re.compile(r"<(?:input|textarea)\b[^>]*>(?:[^<]*</textarea>)?")
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')


@dataclass(frozen=True)
class Page:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def forms(self) -> list[dict[str, str]]:
        """The fields of each form, and its action under the name `@`."""
        return [_fields(found["attributes"], found["inside"]) for found in _FORM.finditer(self.text)]

    def form(self, tool: str, **having: str) -> dict[str, str]:
        """The first form that calls the tool, and has these values."""
        return next(
            one
            for one in self.forms
            if one.get("tool") == tool and all(one.get(f"a.{name}") == value for name, value in having.items())
        )


@dataclass
class Browser:
    door: DashboardDoor
    cookies: dict[str, str] = field(default_factory=dict[str, str])

    def send(self, method: str, path: str, fields: Mapping[str, str] | None = None, **headers: str | None) -> Page:
        """One request, without following where it leads. A header of None is not sent."""
        parts = urlsplit(path)
        sent: dict[str, str | None] = {"host": HOST, "cookie": "; ".join(f"{n}={v}" for n, v in self.cookies.items())}
        if method == "POST":
            sent |= {"origin": "null", "sec-fetch-site": "same-origin"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        event: dict[str, Any] = {
            "version": "2.0",
            "rawPath": parts.path,
            "queryStringParameters": dict(parse_qsl(parts.query)),
            "headers": {name: value for name, value in sent.items() if value is not None},
            "requestContext": {"stage": "$default", "http": {"method": method, "sourceIp": "127.0.0.1"}},
            "body": urlencode(fields or {}),
        }
        answer = self.door.handle(event, None)
        for name, morsel in SimpleCookie(answer["headers"].get("set-cookie", "")).items():
            self.cookies[name] = morsel.value
        return Page(answer["statusCode"], answer["headers"], answer["body"])

    def get(self, path: str, **headers: str | None) -> Page:
        return self.send("GET", path, None, **headers)

    def post(self, path: str, fields: Mapping[str, str], **headers: str | None) -> Page:
        return self.send("POST", path, fields, **headers)

    def submit(self, form: Mapping[str, str], **filled: str) -> Page:
        """Send the form with these arguments filled in, and go where the answer leads."""
        named = {f"a.{name}": value for name, value in filled.items()}
        page = self.post(form["@"], {**{n: v for n, v in form.items() if n != "@"}, **named})
        return self.get(page.headers["location"]) if page.status == 303 else page

    def sign_in(self, key: str) -> Page:
        return self.post("/ui/login", {"key": key, "next": "/ui/"})


def _fields(attributes: str, inside: str) -> dict[str, str]:
    fields = {"@": dict(_ATTRIBUTE.findall(attributes)).get("action", "")}
    for found in _INPUT.finditer(inside):
        given = dict(_ATTRIBUTE.findall(found[0].partition(">")[0]))
        if found[0].startswith("<textarea"):
            given["value"] = found[0].partition(">")[2].removesuffix("</textarea>")
        if "name" in given and not (given.get("type") == "radio" and "checked" not in found[0]):
            fields[given["name"]] = html.unescape(given.get("value", ""))
    return fields
