"""Calls to DynamoDB through pynamodb's connection, with safe retries and translated errors."""

# botocore, whose errors these are, carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
)
from pynamodb.connection import Connection

from almanac.kernel.errors import AlmanacError, InvalidInput, Unavailable
from almanac.platform.store.retries import Retries, Throttled

_TURNED_AWAY = frozenset(
    {
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
_TURNED_AWAY_REASONS = frozenset({"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"})
_HINT = "Repeat the call in a moment."


class FailedCondition(Exception):
    """A condition did not hold. `change` is its position among the changes, and `image` the item at its key."""

    def __init__(self, change: int, image: dict[str, Any] | None) -> None:
        super().__init__(change)
        self.change = change
        self.image = image


def connect(region: str, host: str | None = None, *, seconds: int = 4) -> Connection:
    """Open a connection for many threads, with a time limit for each answer in `seconds`.

    `host` is the address of an emulator. Without it, the connection goes to the region's service.
    """
    return Connection(
        region=region,
        host=host,
        # One try per call, because Calls does the retries and knows which calls may be repeated.
        retry_configuration={"total_max_attempts": 1, "mode": "standard"},
        connect_timeout_seconds=2,
        read_timeout_seconds=seconds,
        max_pool_connections=32,
    )


class Calls:
    def __init__(self, connection: Connection, retries: Retries) -> None:
        self._connection = connection
        self._retries = retries

    def call(self, operation: str, arguments: dict[str, Any], *, repeatable: bool) -> dict[str, Any]:
        """Call an operation and return its answer. If it is `repeatable`, it is also retried after a lost answer.

        Raises FailedCondition for a failed condition, InvalidInput for a request that the service rejects, and
        Unavailable otherwise.
        """
        return self._retries.call(self._attempt(operation, arguments, repeatable))

    def _attempt(self, operation: str, arguments: dict[str, Any], repeatable: bool) -> Callable[[], dict[str, Any]]:
        def attempt() -> dict[str, Any]:
            try:
                return self._connection.dispatch(operation, dict(arguments))
            except ClientError as error:
                raise _translate_error(error, repeatable) from error
            except (EndpointConnectionError, ConnectTimeoutError) as error:
                raise Throttled from error
            except BotoCoreError as error:
                raise _lost_answer_error(repeatable) from error

        return attempt


def _translate_error(error: ClientError, repeatable: bool) -> Exception:
    # pynamodb keeps only the code. The stored items are in the answer from which the error was raised.
    answer: Any = (error.__cause__ if isinstance(error.__cause__, ClientError) else error).response
    code = answer.get("Error", {}).get("Code", "")
    if code == "ConditionalCheckFailedException":
        return FailedCondition(0, answer.get("Item"))
    if code == "TransactionCanceledException":
        return _cancellation_error(answer.get("CancellationReasons", []))
    if code in _TURNED_AWAY:
        return Throttled()
    if code == "ValidationException":
        return _unfit_error()
    if answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500:
        return _lost_answer_error(repeatable)
    return Unavailable(f"The store refuses to answer ({code}).", "Check the table's name, region and permissions.")


def _cancellation_error(reasons: list[dict[str, Any]]) -> Exception:
    codes = [reason.get("Code") for reason in reasons]
    if any(code in _TURNED_AWAY_REASONS for code in codes):
        return Throttled()
    if "ValidationError" in codes:
        return _unfit_error()
    if "ConditionalCheckFailed" in codes:
        position = codes.index("ConditionalCheckFailed")
        return FailedCondition(position, reasons[position].get("Item"))
    return Unavailable("The store cancelled the write.", _HINT)


def _lost_answer_error(repeatable: bool) -> Exception:
    if repeatable:
        return Throttled()
    return Unavailable("The answer of the store was lost: the write may have happened.", "Read before you repeat it.")


def _unfit_error() -> AlmanacError:
    return InvalidInput(
        "The change does not fit the stored item.",
        "Numbers are added to numbers only, and an item has at most 400 KB.",
    )
