"""The structs of nmu.h, which lies beside the library: the fields that it declares."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path
from typing import Any


class Sized(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields: Any):
        super().__init__(size=ctypes.sizeof(self), **fields)


def _find() -> Path:
    """Returns the path of the library."""
    given, here = os.environ.get("NMU_LIBRARY"), Path(__file__).parent
    paths = [Path(given)] if given else [here / name for name in ("libnmu.so", "libnmu.dylib", "nmu.dll")]
    for path in paths:
        if path.exists():
            return path
    raise ImportError(f"the library is not at {' or '.join(map(str, paths))}; `bash python/build DIR` makes a wheel that holds it")


LIBRARY = _find()


def _fields(declaration: str) -> list[tuple[str, Any]]:
    """Returns the fields of a declaration. A pointer is an address, but for one to a constant text."""
    kind, names = re.fullmatch(r"((?:const |volatile )*\w+) (.*)", declaration).groups()  # type: ignore[union-attr]
    if names.startswith("(*"):  # a function
        return [(re.findall(r"\w+", names)[0], ctypes.c_void_p)]
    pointer = ctypes.c_char_p if kind == "const char" else ctypes.c_void_p
    fields = []
    for star, name, length in re.findall(r"(\*?)(\w+)(?:\[(\d+)\])?", names):
        of = pointer if star else getattr(ctypes, "c_" + (kind if kind == "size_t" else kind.removesuffix("_t")))
        fields.append((name, of * int(length) if length else of))
    return fields


def _declared(header: str) -> dict[str, Any]:
    """Returns the structs of a header by their names here, such as EstimateResult for nmu_estimate_result."""
    structs = {}
    for name, body in re.findall(r"typedef struct nmu_(\w+) \{(.*?)\n\}", re.sub(r"/\*.*?\*/", "", header, flags=re.S), flags=re.S):
        fields = [field for line in body.split(";") if line.strip() for field in _fields(" ".join(line.split()))]
        name = name.title().replace("_", "")
        structs[name] = type(name, (Sized if fields[0][0] == "size" else ctypes.Structure,), {"_fields_": fields})
    return structs


_STRUCTS = _declared(LIBRARY.with_name("nmu.h").read_text(encoding="utf-8"))


def __getattr__(name: str) -> Any:
    if name in _STRUCTS:
        return _STRUCTS[name]
    raise AttributeError(name)
