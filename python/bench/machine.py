"""The command line of a measurement, its time and its processor."""

import argparse
import os
import platform
import time
import warnings


def arguments(doc, threads=1, **defaults):
    """Returns the arguments --threads and those with these defaults, and sets the
    threads of NumPy, which must not be loaded before."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    for name, default in dict(defaults, threads=threads).items():
        many = {"nargs": "+"} if isinstance(default, list) else {"type": type(default)}
        parser.add_argument("--" + name, default=default, **many)
    args = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(args.threads)
    warnings.simplefilter("ignore")  # of scikit-learn, whose iterations end too soon: what they reach is shown
    return args


def timed(run, clock=time.perf_counter):
    """Returns the result of a function, and its seconds."""
    begun = clock()
    result = run()
    return result, clock() - begun


def processor():
    """Returns the name of the processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
