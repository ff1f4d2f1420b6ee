"""Start ministack with what it lacks for nested stacks.

CloudFormation applies AWS::Serverless and AWS::LanguageExtensions to a nested stack's template as to any other.
ministack 1.5.33 applies them to the outermost only; here its own functions do it for the nested ones too. And when it
updates a nested stack, it forgets the attributes of what stays as it is, which Fn::GetAtt then does not find: they are
kept. This runs in ministack's environment, not in the tests'.
"""

# The emulator is not installed beside the tests.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportPrivateUsage=false, reportUnknownParameterType=false

import sys
from collections.abc import Mapping
from typing import Any


def transform_nested_stacks() -> None:
    # Not where tests are collected.
    from ministack.services.cloudformation import _stacks as stacks  # noqa: PLC0415
    from ministack.services.cloudformation import engine, provisioners  # noqa: PLC0415

    deploy, parse = provisioners._cfn_nested_stack_deploy, engine._parse_template
    update = provisioners._update_resource

    def deploy_with_transforms(logical_id: str, props: Mapping[str, Any], parent: str, **more: Any) -> Any:
        given = [{"Key": name, "Value": str(value)} for name, value in (props.get("Parameters") or {}).items()]

        def parse_with_transforms(body: str) -> Any:
            transformed = engine._apply_transforms(parse(body), given)
            if isinstance(transformed, engine._TransformFailed):
                message = f"the template of {logical_id} cannot be transformed: {vars(transformed)}"
                raise ValueError(message)  # noqa: TRY004 - what the emulator turns into a failed resource
            return transformed

        before = stacks.get(more.get("previous_physical_id"), {}).get("_resources", {})
        known = {name: dict(resource.get("Attributes") or {}) for name, resource in before.items()}

        def update_keeping_attributes(*of: Any, **named: Any) -> tuple[str, dict[str, Any]]:
            physical_id, attributes = update(*of, **named)
            return physical_id, known.get(of[5], {}) | dict(attributes or {})

        # The function looks both up by their names each time, and runs to its end without a pause.
        engine._parse_template, provisioners._update_resource = parse_with_transforms, update_keeping_attributes
        try:
            return deploy(logical_id, props, parent, **more)
        finally:
            engine._parse_template, provisioners._update_resource = parse, update

    provisioners._cfn_nested_stack_deploy = deploy_with_transforms


if __name__ == "__main__":
    from ministack.app import main

    transform_nested_stacks()
    sys.exit(main())
