"""Run the stack on an emulator until Ctrl+C, for use from another terminal: `make deploy-local`.

`sam deploy` deploys onto this emulator as onto AWS. This program then adds the parts that the emulator lacks and prints
the address.
"""

import argparse
import signal
import sys
import time
from datetime import datetime
from typing import Any

from tests.e2e.local_stack import (
    BUILT_FOR,
    Stack,
    StepFailed,
    deploy_on_emulator,
    first_key,
    missing_requirement,
    open_stack,
)

_DEPLOYED = ("CREATE_COMPLETE", "UPDATE_COMPLETE")


def main() -> None:
    parser = argparse.ArgumentParser(description="Deploy the stack onto an emulator on this machine.")
    parser.add_argument("--port", type=int, default=4566, help="the emulator's port; 0 takes a free one")
    port = parser.parse_args().port
    if lacking := missing_requirement():
        sys.exit(lacking)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print("Building and deploying; this takes about half a minute.", flush=True)
    try:
        with deploy_on_emulator(port) as stack:
            key = first_key(stack)
            print(f"Almanac is deployed at {stack.url}\nKey: {key}\n\nFor another terminal:")
            _show(stack, {**_surroundings(stack), **_address(stack), "ALMANAC_API_KEY": key})
            print("\nStop with Ctrl+C; then everything in it is gone.", flush=True)
            _follow(stack)
    except KeyboardInterrupt:
        sys.exit(0)
    except StepFailed as failed:
        sys.exit(str(failed))


def _follow(first: Stack) -> None:
    formation = first.client("cloudformation")
    known = deployments(formation)
    while True:
        time.sleep(1)
        latest = deployments(formation)
        for system, _ in sorted(latest - known):
            stack = open_stack(first.endpoint, system)
            print(f"\n{system} was deployed. To work with it:")
            _show(stack, _address(stack))
        known = latest


def _show(stack: Stack, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        print(f"  export {name}={value}")
    print(f"  almanac watch --url {stack.feed_url}", flush=True)


def _surroundings(stack: Stack) -> dict[str, str]:
    """Return the variables that name the emulator in place of AWS, and the target of `make build`."""
    names = ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION")
    return {name: stack.environment[name] for name in names} | BUILT_FOR


def _address(stack: Stack) -> dict[str, str]:
    return {"ALMANAC_TABLE": stack.table, "ALMANAC_URL": stack.url}


def deployments(formation: Any) -> set[tuple[str, datetime]]:
    """Almanac's stacks there by name, each with when it was deployed last."""
    return {
        (stack["StackName"], stack.get("LastUpdatedTime", stack["CreationTime"]))
        for stack in formation.describe_stacks()["Stacks"]
        if stack["StackStatus"] in _DEPLOYED
        and any(output["OutputKey"] == "FeedUrl" for output in stack.get("Outputs", []))
    }


if __name__ == "__main__":
    main()
