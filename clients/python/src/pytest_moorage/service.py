"""A service of one's own, with an administrator who is logged in."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from .process import Moorage

#: Longest wait for a response, in seconds.
CALL_LIMIT_S = 60.0


class ServiceRefusal(Exception):
    """A request was refused."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status}: {body.get('message', body) if isinstance(body, dict) else body}")
        self.status = status
        self.body = body


class Service:
    """A service that runs as long as the tests."""

    def __init__(self, process: Moorage, email: str, password: str) -> None:
        ready = process.event("ready")
        #: Address of the REST API and of the console.
        self.api: str = ready["api"]
        #: Address of the device listener, for `moorage module --service`.
        self.devices: str = ready["devices"]
        self.email = email
        self.password = password
        self.token: str | None = None
        login = self.call("POST", "/api/auth/login", {"username": email, "password": password})
        #: Bearer token of the administrator.
        self.token = login["token"]

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Sends a request as the administrator; what the response has as JSON. Raises ServiceRefusal."""
        headers = {"content-type": "application/json"} if body is not None else {}
        if self.token is not None:
            headers["authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.api + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=CALL_LIMIT_S) as response:
                return read_body(response.read())
        except urllib.error.HTTPError as error:
            with error:
                raise ServiceRefusal(error.code, read_body(error.read())) from None


def read_body(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode(errors="replace")
