"""The command line as a process that prints one JSON object a line."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from typing import Any, Mapping, Sequence

#: How long an orderly end may take, in seconds.
STOP_LIMIT_S = 10.0


class MoorageError(Exception):
    """The command line cannot be started, or has ended."""


def find_command(given: str | None = None) -> list[str]:
    """The command line: as given, as MOORAGE_COMMAND says, `moorage` of the path, or `npx moorage`."""
    named = given or os.environ.get("MOORAGE_COMMAND")
    if named:
        return shlex.split(named)
    if shutil.which("moorage"):
        return ["moorage"]
    if shutil.which("npx"):
        return ["npx", "--yes", "moorage"]
    raise MoorageError("Neither moorage nor npx is installed; --moorage-command or MOORAGE_COMMAND names another")


class Moorage:
    """One run of the command line, with `--json`."""

    def __init__(self, command: Sequence[str], args: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        # What a shell has for other uses of the command line is not meant for tests.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MOORAGE_")}
        try:
            self._process = subprocess.Popen(
                [*command, *args, "--json"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**inherited, **(env or {})},
                encoding="utf-8",
                bufsize=1,
            )
        except OSError as error:
            raise MoorageError(f"{shlex.join(command)} cannot be started: {error}") from error
        self._shown = shlex.join([*command, *args])

    def write(self, line: str) -> None:
        """Sends a line to its standard input."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._ended() from error

    def event(self, name: str) -> dict[str, Any]:
        """The next event of that name; others before it are passed over."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event.get("event") == name:
                return event
        raise self._ended()

    def _ended(self) -> MoorageError:
        code = self._process.wait(STOP_LIMIT_S)
        return MoorageError(f"{self._shown} has ended with exit code {code}; its standard error says why")

    def stop(self) -> None:
        """Ends it in order, and at once when that takes too long."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.close()
        except OSError:
            pass  # It has ended, and with it what was still to be sent.
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
