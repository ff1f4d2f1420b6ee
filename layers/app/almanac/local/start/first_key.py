"""The key that a laptop starts with: its owner's, in the first tenant."""

from dataclasses import dataclass

from almanac.identity.api_key import ApiKey, new_api_key, parse_api_key
from almanac.identity.audit import Clerk
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.local.data_folder import FIRST_TENANT, VARIABLE, DataFolder
from almanac.local.user import user
from almanac.platform.store.port import Store

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class FirstKey:
    """The key, or None as `text` if it is not known here. `note` tells the user its origin, or the next step."""

    text: str | None
    note: str


class FirstKeys:
    """Finds or makes the first key. `default_timezone`, an IANA name, is given to the first tenant when it is made."""

    def __init__(
        self,
        folder: DataFolder,
        store: Store,
        clock: Clock,
        random_bytes: RandomBytes,
        default_timezone: str | None = None,
    ) -> None:
        self._folder = folder
        self._default_timezone = default_timezone
        self._clock = clock
        self._random_bytes = random_bytes
        clerk = Clerk(store, clock, random_bytes, user())
        self._keys = ApiKeys(store, clock, random_bytes, clerk)
        self._tenants = Tenants(store, clock, clerk)

    def ensure(self, given_key: str | None) -> FirstKey:
        """Return the key to start with: `given_key` (from ALMANAC_API_KEY), the one in the folder, or a new one.

        An unknown given key becomes a key of the first tenant. Raises InvalidInput if a given key is malformed,
        revoked, expired, or has the id of another key.
        """
        given_key = (given_key or "").strip()
        if given_key:
            self._accept(parse_key(given_key))
            return FirstKey(given_key, f"from {VARIABLE}")
        stored_key = self._folder.stored_key()
        if stored_key is None and any(True for _ in self._tenants.all()):
            # Look again: another server that starts on the folder stores its key before it creates the tenant.
            stored_key = self._folder.stored_key()
            if stored_key is None:
                return FirstKey(None, f"none is kept here; set {VARIABLE}, or make one: almanac keys issue")
        stored_key = stored_key or self._folder.keep_key(new_api_key(self._random_bytes).text)
        try:
            self._accept(parse_key(stored_key))
        except (InvalidInput, NotFound):
            # Revoked, expired, or its tenant or project was deleted.
            return FirstKey(
                None, f"the one in {self._folder.key_file} no longer works; almanac keys issue makes another"
            )
        return FirstKey(stored_key, f"kept in {self._folder.key_file}")

    def _accept(self, key: ApiKey) -> None:
        record = self._keys.find(key.id)
        if record is None:
            self._create_tenant()
            grant = Grant(tenant=FIRST_TENANT, project=DEFAULT_PROJECT, actor=OWNER, label="first key")
            try:
                record = self._keys.issue(grant, key).record
            except Conflict:
                # Another process that starts on the same folder was faster.
                record = self._keys.find(key.id)
        if record is None or not key.opens(record.digest):
            raise InvalidInput(f"{VARIABLE} has the id of another key.", "Change its id, or unset the variable.")
        if not record.works_at(now_ms(self._clock)):
            raise InvalidInput(f"{VARIABLE} is a key that was revoked or has expired.", "Set another, or unset it.")

    def _create_tenant(self) -> None:
        if self._tenants.exists(FIRST_TENANT):
            return
        try:
            self._tenants.create(FIRST_TENANT, default_timezone=self._default_timezone)
        except Conflict:
            return


def parse_key(text: str) -> ApiKey:
    """Parse the value of ALMANAC_API_KEY. Raises InvalidInput with advice for the person who set it."""
    try:
        return parse_api_key(text)
    except InvalidInput as malformed:
        hint = f"{malformed.hint} Unset the variable to have one made."
        raise InvalidInput(f"{VARIABLE} is not an Almanac API key.", hint) from malformed
