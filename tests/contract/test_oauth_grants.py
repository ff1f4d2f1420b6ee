"""Codes and grants of clients on stores with many writers: one winner, one successor, and nothing half done."""

import os
from base64 import urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from almanac.identity.access.authorize import AccessTokens, authorize
from almanac.identity.access.directory import CachingDirectory, StoredDirectory
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import BAD_TOKEN, Refusal
from almanac.identity.audit import audit_page
from almanac.identity.keys import ApiKeys, IssuedKey
from almanac.identity.oauth.grants import ClientGrants, InvalidGrant, Redemption, Tokens
from almanac.identity.oauth.records import ACCESS_MS, GRACE_MS, Terms, client_grants_of
from almanac.identity.oauth.resources import Origins
from almanac.identity.oauth.tokens import read_token
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.store.keys import Partition
from almanac.platform.store.port import Store
from tests.contract.backends import Place

AT_ONCE = 200
VERIFIER = "a-verifier-of-at-least-forty-three-characters-0"
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
CLIENT, CALLBACK = "alc-client", "http://127.0.0.1:4711/callback"
ORIGIN = "https://mcp.example.com"
RESOURCE = f"{ORIGIN}/mcp"


class World:
    """A tenant with a key, and a client that signs in with it."""

    def __init__(self, store: Store, clock: FixedClock, scope: Scope) -> None:
        self.store, self.clock, self.scope = store, clock, scope
        self.grants = ClientGrants(store, clock, os.urandom)
        self.keys = ApiKeys(store, clock, os.urandom)
        Tenants(store, clock).create(scope.tenant, project=scope.project)
        self.key: IssuedKey = self.keys.issue(Grant(tenant=scope.tenant, project="*", actor="ann"))

    def code(self, **terms: object) -> str:
        allowed = {"readonly": False, **terms}
        return self.grants.new_code(
            client_id=CLIENT,
            client_name="A client",
            client_host="client.example.com",
            redirect_uri=CALLBACK,
            challenge=CHALLENGE,
            resource=RESOURCE,
            terms=Terms(key_id=self.key.key.id, tenant=self.scope.tenant, project=self.scope.project, **allowed),  # pyright: ignore
            attempt="attempt",
        )

    def redeem(self, code: str) -> Tokens:
        return self.grants.redeem(Redemption(code, CLIENT, CALLBACK, VERIFIER, RESOURCE))

    def judge(self, access: str, path: str = "/mcp", directory: CachingDirectory | None = None) -> Principal | Refusal:
        known = directory or StoredDirectory(self.store)
        headers = {"authorization": f"Bearer {access}", "host": "mcp.example.com"}
        tokens = AccessTokens(known, Origins(ORIGIN))
        return authorize(headers, path, known, now_ms(self.clock), tokens=tokens)

    def works(self, access: str) -> bool:
        return isinstance(self.judge(access), Principal)


@pytest.fixture(params=["sqlite", "dynoxide"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    technology: str = request.param
    if technology == "sqlite":
        return Place(technology, str(tmp_path / "store.db"))
    return Place(technology, request.getfixturevalue("dynoxide_address"))


@pytest.fixture
def world(store: Store, clock: FixedClock, scope: Scope) -> World:
    return World(store, clock, scope)


def test_a_code_becomes_tokens_that_act_with_the_narrowed_key(world: World) -> None:
    tokens = world.redeem(world.code(families=("time",), readonly=True))
    verdict = world.judge(tokens.access)
    assert isinstance(verdict, Principal)
    caller = verdict.caller
    assert (caller.scope, caller.key_id, caller.actor) == (world.scope, world.key.key.id, "ann")
    assert (caller.families, caller.readonly) == (frozenset({"time"}), True)
    assert isinstance(world.judge(tokens.access, "/mcp/time"), Principal)
    refused = world.judge(tokens.access, "/mcp/calendar")
    assert isinstance(refused, Refusal)
    assert refused.status == 403
    assert world.judge(tokens.refresh) is BAD_TOKEN
    assert [entry.tool for entry in audit_page(world.store, world.scope.tenant, limit=10).entries] == ["keys grant"]
    assert [grant.id for grant in world.grants.of_tenant(world.scope.tenant)] == [tokens.grant.id]


def test_a_program_that_a_person_let_sign_in_is_no_person(world: World) -> None:
    world.keys.edit(world.key.key.id, person=True)
    verdict = world.judge(world.redeem(world.code()).access)
    assert isinstance(verdict, Principal)
    assert not verdict.caller.is_person


def test_of_200_redemptions_of_one_code_one_wins(world: World) -> None:
    code = world.code()

    def redeem(_: int) -> str | None:
        try:
            return world.redeem(code).access
        except InvalidGrant:
            return None

    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(redeem, range(AT_ONCE)))
    assert len([one for one in answers if one]) == 1
    assert len(list(world.store.query(_grants_of(world), index="gsi1").items)) <= 1


def _grants_of(world: World) -> Partition:
    return client_grants_of(world.scope.tenant)


def test_200_refreshes_with_one_token_give_the_same_successor(world: World) -> None:
    first = world.redeem(world.code())
    with ThreadPoolExecutor(32) as threads:
        asked = [threads.submit(world.grants.refresh, first.refresh, CLIENT) for _ in range(AT_ONCE)]
        answers = [one.result() for one in asked]
    assert len({(one.access, one.refresh) for one in answers}) == 1
    assert world.works(answers[0].access)
    assert world.works(first.access)
    assert world.grants.refresh(answers[0].refresh, CLIENT).refresh != answers[0].refresh


def test_a_code_that_is_used_again_ends_what_was_made_of_it(world: World) -> None:
    code = world.code()
    tokens = world.redeem(code)
    with pytest.raises(InvalidGrant):
        world.redeem(code)
    assert not world.works(tokens.access)
    with pytest.raises(InvalidGrant):
        world.grants.refresh(tokens.refresh, CLIENT)


def test_a_stolen_refresh_token_ends_the_family_after_the_grace(world: World) -> None:
    first = world.redeem(world.code())
    second = world.grants.refresh(first.refresh, CLIENT)
    world.clock.instant += timedelta(milliseconds=GRACE_MS - 1)
    again = world.grants.refresh(first.refresh, CLIENT)
    assert (again.access, again.refresh) == (second.access, second.refresh)
    assert again.expires_in == (ACCESS_MS - GRACE_MS) // 1000
    third = world.grants.refresh(second.refresh, CLIENT)
    world.clock.instant += timedelta(milliseconds=1)
    with pytest.raises(InvalidGrant):
        world.grants.refresh(first.refresh, CLIENT)
    assert not world.works(third.access)
    with pytest.raises(InvalidGrant):
        world.grants.refresh(third.refresh, CLIENT)


def test_a_made_up_secret_ends_nothing(world: World) -> None:
    tokens = world.redeem(world.code())
    made_up = f"alr_{tokens.grant.id}_{'a' * 52}"
    with pytest.raises(InvalidGrant):
        world.grants.refresh(made_up, CLIENT)
    assert world.grants.revoke_token(made_up, CLIENT) is None
    with pytest.raises(InvalidGrant):
        world.grants.refresh(tokens.refresh, "another client")
    assert world.works(tokens.access)


def test_nothing_that_opens_a_door_is_in_the_store(world: World) -> None:
    code = world.code()
    tokens = world.redeem(code)
    renewed = world.grants.refresh(tokens.refresh, CLIENT)
    secrets = [text.rpartition("_")[2] for text in (code, *map(str, (tokens.access, tokens.refresh))) if text]
    secrets += [renewed.access.rpartition("_")[2], renewed.refresh.rpartition("_")[2]]
    stored = repr(world.grants.find(tokens.grant.id)) + repr(world.store.query(_grants_of(world), index="gsi1").items)
    assert not [secret for secret in secrets if secret in stored]


def test_a_revoked_key_ends_its_tokens_within_thirty_seconds(world: World) -> None:
    tokens = world.redeem(world.code())
    directory = CachingDirectory(StoredDirectory(world.store), world.clock)
    assert isinstance(world.judge(tokens.access, directory=directory), Principal)
    world.keys.revoke(world.key.key.id)
    assert world.judge(tokens.access) is BAD_TOKEN
    world.clock.instant += timedelta(seconds=30)
    assert world.judge(tokens.access, directory=directory) is BAD_TOKEN
    with pytest.raises(InvalidGrant):
        world.grants.refresh(tokens.refresh, CLIENT)


def test_a_renewed_token_works_at_once_where_the_grant_is_remembered(world: World) -> None:
    tokens = world.redeem(world.code())
    directory = CachingDirectory(StoredDirectory(world.store), world.clock)
    assert isinstance(world.judge(tokens.access, directory=directory), Principal)
    renewed = world.grants.refresh(tokens.refresh, CLIENT)
    assert isinstance(world.judge(renewed.access, directory=directory), Principal)


def test_an_edited_key_narrows_what_was_granted(world: World) -> None:
    tokens = world.redeem(world.code(families=("time", "calendar")))
    world.keys.edit(world.key.key.id, families=("calendar", "team"), readonly=True)
    verdict = world.judge(tokens.access)
    assert isinstance(verdict, Principal)
    assert (verdict.caller.families, verdict.caller.readonly) == (frozenset({"calendar"}), True)


def test_a_grant_ends_with_its_lifetime(world: World) -> None:
    tokens = world.redeem(world.code(lifetime_ms=600_000))
    assert tokens.expires_in == 600
    world.clock.instant += timedelta(seconds=600)
    assert not world.works(tokens.access)
    with pytest.raises(InvalidGrant):
        world.grants.refresh(tokens.refresh, CLIENT)


@pytest.mark.parametrize("minutes", [-10, 10])
def test_clocks_ten_minutes_apart_give_no_second_winner(place: Place, world: World, minutes: int) -> None:
    other_clock = FixedClock(world.clock.instant + timedelta(minutes=minutes))
    elsewhere = ClientGrants(place.open(other_clock), other_clock, os.urandom)
    code = world.code()
    tokens = world.redeem(code)
    renewed = world.grants.refresh(tokens.refresh, CLIENT)
    try:
        again = elsewhere.refresh(tokens.refresh, CLIENT)
        assert (again.access, again.refresh) == (renewed.access, renewed.refresh)
        assert again.expires_in <= ACCESS_MS // 1000
    except InvalidGrant:
        assert minutes > 0
    with pytest.raises(InvalidGrant):
        elsewhere.redeem(Redemption(code, CLIENT, CALLBACK, VERIFIER, RESOURCE))


class ProcessKilled(BaseException):
    """Stands for the end of the process."""


class DyingStore:
    """`store`, whose process dies just before or just after it writes."""

    def __init__(self, store: Store, *, after: bool) -> None:
        self._store, self._after = store, after

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def write(self, changes: object) -> None:
        if self._after:
            self._store.write(changes)  # pyright: ignore
        raise ProcessKilled


@pytest.mark.parametrize("after", [False, True])
def test_a_process_that_dies_in_a_step_leaves_all_of_it_or_nothing(world: World, after: bool) -> None:
    dying = ClientGrants(DyingStore(world.store, after=after), world.clock, os.urandom)  # pyright: ignore
    code = world.code()
    with pytest.raises(ProcessKilled):
        dying.redeem(Redemption(code, CLIENT, CALLBACK, VERIFIER, RESOURCE))
    assert len(list(world.grants.of_tenant(world.scope.tenant))) == after
    if after:
        with pytest.raises(InvalidGrant):
            world.redeem(code)
    tokens = world.redeem(world.code() if after else code)
    with pytest.raises(ProcessKilled):
        dying.refresh(tokens.refresh, CLIENT)
    renewed = world.grants.refresh(tokens.refresh, CLIENT)
    assert world.works(renewed.access)
    token = read_token(renewed.refresh)
    assert token is not None
    grant = world.grants.find(token.grant_id)
    assert grant is not None
    assert token.opens(grant.refresh)
