"""Servers that are killed while programs redeem codes and refresh tokens: no answer is lost, and none is given twice.

The server is a process of its own, killed at random points (SIGKILL) and started again over the same data.
"""

import os
import random
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from almanac.identity.oauth.clients import Clients
from almanac.identity.oauth.grants import ClientGrants
from almanac.identity.oauth.records import Terms
from almanac.kernel.clock import SystemClock
from almanac.local.data_folder import FIRST_TENANT, DataFolder
from tests.integration.local.server_process import ALMANAC, Server, run_server
from tests.integration.sign_in.world import CHALLENGE, VERIFIER
from tests.ports import reserve_port

CALLBACK = "http://127.0.0.1:4711/callback"
AT_ONCE = 16

Json = dict[str, Any]
pytestmark = pytest.mark.slow


class Laptop:
    """A data folder, the server over it, and the store beside the server."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder, self._chance, self._port = folder, chance, reserve_port()
        self._running = ExitStack()
        self.server = self.start()
        assert self.server.key is not None
        self._key_id = self.server.key.split("_")[1]
        store = DataFolder(folder).open_store(SystemClock())
        self.grants = ClientGrants(store, SystemClock(), os.urandom)
        self.client_id = Clients(store, SystemClock(), os.urandom).add("P", (CALLBACK,), with_secret=False)[0].id

    def start(self) -> Server:
        self._running.close()
        command = [ALMANAC, "serve", "--port", str(self._port), "--data", self._folder]
        self.server = self._running.enter_context(run_server(command))
        return self.server

    def stop(self) -> None:
        self._running.close()

    def code(self) -> str:
        """A code that a person has just allowed."""
        return self.grants.new_code(
            client_id=self.client_id,
            client_name="P",
            client_host="",
            redirect_uri=CALLBACK,
            challenge=CHALLENGE,
            resource=f"http://127.0.0.1:{self._port}/mcp",
            terms=Terms(key_id=self._key_id, tenant=FIRST_TENANT, project="default", families=("time",)),
            attempt="a",
        )

    def redeem(self, code: str) -> Json | None:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return self._token(form)

    def refresh(self, token: str) -> Json | None:
        return self._token({"grant_type": "refresh_token", "refresh_token": token})

    def works(self, access: str) -> bool:
        listing: Json = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        return self.server.post(listing, "/mcp/time", x_api_key="", authorization=f"Bearer {access}").status == 200

    def answers_until_killed(self, asks: Sequence[Callable[[], Json | None]], each: int) -> list[list[Json]]:
        """The answers to `asks`, of which each is sent so many times at once, from a server that is killed after a
        random number of answers. It runs again when this returns."""
        answered, enough = threading.Semaphore(0), self._chance.randint(1, len(asks) * each - 1)

        def ask(one: Callable[[], Json | None]) -> Json | None:
            try:
                return one()
            except OSError:  # no answer, or half of one
                return None
            finally:
                answered.release()

        with ThreadPoolExecutor(AT_ONCE) as threads:
            sent = [[threads.submit(ask, one) for _ in range(each)] for one in asks]
            for _ in range(enough):
                answered.acquire()
            self.server.stop(signal.SIGKILL)
            answers = [[one.result() for one in several] for several in sent]
        self.start()
        return [[one for one in several if one] for several in answers]

    def _token(self, form: Json) -> Json | None:
        """The answer of the token endpoint, {} for a refusal."""
        content = "application/x-www-form-urlencoded"
        body = urlencode({"client_id": self.client_id, **form})
        reply = self.server.request("POST", "/token", body, content_type=content)
        assert reply.status in (200, 400, 503), reply
        return reply.json if reply.status == 200 else {}


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param(2, marks=pytest.mark.timeout(600)),
        pytest.param(30, marks=[pytest.mark.soak, pytest.mark.timeout(3600)]),
    ],
)
def test_a_killed_server_neither_loses_nor_doubles_what_it_answered(tmp_path: Path, rounds: int) -> None:
    chance = random.Random(32)
    laptop = Laptop(tmp_path / "data", chance)
    try:
        for _ in range(rounds):
            _redeem_and_refresh(laptop)
    finally:
        laptop.stop()


def _redeem_and_refresh(laptop: Laptop) -> None:
    before = {grant.id for grant in laptop.grants.of_tenant(FIRST_TENANT)}
    codes = [laptop.code() for _ in range(AT_ONCE)]
    redeemed = laptop.answers_until_killed([partial(laptop.redeem, code) for code in codes], each=1)
    held: list[Json] = []
    for code, answers in zip(codes, redeemed, strict=True):
        # The answer may have been lost on its way; then the code was used, and asking again ends what was made of it.
        if tokens := answers[0] if answers else laptop.redeem(code):
            assert laptop.works(tokens["access_token"])
            held.append(tokens)
    alive = {grant.id for grant in laptop.grants.of_tenant(FIRST_TENANT)} - before
    assert alive == {tokens["access_token"].split("_")[1] for tokens in held}, "a grant that nobody has, or has no more"
    assert held

    refreshing = [partial(laptop.refresh, tokens["refresh_token"]) for tokens in held]
    for tokens, answers in zip(held, laptop.answers_until_killed(refreshing, each=2), strict=True):
        again = laptop.refresh(tokens["refresh_token"])
        assert again, "a refresh token was lost"
        assert {(one["access_token"], one["refresh_token"]) for one in (*answers, again)} == {
            (again["access_token"], again["refresh_token"])
        }, "a refresh token has two successors"
        assert laptop.works(again["access_token"])
        assert laptop.refresh(again["refresh_token"]), "the successor was lost"

    assert not any(laptop.redeem(code) for code in codes), "a code was used twice"
