"""The wheel, whose tag is that of the library that it holds."""

import os
import re

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

here = os.path.dirname(os.path.abspath(__file__))


class Platform(Distribution):
    """One that holds what is not Python."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """For any Python, but for one system only: this one, or that of --plat-name."""

    def get_tag(self):
        platform = super().get_tag()[2]
        library = os.path.join(here, "nmu", "libnmu.so")
        if platform.startswith("linux_") and os.path.exists(library):
            with open(library, "rb") as f:
                needs = [(int(a), int(b)) for a, b in re.findall(rb"\0GLIBC_(\d+)\.(\d+)", f.read())]
            if needs:  # by PEP 600, the oldest C library that has all of its symbols
                platform = "manylinux_%d_%d_%s" % (*max(needs), platform[len("linux_"):])
        return "py3", "none", platform


setup(distclass=Platform, cmdclass={"bdist_wheel": Wheel})
