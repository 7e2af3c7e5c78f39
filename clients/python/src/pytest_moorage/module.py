"""A virtual module with hands on its serial line, pins, power, radio and network."""

from __future__ import annotations

import re
from typing import Any, Union

from .process import Moorage

Pattern = Union[str, "re.Pattern[str]"]


class ModuleFailure(AssertionError):
    """A step has failed; the message says why."""


def quoted(data: str | bytes) -> str:
    """A text of a script: printable ASCII as it is, every other byte as an escape."""
    raw = data.encode() if isinstance(data, str) else data
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in raw) + '"'


def pattern_text(pattern: Pattern) -> str:
    """A text, or an expression, which JavaScript reads: what both languages write alike works."""
    if isinstance(pattern, str):
        return quoted(pattern)
    source = re.sub(r"(?<!\\)((?:\\\\)*)/", r"\1\\/", pattern.pattern)
    flags = ("i" if pattern.flags & re.IGNORECASE else "") + ("s" if pattern.flags & re.DOTALL else "")
    return f"/{source}/{flags}"


def time_text(seconds: float) -> str:
    return f"{round(seconds * 1000)} ms"


def one_line(text: str) -> str:
    if "\n" in text or "\r" in text or not text.strip():
        raise ValueError(f"{text!r} is not one line")
    return text


class Module:
    """One virtual module. Its time passes only while something is waited for, unless it runs in real time."""

    def __init__(self, process: Moorage) -> None:
        self._process = process
        #: What has happened, line by line, with the seconds of the module.
        self.transcript: list[str] = []
        #: Time of the module since it was made, in seconds.
        self.time = 0.0

    def _step(self, line: str) -> Any:
        self._process.write(line)
        event = self._process.event("step")
        self.transcript += event["transcript"]
        self.time = event["ms"] / 1000
        if not event["ok"]:
            raise ModuleFailure(event["message"])
        return event.get("value")

    def begin(self, name: str) -> None:
        """Begins with a module whose flash is blank; the name is for people."""
        self.transcript.clear()
        self._step(f"case {one_line(name)}")

    def send(self, line: str) -> None:
        """Types a line and Enter."""
        self._step(f"send {one_line(line)}")

    def type(self, data: str | bytes) -> None:
        """Types without Enter, such as the data behind a command."""
        self._step(f"type {quoted(data)}")

    def run(self, command: str) -> str:
        """Runs a command beside the serial line; its text. Fails when its code is not 0."""
        return str(self._step(f"run {one_line(command)}"))

    def expect(self, pattern: Pattern, within: float = 10.0) -> list[str | None]:
        """Waits for a text or expression in the output behind the last match; the match and its groups."""
        found: list[str | None] = self._step(f"expect {pattern_text(pattern)} within {time_text(within)}")
        return found

    def expect_none(self, pattern: Pattern, seconds: float) -> None:
        """Lets time pass, and fails when it comes."""
        self._step(f"expect no {pattern_text(pattern)} for {time_text(seconds)}")

    def expect_pin(self, pin: int, level: int | None, within: float = 10.0) -> None:
        """Waits until the module drives the pin to 0 or 1, or with None lets go of it."""
        self._step(f"expect pin {pin} {LEVELS[level]} within {time_text(within)}")

    def wait(self, seconds: float) -> None:
        """Lets time pass."""
        self._step(f"wait {time_text(seconds)}")

    def drive(self, pin: int, level: int | None) -> None:
        """Connects 0 or 1 to a pin, or with None lets go of it."""
        self._step(f"pin {pin} {LEVELS[level]}")

    def analog(self, pin: int, volts: float) -> None:
        """Connects a voltage to a pin."""
        self._step(f"pin {pin} {volts:.4f} V")

    def cut_power(self, seconds: float = 1.0) -> None:
        """Switches it off and on again; what is not saved is lost."""
        self._step(f"cut power for {time_text(seconds)}")

    def reset(self) -> None:
        """Pulls the reset pin."""
        self._step("reset")

    def fault(self, name: str) -> None:
        """Its program crashes with an exception of this name."""
        self._step(f"fault {one_line(name)}")

    def set_link(self, up: bool) -> None:
        """All access points are heard, or none."""
        self._step(f"link {'up' if up else 'down'}")

    def set_network(self, up: bool) -> None:
        """What is behind the access point works, or replies to nothing."""
        self._step(f"network {'up' if up else 'down'}")


LEVELS = {0: "low", 1: "high", None: "float"}
