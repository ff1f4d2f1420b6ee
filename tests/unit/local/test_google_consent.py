"""Consent in a browser, played by a thread that follows the address."""

import json
import os
from collections.abc import Mapping
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import urlopen

import pytest

from almanac.families.calendar.providers.google.token import GoogleSecret
from almanac.families.calendar.providers.transport.http import Response
from almanac.kernel.errors import Forbidden, InvalidInput, Unavailable
from almanac.local.calendars.google_consent import Client, ask_consent, read_client

CLIENT = Client("client-1", "client-secret")


class Tokens:
    """Google's token endpoint, which redeems one code."""

    def __init__(self, **answer: str) -> None:
        self.answer = answer
        self.form: dict[str, list[str]] = {}

    def send(self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Response:
        self.form = parse_qs(body.decode())
        return Response(200 if self.answer else 400, {}, json.dumps(self.answer).encode(), url)


class Person:
    """Opens the address, and answers with the state and the fields of `said`."""

    def __init__(self, *, wrong_first: bool = False, **said: str) -> None:
        self.said = said
        self.wrong_first = wrong_first
        self.asked: dict[str, list[str]] = {}
        self.thread = Thread()

    def show(self, address: str) -> None:
        self.asked = parse_qs(urlsplit(address).query)
        self.thread = Thread(target=self._answer)
        self.thread.start()

    def _answer(self) -> None:
        redirect, state = self.asked["redirect_uri"][0], self.asked["state"][0]
        for sent in (["forged"] if self.wrong_first else []) + [state]:
            try:
                with urlopen(f"{redirect}/?{urlencode({'state': sent, **self.said})}", timeout=60) as page:
                    page.read()
            except OSError:
                continue  # the forged one is answered with 404


def ask_person(person: Person, tokens: Tokens, seconds: float = 60) -> GoogleSecret:
    try:
        return ask_consent(CLIENT, tokens, port=0, show=person.show, random_bytes=os.urandom, seconds=seconds)
    finally:
        if person.thread.ident is not None:
            person.thread.join()


def test_who_agrees_gives_a_lasting_permission() -> None:
    person, tokens = Person(code="code-1"), Tokens(refresh_token="refresh-1", access_token="x")
    assert ask_person(person, tokens) == GoogleSecret("client-1", "client-secret", "refresh-1")
    assert tokens.form["code"] == ["code-1"]
    assert person.asked["access_type"] == ["offline"]
    assert person.asked["code_challenge"] != tokens.form["code_verifier"]


def test_an_answer_that_does_not_know_the_state_is_passed_over() -> None:
    person, tokens = Person(wrong_first=True, code="code-1"), Tokens(refresh_token="refresh-1")
    assert ask_person(person, tokens).refresh_token == "refresh-1"


def test_who_refuses_is_not_asked_again() -> None:
    with pytest.raises(Forbidden):
        ask_person(Person(error="access_denied"), Tokens(refresh_token="x"))


def test_a_permission_that_does_not_last_is_none() -> None:
    with pytest.raises(Forbidden):
        ask_person(Person(code="code-1"), Tokens(access_token="x"))


def test_silence_ends() -> None:
    with pytest.raises(Unavailable):
        ask_consent(CLIENT, Tokens(), port=0, show=lambda _: None, random_bytes=os.urandom, seconds=0.05)


def test_the_client_file_of_a_desktop_app_is_read_and_any_other_refused() -> None:
    assert read_client(b'{"installed": {"client_id": "a", "client_secret": "b", "auth_uri": "c"}}') == Client("a", "b")
    for other in (b"", b"{}", b'{"web": {"client_id": "a", "client_secret": "b"}}', b'{"installed": {}}'):
        with pytest.raises(InvalidInput, match="desktop"):
            read_client(other)
