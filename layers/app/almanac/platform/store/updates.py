"""What an update makes of the item that stands, for technologies that do not update in place."""

from msgspec import UnsetType

from almanac.kernel.errors import InvalidInput
from almanac.platform.store.bounds import check_size
from almanac.platform.store.port import Item, Update
from almanac.platform.store.values import Value, checked


def updated(item: Item, update: Update, attributes: dict[str, Value]) -> Item:
    """`attributes` is what the update sets, checked. Raises InvalidInput where a number is added to another type, and
    for an item that has grown over 400 KB."""
    result = {name: value for name, value in item.attributes.items() if name not in update.remove} | attributes
    for name, number in update.add.items():
        stands = result.get(name, 0)
        if not isinstance(stands, int) or isinstance(stands, bool):
            raise InvalidInput(f"{name} is no whole number: nothing can be added.", "Set it instead.", path=name)
        result[name] = stands + number
    result, size = checked(result)
    expires_at = item.expires_at if isinstance(update.expires_at, UnsetType) else update.expires_at
    indexes = item.indexes if isinstance(update.indexes, UnsetType) else update.indexes
    check_size(item.key, indexes, size)
    return Item(item.key, result, expires_at, indexes)
