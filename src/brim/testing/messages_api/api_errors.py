"""Errors of the API: their statuses, kinds and bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """A request that the API refuses, or could not serve. For the server alone: no caller ever meets it."""

    def __init__(self, status: int, kind: str, message: str, *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.details = details

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON that tells the error."""
        return error_body(self.kind, self.message, request_id, details=self.details)


def error_body(kind: str, message: str, request_id: str, *, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON that tells an error of a kind."""
    error: dict[str, Any] = {"type": kind, "message": message} | ({} if details is None else {"details": dict(details)})
    return {"type": "error", "error": error, "request_id": request_id}


def invalid(message: str, *, code: str | None = None) -> ApiError:
    """A request that is not of the form asked for; a code goes into its details."""
    details = None if code is None else {"error_code": code}
    return ApiError(400, "invalid_request_error", message, details=details)
