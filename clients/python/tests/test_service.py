from __future__ import annotations

import pytest

from pytest_moorage import Moorage, MoorageError, Service, ServiceRefusal


def test_the_administrator_is_logged_in(service: Service) -> None:
    assert service.call("GET", "/api/user")["email"] == service.email
    assert service.devices.startswith("https://")


def test_a_refusal_has_its_status(service: Service) -> None:
    with pytest.raises(ServiceRefusal) as refusal:
        service.call("GET", "/api/devices/none")
    assert refusal.value.status == 404


def test_a_command_line_that_ends_says_so(moorage_command: list[str]) -> None:
    process = Moorage(moorage_command, ["module", "--script", "none.script"])
    with pytest.raises(MoorageError, match="has ended with exit code 2"):
        process.event("ready")
    process.stop()


def test_a_command_line_that_is_not_there_says_so() -> None:
    with pytest.raises(MoorageError, match="none-of-that cannot be started"):
        Moorage(["none-of-that"], [])
