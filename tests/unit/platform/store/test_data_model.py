"""The page of the data model says what the tables do."""

from almanac.platform.store.data_model import data_model
from almanac.platform.store.records import Place, Record, Table


class Claim(Record, frozen=True, kw_only=True):
    """A lease on a key."""

    key: str
    holder: str | None
    expires_at: int
    tags: dict[str, int] = {}  # noqa: RUF012


class Plan(Record, frozen=True, kw_only=True):
    """What a tenant pays for."""

    tier: str


CLAIMS = Table(
    Claim,
    "claims",
    sort=("key",),
    indexes={"gsi1": Place("claims_by_holder", partition=("holder",), sort=("expires_at", "key"))},
    expires="expires_at",
)
PLAN = Table(Plan, "plan", level="tenant")

PAGE = """\
## claims

A lease on a key.

| | partition | sort key |
|---|---|---|
| item | `P#<tenant>#<project>#claims` | `<key>` |
| gsi1 | `P#<tenant>#<project>#claims_by_holder#<holder>` | `<expires_at>#<key>` |

| field | type |
|---|---|
| key | `str` |
| holder | `str \\| None` |
| expires_at | `int` |
| tags | `dict[str, int]` |

Absent from `expires_at` on.

## plan

What a tenant pays for.

| | partition | sort key |
|---|---|---|
| item | `T#<tenant>#plan` | `plan` |

| field | type |
|---|---|
| tier | `str` |
"""


def test_every_table_is_described_with_its_keys_and_fields():
    assert data_model([PLAN, CLAIMS]) == PAGE
