"""Test admission of callers, and the refusals of others."""

import msgspec
import pytest

from almanac.identity.access.authorize import authorize, family_of, key_in_headers
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.effective_settings import EffectiveSettings
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import BAD_KEY, NO_KEY, PROJECT_NEEDED, Refusal
from almanac.identity.access.tiers import tier_limits
from almanac.identity.api_key import ApiKey
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant, KeyRecord
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store

KEY = ApiKey("abcdefgh", "s" * 40)
NOW = 1_000_000
GRANT = Grant(
    tenant="acme",
    project="default",
    actor="ann",
    default_timezone="Europe/Paris",
    week_start="sunday",
    per_minute=5,
    per_day=50,
)
RECORD = KeyRecord(id=KEY.id, digest=KEY.digest, grant=GRANT, created_at=0)


class FakeDirectory:
    """A directory with at most one key and the projects default and moon. It records its questions."""

    def __init__(self, record: KeyRecord | None) -> None:
        self.record = record
        self.asked: list[str] = []

    def key(self, key_id: str) -> KeyRecord | None:
        self.asked.append(key_id)
        return self.record if self.record and self.record.id == key_id else None

    def settings(self, tenant: str, project: str) -> EffectiveSettings | None:
        return EffectiveSettings() if tenant == "acme" and project in ("default", "moon") else None


def directory_granting(**terms: object) -> FakeDirectory:
    return FakeDirectory(msgspec.structs.replace(RECORD, grant=msgspec.structs.replace(GRANT, **terms)))


def judge(directory: FakeDirectory, headers: dict[str, str] | None = None, path: str = "/mcp") -> Principal | Refusal:
    return authorize({"x-api-key": KEY.text, **(headers or {})}, path, directory, NOW)


def test_a_key_lets_its_holder_in_with_everything_it_carries() -> None:
    verdict = judge(FakeDirectory(RECORD))
    assert isinstance(verdict, Principal)
    caller = verdict.caller
    assert (caller.scope.tenant, caller.scope.project, caller.actor, caller.key_id) == (
        "acme",
        "default",
        "ann",
        KEY.id,
    )
    assert (caller.families, caller.readonly, caller.default_timezone, caller.week_start) == (
        None,
        False,
        "Europe/Paris",
        "sunday",
    )
    assert (verdict.per_minute, verdict.per_day) == (5, 50)


def test_only_a_key_that_was_made_for_a_person_lets_a_person_call() -> None:
    for is_person in (False, True):
        verdict = judge(
            FakeDirectory(msgspec.structs.replace(RECORD, grant=msgspec.structs.replace(GRANT, person=is_person)))
        )
        assert isinstance(verdict, Principal)
        assert verdict.caller.is_person is is_person


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": KEY.text},
        {"x-api-key": f" {KEY.text} "},
        {"authorization": f"Bearer {KEY.text}"},
        {"authorization": f"bearer   {KEY.text}"},
        {"x-api-key": "", "authorization": f"Bearer {KEY.text}"},
    ],
)
def test_a_key_may_come_in_either_header(headers: dict[str, str]) -> None:
    assert isinstance(authorize(headers, "/mcp", FakeDirectory(RECORD), NOW), Principal)


@pytest.mark.parametrize(
    "headers", [{}, {"x-api-key": " "}, {"authorization": "Basic abc"}, {"authorization": "Bearer"}]
)
def test_a_request_without_a_key_is_told_where_to_put_one(headers: dict[str, str]) -> None:
    assert key_in_headers(headers) is None
    assert authorize(headers, "/mcp", FakeDirectory(RECORD), NOW) is NO_KEY


WRONG_SECRET = msgspec.structs.replace(RECORD, digest=ApiKey(KEY.id, "t" * 40).digest)
REVOKED = msgspec.structs.replace(RECORD, revoked_at=NOW)
EXPIRED = msgspec.structs.replace(RECORD, grant=msgspec.structs.replace(GRANT, expires_at=NOW))


@pytest.mark.parametrize(
    "record", [None, WRONG_SECRET, REVOKED, EXPIRED], ids=["unknown", "wrong", "revoked", "expired"]
)
def test_unknown_wrong_revoked_and_expired_keys_cannot_be_told_apart(record: KeyRecord | None) -> None:
    directory = FakeDirectory(record)
    assert judge(directory) is BAD_KEY
    assert directory.asked == [KEY.id]


@pytest.mark.parametrize(
    "record", [None, WRONG_SECRET, REVOKED, EXPIRED], ids=["unknown", "wrong", "revoked", "expired"]
)
def test_every_refused_key_is_compared_once(record: KeyRecord | None, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def opens(key: ApiKey, digest: bytes) -> bool:
        compared.append(digest)
        return key.digest == digest

    monkeypatch.setattr(ApiKey, "opens", opens)
    judge(FakeDirectory(record))
    assert len(compared) == 1
    assert len(compared[0]) == 32


def test_a_malformed_key_is_refused_like_an_unknown_one_and_never_looked_up() -> None:
    directory = FakeDirectory(RECORD)
    assert authorize({"x-api-key": "alm_'; DROP TABLE items"}, "/mcp", directory, NOW) is BAD_KEY
    assert directory.asked == []


def test_a_key_works_until_the_instant_at_which_it_expires() -> None:
    assert isinstance(judge(directory_granting(expires_at=NOW + 1)), Principal)


@pytest.mark.parametrize("path", ["/mcp/time", "/mcp/time/", "/v1/mcp/time"])
def test_a_family_outside_the_key_is_refused_with_the_scope_that_is_needed(path: str) -> None:
    verdict = judge(directory_granting(families=("calendar",)), path=path)
    assert isinstance(verdict, Refusal)
    assert (verdict.status, verdict.needed_scope) == (403, "family:time")


@pytest.mark.parametrize("path", ["/mcp", "/mcp/calendar"])
def test_the_hub_and_the_keys_own_families_are_open(path: str) -> None:
    verdict = judge(directory_granting(families=("calendar",)), path=path)
    assert isinstance(verdict, Principal)
    assert verdict.caller.families == {"calendar"}


def test_a_key_of_one_project_cannot_be_sent_into_another() -> None:
    verdict = judge(FakeDirectory(RECORD), {"x-almanac-project": "moon"})
    assert isinstance(verdict, Refusal)
    assert (verdict.status, verdict.needed_scope) == (403, "project:moon")


def test_a_key_of_one_project_may_name_it() -> None:
    assert isinstance(judge(FakeDirectory(RECORD), {"x-almanac-project": "default"}), Principal)


def test_a_key_of_all_projects_works_in_the_one_that_is_named() -> None:
    verdict = judge(directory_granting(project="*"), {"x-almanac-project": " moon "})
    assert isinstance(verdict, Principal)
    assert verdict.caller.scope.project == "moon"


def test_a_key_of_all_projects_must_name_one() -> None:
    assert judge(directory_granting(project="*")) is PROJECT_NEEDED


@pytest.mark.parametrize("project", ["mars", "*", "../default", "m" * 5000])
def test_a_project_that_does_not_exist_is_refused_and_named_in_short(project: str) -> None:
    verdict = judge(directory_granting(project="*"), {"x-almanac-project": project})
    assert isinstance(verdict, Refusal)
    assert verdict.status == 403
    assert len(verdict.message) < 200


@pytest.mark.parametrize(
    ("path", "family"),
    [("/mcp", None), ("/mcp/", None), ("/mcp/time", "time"), ("/v1/mcp", None), ("/", None), ("", None)],
)
def test_the_family_is_what_follows_mcp_in_the_path(path: str, family: str | None) -> None:
    assert family_of(path) == family


def test_an_issued_key_is_let_in(keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    issued = keys.issue(grant)
    verdict = authorize(
        {"x-api-key": issued.key.text}, "/mcp", FakeDirectory(keys.find(issued.record.id)), now_ms(clock)
    )
    assert isinstance(verdict, Principal)
    assert verdict.caller.key_id == issued.key.id


TIERS = tier_limits((120, 3000, 0), (5, 20, 0))


@pytest.mark.parametrize(
    ("settings", "per_minute", "calls_at_once"),
    [
        (EffectiveSettings(), 3000, 20),
        (EffectiveSettings(tier="trial"), 120, 5),
        (EffectiveSettings(tier="premium"), None, None),
        (EffectiveSettings(tier="trial", per_minute=900), None, 5),
        (EffectiveSettings(tier="trial", calls_at_once=8), 120, 8),
    ],
)
def test_a_tenant_without_limits_of_its_own_has_those_of_its_tier(
    settings: EffectiveSettings, per_minute: int | None, calls_at_once: int | None
) -> None:
    class Directory(FakeDirectory):
        def settings(self, tenant: str, project: str) -> EffectiveSettings:
            return settings

    verdict = authorize({"x-api-key": KEY.text}, "/mcp", Directory(RECORD), NOW, tiers=TIERS)
    assert isinstance(verdict, Principal)
    assert (verdict.default_per_minute, verdict.calls_at_once) == (per_minute, calls_at_once)
    assert verdict.tenant_per_minute == settings.per_minute


def test_without_limits_by_tier_only_those_of_key_and_tenant_hold() -> None:
    verdict = judge(FakeDirectory(RECORD))
    assert isinstance(verdict, Principal)
    assert (verdict.default_per_minute, verdict.calls_at_once) == (None, None)


def test_tier_and_limits_are_those_of_the_tenants_record(
    keys: ApiKeys, grant: Grant, tenants: Tenants, store: Store, clock: FixedClock
) -> None:
    sent = {"x-api-key": keys.issue(grant).key.text}
    tenants.edit("acme", tier="trial")
    directory = StoredDirectory(store)
    verdict = authorize(sent, "/mcp", directory, now_ms(clock), tiers=TIERS)
    assert isinstance(verdict, Principal)
    assert (verdict.default_per_minute, verdict.calls_at_once) == (120, 5)
    tenants.edit("acme", calls_at_once=40, per_minute=7)
    verdict = authorize(sent, "/mcp", directory, now_ms(clock), tiers=TIERS)
    assert isinstance(verdict, Principal)
    assert (verdict.default_per_minute, verdict.tenant_per_minute, verdict.calls_at_once) == (None, 7, 40)
    with pytest.raises(InvalidInput):
        tenants.edit("acme", calls_at_once=1001)
