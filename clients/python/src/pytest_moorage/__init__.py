"""A virtual Wi-Fi module and a Moorage service for tests with pytest."""

from .module import Module, ModuleFailure
from .process import Moorage, MoorageError
from .service import Service, ServiceRefusal

__all__ = ["Module", "ModuleFailure", "Moorage", "MoorageError", "Service", "ServiceRefusal"]
