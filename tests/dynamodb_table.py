"""The table of template.yaml, for tests that create it at a stand-in for DynamoDB."""

from typing import Any

from almanac.platform.store.dynamodb.items import INDEX_KEYS
from almanac.platform.store.port import INDEXES


def table_definition(name: str) -> dict[str, Any]:
    """Return the arguments of CreateTable. Time to live is switched on by another call, for the attribute TTL."""
    keys = [("PK", "SK"), *INDEX_KEYS.values()]
    schemas = [[{"AttributeName": h, "KeyType": "HASH"}, {"AttributeName": r, "KeyType": "RANGE"}] for h, r in keys]
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for pair in keys for each in pair],
        "KeySchema": schemas[0],
        "GlobalSecondaryIndexes": [
            {"IndexName": index, "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
            for index, schema in zip(INDEXES, schemas[1:], strict=True)
        ],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    }
