"""Record talks for tests. Each sentence says something that no other says."""

from almanac.families.memory.core.records import Turn
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import record

SENTENCES = (
    "The build fails with TS2345 in src/auth/token.ts since commit 3f2a91c.",
    "The staging database moved to Frankfurt because of the latency.",
    "Maria writes the release notes for version 4.2.",
    "Invoices are rounded per line, never per total.",
    "The mobile team needs the new endpoint /v2/orders first.",
    "Backups of Postgres run at 02:00 and are kept for 35 days.",
    "The customer Contoso pays by bank transfer only.",
    "Feature flags live in LaunchDarkly, project key web-shop.",
    "Ben found that the cache key lacks the tenant.",
    "Deploys are frozen until the migration #1182 has run.",
)


def talk(app: ProjectApp, count: int, session: str = "s1", first: int = 0) -> list[Turn]:
    """Record `count` turns, alternately by Ann and Ben."""
    return [
        record(app, sentence_for(number), session, speaker=("Ann", "Ben")[number % 2])
        for number in range(first, first + count)
    ]


def sentence_for(number: int) -> str:
    rounds, place = divmod(number, len(SENTENCES))
    return SENTENCES[place] if rounds == 0 else f"Note {number}: ticket ACME-{number} blocks milestone M{number}."
