"""The table of template.yaml, as tests create it at a stand-in for DynamoDB."""

from typing import Any

from almanac.platform.store.dynamodb.items import INDEX_KEYS
from almanac.platform.store.port import INDEXES


def table_definition(name: str) -> dict[str, Any]:
    """The arguments of CreateTable. Time to live is switched on apart: attribute TTL."""
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
