"""The wheel: its version and its tag are those of the library that it holds."""

import os
import re
import sys

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)

from nmu._library import about  # noqa: E402


class Platform(Distribution):
    """One that holds what is not Python."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """For any Python, but for this machine only."""

    def get_tag(self):
        platform = super().get_tag()[2]
        library = os.path.join(here, "nmu", "libnmu.so")
        if platform.startswith("linux_") and os.path.exists(library):
            with open(library, "rb") as f:
                needs = [(int(a), int(b)) for a, b in re.findall(rb"\0GLIBC_(\d+)\.(\d+)", f.read())]
            if needs:  # by PEP 600, the oldest C library that has all of its symbols
                platform = "manylinux_%d_%d_%s" % (*max(needs), platform[len("linux_"):])
        return "py3", "none", platform


# 0.1.0-dev+revision becomes 0.1.0.dev0, as PEP 440 has it.
setup(
    version=about()["version"].split("+")[0].replace("-dev", ".dev0"),
    distclass=Platform,
    cmdclass={"bdist_wheel": Wheel},
)
