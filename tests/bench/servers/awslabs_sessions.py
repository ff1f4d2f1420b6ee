"""The same, with sessions in a DynamoDB table, one of which each call is answered in."""

from servers import awslabs_server

TABLE = "sessions"

handler = awslabs_server.make(TABLE).handle_request
