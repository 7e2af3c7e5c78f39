from __future__ import annotations

import re

import pytest

from pytest_moorage import Module, ModuleFailure
from pytest_moorage.module import pattern_text, quoted


def test_a_text_and_an_expression_are_found(module: Module) -> None:
    module.send("version")
    assert module.expect(re.compile(r"^Moorage-(\d+)\.\d+"))[1] == "2"
    module.expect('Board:')


def test_every_byte_can_be_typed(module: Module) -> None:
    data = bytes(range(256))
    module.send("file_create all.bin 256")
    module.type(data)
    module.expect("File created")
    assert module.run("file_stat all.bin").startswith("256,")


def test_each_test_has_a_module_of_its_own(module: Module) -> None:
    assert module.time == 0
    with pytest.raises(ModuleFailure):
        module.run("file_stat all.bin")


def test_pins_from_both_sides(module: Module) -> None:
    module.run("gpio_dir 22 out")
    module.run("gpio_set 22 1")
    module.expect_pin(22, 1)
    module.analog(7, 1.65)
    assert module.run("adc 7") == "0x0800"
    module.drive(3, 1)
    module.reset()
    module.run("gpio_dir 3 in")
    assert module.run("gpio_get 3") == "1"


def test_what_does_not_come_fails_with_the_reason(module: Module) -> None:
    with pytest.raises(ModuleFailure, match="\"Quay\" did not come within 1500 ms"):
        module.expect("Quay", within=1.5)
    with pytest.raises(ModuleFailure, match="came, and should not"):
        module.expect_none(re.compile("READY", re.IGNORECASE), 1)
    assert module.time == 1.5
    assert any("[Ready]" in line for line in module.transcript)


def test_faults_of_power_program_and_network(module: Module) -> None:
    module.fault("Bus Fault")
    module.expect("[Ready]")
    module.set_network(False)
    module.set_network(True)
    assert "Bus Fault" in module.run("faults_print")


@pytest.mark.parametrize("line", ["", "a\nb", "a\rb"])
def test_what_is_no_line_is_refused(module: Module, line: str) -> None:
    with pytest.raises(ValueError):
        module.send(line)


def test_texts_and_expressions_of_scripts() -> None:
    assert quoted('a"\\\né') == '"a\\x22\\x5c\\x0a\\xc3\\xa9"'
    assert pattern_text(re.compile(r"a/b\/c", re.IGNORECASE | re.DOTALL)) == r"/a\/b\/c/is"
