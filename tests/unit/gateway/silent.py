"""Telemetry that records defects and writes nothing."""

from contextlib import AbstractContextManager, nullcontext


class Silent:
    def __init__(self) -> None:
        self.defects: list[BaseException] = []

    def record_request(self, report: object) -> None:
        raise AssertionError(report)

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        self.defects.append(cause)

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        self.defect(reference, where, cause)

    def span(self, name: str) -> AbstractContextManager[object]:
        return nullcontext()
