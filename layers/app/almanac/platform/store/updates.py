"""The item that an update results in, for technologies that do not update in place."""

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
        number_before = result.get(name, 0)
        if not isinstance(number_before, int) or isinstance(number_before, bool):
            raise InvalidInput(f"{name} is no whole number: nothing can be added.", "Set it instead.", path=name)
        result[name] = number_before + number
    result, size = checked(result)
    expires_at = item.expires_at if isinstance(update.expires_at, UnsetType) else update.expires_at
    indexes = item.indexes if isinstance(update.indexes, UnsetType) else update.indexes
    check_size(item.key, indexes, size)
    return Item(item.key, result, expires_at, indexes)
