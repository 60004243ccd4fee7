"""What a checker of types sees of the arguments and the results that the library lists: `python3 stubs.py FOLDER` writes
it to the folder of the package, which python/build has put together."""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(folder.parent))

from nmu import _options, _results  # noqa: E402

KINDS = {
    "whole number": "int", "bytes": "Union[int, str]", "number": "float", "seconds": "float", "yes or no": "bool", "list of numbers": "Union[float, list[float]]",
    "list of names": "Union[str, list[Any]]", "word": "str", "name": "str", "size": "Union[tuple[int, int], str]",
}


def declared(name: str, base: str, fields: dict[str, str]) -> str:
    """Declares a class with fields of types."""
    return f"\nclass {name}({base}):\n" + "".join(f"    {field}: {kind}\n" for field, kind in fields.items())


def arguments(call: str) -> str:
    """Declares the settings of a call, and the options of methods where it takes them."""
    methods = _options.methods({"improve": ["nmf"], "factor": None, "rank": None, "consensus": None}.get(call, []))
    options = {_options.argument(o["name"]): o for m in methods for o in m["options"]}
    return declared(f"{call.title()}Settings", "TypedDict, total=False", {
        name: f"Union[{KINDS[o['type']]}, None]" if o["type"] in KINDS else "Any" for name, o in {**options, **_options.settings(call)}.items()
    })


imports = "from typing import Any, NamedTuple, TypedDict, Union\n\nimport numpy as np\nfrom numpy.typing import NDArray\n"
calls = dict.fromkeys(call for s in _options.about()["settings"] for call in s["calls"])
(folder / "_settings.pyi").write_text(imports + "".join(map(arguments, calls)), encoding="utf-8")
(folder / "_results.pyi").write_text(imports + "".join(
    declared(name, "NamedTuple", {field: kind for field, (kind, _) in fields.items()}) for name, fields in _results.declared.items()), encoding="utf-8")
