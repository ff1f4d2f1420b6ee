"""Published prices on demand, us-east-1, US dollars, first tier, without the free allowances.

As of 2026-11-21, by the pricing pages of each service: aws.amazon.com/{dynamodb,lambda,api-gateway,sqs,eventbridge,
cloudwatch,xray,opensearch-service}/pricing and aws.amazon.com/ec2/pricing/on-demand for data transfer.
"""

AS_OF = "2026-11-21"
MILLION = 1_000_000
GIGABYTE = 1024**3

WRITE_UNIT = 0.625 / MILLION
READ_UNIT = 0.125 / MILLION
STORED_GB_MONTH = 0.25
RECOVERABLE_GB_MONTH = 0.20
"""Point-in-time recovery."""

LAMBDA_REQUEST = 0.20 / MILLION
LAMBDA_GB_SECOND = 0.0000133334
"""On arm64."""

REST_REQUEST = 3.50 / MILLION
SOCKET_MESSAGE = 1.00 / MILLION
"""Of up to 32 KB, in either direction."""
SOCKET_MINUTE = 0.25 / MILLION
"""Of one connection."""

QUEUE_REQUEST = 0.50 / MILLION
"""FIFO, of up to 64 KB: sending, receiving and deleting are one each."""

BUS_EVENT = 1.00 / MILLION
"""Of up to 64 KB."""

LOG_GB = 0.50
TRACE = 5.00 / MILLION
TRANSFER_GB = 0.09
"""Out to the internet."""

HOURS_A_MONTH = 730
SEARCH_NODE_HOUR = 0.036
"""Of t3.small.search."""
SEARCH_DISK_GB_MONTH = 0.122
"""Of gp3 at a domain of OpenSearch."""
