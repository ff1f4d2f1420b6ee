"""Due items. Each says that a scheduled job has work in a project from an instant on, in milliseconds since 1970.

    P#<tenant>#<project>#due   <job>#<at>   Due
    gsi1 S#due#<shard>         <shown_at>#<tenant>#<project>#<job>#<at>

A round reads the shards up to the present instant, so it costs the same with ten idle projects as with a million. An
item belongs to its project and is deleted with it. It names no records; the job finds them in the indexes of its
tables.
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
"""Name that stands for all jobs of a project. Each one runs and then says when it is due next."""
_TOKEN_BYTES = 9


class Due(Record, frozen=True, kw_only=True):
    """A job has work in a project `at` an instant, or earlier.

    Every write changes `token`, so a round can tell whether the item was written again since the round took it. Rounds
    see the item from `shown_at` on. That is `at` first, and later while a round works on the item or after a failure.
    It is None for a parked item, which is kept until `expires_at`. `attempts` counts how often a round took the item.
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
    """Return the change that writes `due` and shows it to rounds from `shown_at` on."""
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
