"""Telemetry that keeps reports and defects for tests."""

from contextlib import AbstractContextManager, nullcontext

from almanac.gateway.observability.request_report import RequestReport


class RecordedTelemetry:
    def __init__(self) -> None:
        self.reports: list[RequestReport] = []
        self.defects: list[tuple[str, str, BaseException]] = []

    def record_request(self, report: RequestReport) -> None:
        self.reports.append(report)

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        self.defects.append((reference, where, cause))

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        self.defect(reference, where, cause)

    def span(self, name: str) -> AbstractContextManager[object]:
        return nullcontext()
