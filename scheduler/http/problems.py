"""Problem documents: errors over HTTP in the form of RFC 9457."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from ...instances.reading.json_text import dumps

MEDIA = "application/problem+json"


class HTTPProblem(Exception):
    """Ends a request with a status of HTTP and a document that states why.

    Parameters
    ----------
    status
        Of HTTP.
    detail
        What is wrong, in one line.
    field
        The field of the body, if one is to blame.
    headers
        Further headers of the response.
    more
        Further members of the document.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        field: str = "",
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = headers or {}
        self.document: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(status).phrase,
            "status": status,
            "detail": detail,
            **({"field": field} if field else {}),
            **more,
        }

    def response(self) -> Response:
        """Return the document as a response."""
        text = dumps(self.document) + "\n"
        return Response(text, self.status, self.headers, MEDIA)
