"""The least that a function can do: what every other figure under the emulator contains."""


def handler(event: object, context: object) -> dict[str, object]:
    return {"statusCode": 200, "body": '{"result": {}}'}
