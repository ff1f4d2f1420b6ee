"""Due items: which scheduled job has work in which project, and from when on. Instants are milliseconds since 1970.

    P#<tenant>#<project>#due   <job>#<at>   Due
    gsi1 S#due#<shard>         <shown_at>#<tenant>#<project>#<job>#<at>

A round reads the shards up to the present instant, so it costs the same with ten idle projects as with a million. An
item belongs to its project and ends with it. It names no record: the job finds those by the indexes of its own tables.
"""

from zlib import crc32

import msgspec

from almanac.kernel.caller import Scope
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Put, Store
from almanac.platform.store.records import Record, Table

SHARDS = 8
EVERY_SHARD = tuple(range(SHARDS))
SURVEY = "survey"
"""Stands for all jobs of a project: each runs, and says when it is due next."""
_TOKEN_BYTES = 9


class Due(Record, frozen=True, kw_only=True):
    """The job has work in the project `at` an instant, or earlier.

    `token` is another one after every write: a round finishes only what nobody wrote since the round took it.
    `shown_at` is when rounds see the item: `at` first, later while a round works on it or after a failure, None once
    it is parked, which lasts until `expires_at`. `attempts` counts how often a round took it.
    """

    tenant: str
    project: str
    job: str
    at: int
    written_at: int
    token: str
    attempts: int = 0
    shown_at: int | None = None
    error: str | None = None
    expires_at: int | None = None

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant, self.project)


DUE = Table(Due, "due", sort=("job", "at"), expires="expires_at")


def shard_partition(shard: int) -> Partition:
    return Partition.system("due", str(shard))


def due_put(store: Store, due: Due) -> Put:
    """The change that writes `due` and shows it to rounds from `shown_at` on."""
    put = DUE.within(store, due.scope).put(due)
    if due.shown_at is None:
        return put
    shard = crc32(f"{due.tenant}/{due.project}".encode()) % SHARDS
    shown = sort_key(due.shown_at, due.tenant, due.project, due.job, due.at)
    return msgspec.structs.replace(put, indexes={"gsi1": Key(shard_partition(shard), shown)})


def new_due(scope: Scope, job: str, at: int, now: int, random_bytes: RandomBytes) -> Due:
    return Due(
        tenant=scope.tenant,
        project=scope.project,
        job=job,
        at=at,
        written_at=now,
        token=new_token(random_bytes),
        shown_at=at,
    )


def new_token(random_bytes: RandomBytes) -> str:
    return random_bytes(_TOKEN_BYTES).hex()
