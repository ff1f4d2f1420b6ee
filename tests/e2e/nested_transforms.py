"""Start ministack with transforms of nested stacks' templates.

CloudFormation applies AWS::Serverless and AWS::LanguageExtensions to a nested stack's template as to any other.
ministack 1.5.33 applies them to the outermost only; here its own functions do it for the nested ones too. This runs in
ministack's environment, not in the tests'.
"""

# The emulator is not installed beside the tests.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportPrivateUsage=false, reportUnknownParameterType=false

import sys
from collections.abc import Mapping
from typing import Any


def transform_nested_stacks() -> None:
    from ministack.services.cloudformation import engine, provisioners  # noqa: PLC0415 - not where tests are collected

    deploy, parse = provisioners._cfn_nested_stack_deploy, engine._parse_template

    def deploy_transformed(logical_id: str, props: Mapping[str, Any], parent: str, **more: Any) -> Any:
        given = [{"Key": name, "Value": str(value)} for name, value in (props.get("Parameters") or {}).items()]

        def parse_transformed(body: str) -> Any:
            transformed = engine._apply_transforms(parse(body), given)
            if isinstance(transformed, engine._TransformFailed):
                message = f"the template of {logical_id} cannot be transformed: {vars(transformed)}"
                raise ValueError(message)  # noqa: TRY004 - what the emulator turns into a failed resource
            return transformed

        # The function looks the parser up by its name each time, and runs to its end without a pause.
        engine._parse_template = parse_transformed
        try:
            return deploy(logical_id, props, parent, **more)
        finally:
            engine._parse_template = parse

    provisioners._cfn_nested_stack_deploy = deploy_transformed


if __name__ == "__main__":
    from ministack.app import main

    transform_nested_stacks()
    sys.exit(main())
