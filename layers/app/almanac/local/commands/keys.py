"""`almanac keys`"""

import os
from datetime import datetime, timedelta
from typing import Any

import click
import msgspec

from almanac.composition.families import families_for_docs
from almanac.identity.keys import ApiKeys, IssuedKey
from almanac.identity.oauth.attempts import MOST_LISTED, Attempts
from almanac.identity.oauth.clients import Clients
from almanac.identity.oauth.grants import ClientGrants
from almanac.identity.oauth.records import ClientGrant
from almanac.identity.records import Grant, KeyRecord
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.kernel.instants import iso, milliseconds, now_ms
from almanac.local.listings import name_unreadable, show, show_one
from almanac.local.options import Expiry, Span, json_option, open_store, store_options, tenant_option
from almanac.local.start.first_key import OWNER
from almanac.local.tenants.edit_options import (
    WEEK_STARTS,
    OrNone,
    Zone,
    changes,
    clerk,
    limit_options,
    note_delay,
    place,
    zone_options,
)

_CLOCK = SystemClock()
_COLUMNS = ("id", "state", "project", "actor", "families", "readonly", "expires", "label")
_GRANT_COLUMNS = ("id", "client", "key", "project", "families", "readonly", "used", "expires")
_STEP_COLUMNS = ("at", "attempt", "step", "outcome", "client_host", "redirect", "key_id")
_FAMILY_NAMES = [family.name for family in families_for_docs()]
_ALL = "all"


@click.group(short_help="Issue, list, edit, revoke and rotate API keys; end sign-ins of programs.")
def keys() -> None:
    """Issue, list, edit, revoke and rotate API keys, and see and end the sign-ins of programs.

    A key is shown once, when it is issued, because only a digest is stored.
    """


@keys.command()
@tenant_option
@click.option(
    "--project", default=DEFAULT_PROJECT, show_default=True, help="One project, or * for all of the tenant's."
)
@click.option(
    "--actor",
    default=OWNER,
    show_default=True,
    help="Actor that its calls are recorded under: a name or an e-mail address.",
)
@click.option("--label", default="", help="A note on what the key is for.")
@click.option(
    "--family",
    "families",
    multiple=True,
    type=click.Choice(_FAMILY_NAMES),
    help="A family that it may use; may be repeated. Default: all.",
)
@click.option("--readonly", is_flag=True, help="Only tools that change nothing.")
@click.option("--timezone", type=Zone(), help="The actor's IANA time zone; by default the project's or the tenant's.")
@click.option("--week-start", type=click.Choice(WEEK_STARTS), help="By default the project's or the tenant's.")
@click.option("--operator", is_flag=True, help="On the dashboard it shows keys and the audit trail.")
@click.option("--person", is_flag=True, help="A person uses it, not an agent, and may approve gates with it.")
@click.option("--expires", type=Expiry(_CLOCK), help="An instant, a date, or a span from now such as 90d.")
@click.option("--per-minute", type=click.IntRange(min=1), help="Requests per minute.")
@click.option("--per-day", type=click.IntRange(min=1), help="Requests per day of UTC.")
@store_options
@json_option
def issue(
    tenant: str,
    project: str,
    actor: str,
    label: str,
    families: tuple[str, ...],
    readonly: bool,
    operator: bool,
    person: bool,
    timezone: str | None,
    week_start: str | None,
    expires: datetime | None,
    per_minute: int | None,
    per_day: int | None,
    as_json: bool,
    **where: Any,
) -> None:
    """Issue a key. Standard output has only the key, for scripts."""
    grant = Grant(
        tenant=tenant,
        project=project,
        actor=actor,
        label=label,
        families=families or None,
        readonly=readonly,
        operator=operator,
        person=person,
        default_timezone=timezone,
        week_start=week_start,
        expires_at=milliseconds(expires) if expires else None,
        per_minute=per_minute,
        per_day=per_day,
    )
    _show_issued(_keys(where).issue(grant), as_json)


@keys.command("list")
@tenant_option
@store_options
@json_option
def list_keys(tenant: str, as_json: bool, **where: Any) -> None:
    """List a tenant's keys, revoked and expired ones too."""
    store = open_store(*place(where), _CLOCK)
    if not Tenants(store, _CLOCK).exists(tenant):
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    unreadable: list[str] = []
    rows = [_row(record) for record in ApiKeys(store, _CLOCK, os.urandom).of_tenant(tenant, unreadable.append)]
    show(rows, _COLUMNS, as_json=as_json, none="The tenant has no keys: almanac keys issue")
    name_unreadable(unreadable)


@keys.command()
@click.argument("key_id")
@zone_options
@click.option("--label", help="A note on what the key is for.")
@click.option(
    "--family",
    "families",
    multiple=True,
    type=click.Choice([*_FAMILY_NAMES, _ALL]),
    help="A family that it may use; may be repeated, or all.",
)
@click.option("--readonly/--no-readonly", default=None, help="Only tools that change nothing, or all of them.")
@click.option("--operator/--no-operator", default=None, help="Whether the dashboard shows it keys and the audit trail.")
@click.option("--person/--no-person", default=None, help="Whether a person uses it, who may approve gates with it.")
@click.option("--expires", type=OrNone(Expiry(_CLOCK)), help="An instant, a date, a span such as 90d, or none.")
@limit_options
@store_options
@json_option
def edit(
    key_id: str,
    timezone: Any,
    week_start: Any,
    label: str | None,
    families: tuple[str, ...],
    readonly: bool | None,
    operator: bool | None,
    person: bool | None,
    expires: Any,
    per_minute: Any,
    per_day: Any,
    as_json: bool,
    **where: Any,
) -> None:
    """Change the permissions and defaults of the key KEY_ID. Options that you leave out stay unchanged; `none` removes
    a setting.

    A running server follows at once, on AWS within 30 seconds.
    """
    terms = changes(
        {
            "default_timezone": timezone,
            "week_start": week_start,
            "label": label,
            "families": families or None,
            "readonly": readonly,
            "operator": operator,
            "person": person,
            "expires_at": milliseconds(expires) if isinstance(expires, datetime) else expires,
            "per_minute": per_minute,
            "per_day": per_day,
        }
    )
    if _ALL in families:
        if len(families) > 1:
            raise InvalidInput("All families include the others.", "Say --family all alone, or name families.")
        terms["families"] = None
    show_one(_row(_keys(where).edit(_id(key_id), **terms)), as_json=as_json)
    note_delay(where["table"])


@keys.command()
@click.argument("key_id")
@store_options
@json_option
def revoke(key_id: str, as_json: bool, **where: Any) -> None:
    """Make the key KEY_ID stop working. It stops here at once, and on AWS within 30 seconds."""
    show_one(_row(_keys(where).revoke(_id(key_id))), as_json=as_json)


@keys.command()
@click.argument("key_id")
@click.option("--overlap", default="24h", show_default=True, type=Span(), help="How long the old key still works.")
@store_options
@json_option
def rotate(key_id: str, overlap: timedelta, as_json: bool, **where: Any) -> None:
    """Issue a new key with the settings of KEY_ID. The old key keeps working for the overlap."""
    issued = _keys(where).rotate(_id(key_id), int(overlap.total_seconds()))
    _show_issued(issued, as_json)


@keys.command()
@tenant_option
@store_options
@json_option
def grants(tenant: str, as_json: bool, **where: Any) -> None:
    """List the programs that signed in with a tenant's keys, and the rights of each."""
    store = open_store(*place(where), _CLOCK)
    if not Tenants(store, _CLOCK).exists(tenant):
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    unreadable: list[str] = []
    found = ClientGrants(store, _CLOCK, os.urandom).of_tenant(tenant, unreadable.append)
    rows = [_grant_row(grant) for grant in found]
    show(rows, _GRANT_COLUMNS, as_json=as_json, none="No program has signed in.")
    name_unreadable(unreadable)


@keys.command("revoke-grant")
@click.argument("grant_id")
@store_options
@json_option
def revoke_grant(grant_id: str, as_json: bool, **where: Any) -> None:
    """End the sign-in GRANT_ID of a program. It ends here at once, and on AWS within 30 seconds. The key keeps
    working."""
    store = open_store(*place(where), _CLOCK)
    ended = ClientGrants(store, _CLOCK, os.urandom).revoke(grant_id, clerk(store, _CLOCK))
    show_one(_grant_row(ended), as_json=as_json)


@keys.command("sign-ins")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, MOST_LISTED), help="How many steps.")
@store_options
@json_option
def sign_ins(limit: int, as_json: bool, **where: Any) -> None:
    """List the steps of the sign-ins of the last seven days, newest first, with the place and the reason of each
    failure."""
    steps = Attempts(open_store(*place(where), _CLOCK), _CLOCK, os.urandom).latest(limit)
    rows = [{**msgspec.to_builtins(step), "at": iso(step.at)} for step in steps]
    show(rows, _STEP_COLUMNS, as_json=as_json, none="Nobody has tried to sign in.")


@keys.command("add-client")
@click.argument("name")
@click.option(
    "--redirect-uri",
    "uris",
    multiple=True,
    required=True,
    help="Address that its users are sent back to; may be repeated.",
)
@click.option("--secret", "with_secret", is_flag=True, help="Give it a secret, for programs that ask for one.")
@store_options
@json_option
def add_client(name: str, uris: tuple[str, ...], with_secret: bool, as_json: bool, **where: Any) -> None:
    """Register the program NAME, for programs that ask for a client id. Others register themselves."""
    clients = Clients(open_store(*place(where), _CLOCK), _CLOCK, os.urandom)
    client, secret = clients.add(name, uris, with_secret=with_secret)
    row = {"client_id": client.id, "name": client.name, "redirect_uris": list(client.redirect_uris)}
    show_one(row if secret is None else {**row, "client_secret": secret}, as_json=as_json)


def _grant_row(grant: ClientGrant) -> dict[str, Any]:
    return {
        "id": grant.id,
        "client": grant.client_host or grant.client_name or grant.client_id,
        "client_id": grant.client_id,
        "key": grant.key_id,
        "project": grant.project,
        "families": list(grant.families) if grant.families is not None else ["*"],
        "readonly": grant.readonly,
        "resource": grant.resource,
        "created": iso(grant.created_at),
        "used": iso(grant.used_at),
        "expires": iso(grant.expires_at),
    }


def _keys(where: dict[str, Any]) -> ApiKeys:
    store = open_store(*place(where), _CLOCK)
    return ApiKeys(store, _CLOCK, os.urandom, clerk(store, _CLOCK))


def _id(text: str) -> str:
    """Return the id of a key, given the id or the whole key. A user who revokes a leaked key often has the whole key at
    hand."""
    return text.split("_")[1] if text.startswith("alm_") else text


def _show_issued(issued: IssuedKey, as_json: bool) -> None:
    if as_json:
        show_one({"key": issued.key.text, **_row(issued.record)}, as_json=True)
    else:
        click.echo(issued.key.text)
        click.echo("Keep it: it is not shown again.", err=True)


def _row(record: KeyRecord) -> dict[str, Any]:
    grant, instant = record.grant, now_ms(_CLOCK)
    revoked = record.revoked_at is not None
    return {
        "id": record.id,
        "state": "revoked" if revoked else "works" if record.works_at(instant) else "expired",
        "tenant": grant.tenant,
        "project": grant.project,
        "actor": grant.actor,
        "label": grant.label,
        "families": list(grant.families) if grant.families is not None else ["*"],
        "readonly": grant.readonly,
        "operator": grant.operator,
        "person": grant.person,
        "timezone": grant.default_timezone,
        "week_start": grant.week_start,
        "per_minute": grant.per_minute,
        "per_day": grant.per_day,
        "created": iso(record.created_at),
        "expires": iso(grant.expires_at),
        "revoked": iso(record.revoked_at),
        "replaced_by": record.replaced_by,
    }
