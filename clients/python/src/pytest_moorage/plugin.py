"""Fixtures of pytest."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, Generator, Iterator

import pytest

from .module import Module
from .process import Moorage, find_command
from .service import Service

ADMIN_EMAIL = "admin@example.com"
ADMIN_PASSWORD = "a password for tests"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("moorage")
    group.addoption("--moorage-command", help="the command line: moorage, npx moorage, node bin/moorage, …")
    parser.addini("moorage_module_args", "settings of the module, as flags of `moorage module`", default="")


@pytest.fixture(scope="session")
def moorage_command(pytestconfig: pytest.Config) -> list[str]:
    """The command line that the other fixtures run."""
    return find_command(pytestconfig.getoption("--moorage-command"))


@pytest.fixture(scope="session")
def moorage_module_args(pytestconfig: pytest.Config) -> list[str]:
    """Settings of the module; a test suite may override this fixture."""
    return shlex.split(pytestconfig.getini("moorage_module_args"))


@pytest.fixture(scope="session")
def moorage_module_process(moorage_command: list[str], moorage_module_args: list[str]) -> Iterator[Moorage]:
    """The process in which the modules of all tests live, one after the other."""
    process = Moorage(moorage_command, ["module", "--script", "-", *moorage_module_args])
    yield process
    process.stop()


@pytest.fixture
def module(request: pytest.FixtureRequest, moorage_module_process: Moorage) -> Module:
    """A module of the test's own, which has booted. Its transcript is shown when the test fails."""
    made = Module(moorage_module_process)
    made.begin(request.node.name)
    return made


@pytest.fixture(scope="session")
def service(moorage_command: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service on an empty folder, with an administrator who is logged in; one for all tests."""
    data: Path = tmp_path_factory.mktemp("moorage")
    env = {"MOORAGE_ADMIN_EMAIL": ADMIN_EMAIL, "MOORAGE_ADMIN_PASSWORD": ADMIN_PASSWORD}
    process = Moorage(moorage_command, ["serve", "--data", str(data), "--port", "0", "--device-port", "0"], env)
    try:
        yield Service(process, ADMIN_EMAIL, ADMIN_PASSWORD)
    finally:
        process.stop()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Puts the transcript below what a failed test says."""
    outcome = yield
    report = outcome.get_result()
    made = getattr(item, "funcargs", {}).get("module")
    if report.failed and isinstance(made, Module):
        report.sections.append(("Transcript of the module", "\n".join(made.transcript)))
