"""`almanac usage`"""

import time
from datetime import UTC, datetime
from typing import Any

import click
import msgspec

from almanac.composition.aws import open_logs
from almanac.composition.families import FAMILIES
from almanac.gateway.observability.usage import MOST_ROWS, log_groups, read_month, read_usage
from almanac.identity.records import check_name
from almanac.local.hints import in_use
from almanac.local.listings import printable, show
from almanac.local.options import json_option

_COLUMNS = ("calls", "refused", "errors", "failed", "seconds")


@click.command(short_help="Count the calls of each tenant in a month, on AWS.")
@click.option("--month", help="A month of UTC such as 2026-11; by default this one, so far.")
@click.option("--tenant", help="One tenant, by tools; by default all tenants.")
@click.option("--stack", default="almanac", show_default=True, help="The CloudFormation stack whose logs are read.")
@click.option("--region", envvar="AWS_REGION", callback=in_use("--region"), help="The stack's AWS region.")
@json_option
def usage(month: str | None, tenant: str | None, stack: str, region: str | None, as_json: bool) -> None:
    """Count calls and the seconds they took inside functions, the highest counts first.

    CloudWatch Logs Insights counts them in the logs of the functions. It costs $0.005 for each GB it reads, about a
    cent for a million calls. Logs are kept for LogRetentionDays; older calls are not counted.
    """
    now = datetime.now(UTC)
    asked_month = read_month(month or f"{now:%Y-%m}")
    if tenant is not None:
        check_name(tenant, "tenant")
    groups = log_groups(stack, ("hub", *FAMILIES))
    report = read_usage(open_logs(region), groups, asked_month, tenant, now, time.sleep)
    by = "tenant" if tenant is None else "tool"
    rows: list[dict[str, Any]] = []
    for row in report.rows:
        fields = msgspec.to_builtins(row)
        rows.append({by: printable(fields.pop("of")) or "(none)", **fields})
    show(rows, (by, *_COLUMNS), as_json=as_json, none="Nothing was called in that month, or its logs are gone.")
    if report.kept_since is not None:
        click.echo(f"The logs begin on {report.kept_since:%Y-%m-%d %H:%M} UTC: calls before are not counted.", err=True)
    if len(rows) == MOST_ROWS:
        click.echo(f"These are the {MOST_ROWS} with the most calls; there may be more.", err=True)
