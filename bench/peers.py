"""One job by nmu and by other programs: gonum, NumPy, scikit-learn, Octave and RcppML.

    python3 bench/peers.py [--data CBCL.mat] [--rank N] [--repetitions N] [--threads N] [--out FOLDER] [--peer COMMAND]

All programs get the same matrix, start and number of iterations, in float64, and take turns. A last table
compares the other solvers of nmu, up to the error or the violation that the paper's solver reaches. FOLDER
receives peers.json and peers.md. --table peers.json prints the tables of such a file.

--peer adds a program: a command that is called with the path of job.json as its last argument. That file has
the members method (nmf, gnmu, rnmu), rows, cols, rank, iterations (of each factor for rnmu), inner (HALS steps
in an iteration), threads, and m, v, w: the paths of the matrix and of the start, little-endian float64, row by
row. The last line that the command prints is a JSON object with program, version, seconds (of the algorithm
alone) and relative_error; or with missing, if it cannot do the job.

Programs that are not installed are left out. For OpenBLAS the fastest OPENBLAS_CORETYPE is tried for.
"""

import argparse
import json
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
METHODS = {"nmf": "NMF", "gnmu": "G-NMU", "rnmu": "R-NMU"}
OTHER = {"nmf": "accelerated", "gnmu": "admm", "rnmu": "admm"}  # solvers
PAPER = {"nmf": "hals", "gnmu": "lagrangian", "rnmu": "lagrangian"}
ARM = platform.machine().lower() in ("arm64", "aarch64")
CORES = ["", "ARMV8", "NEOVERSEN1", "NEOVERSEV1"] if ARM else ["", "SkylakeX", "Cooperlake", "Sapphirerapids", "Haswell", "Zen"]
THREADS = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"]
UNSETTLED = 0.1  # spread of repetitions


def call(command, job, core=""):
    """Run a command on a job; None if it cannot."""
    path = pathlib.Path(job["m"]).with_name("job.json")
    path.write_text(json.dumps(job))
    env = dict(os.environ, **{name: str(job["threads"]) for name in THREADS})
    if core:
        env["OPENBLAS_CORETYPE"] = core
    try:
        done = subprocess.run([*command, str(path)], env=env, capture_output=True, text=True)
    except OSError:
        return None
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        if not core:
            print(f"{shlex.join(command)} failed:\n{done.stderr}", file=sys.stderr)
        return None
    result = json.loads(lines[-1])
    if "missing" in result:
        return None
    if core:
        result["core_type"] = core
    return result


def fastest(command, job):
    """Return the OPENBLAS_CORETYPE with which three iterations take least, None if the command does not work."""
    if "OPENBLAS_CORETYPE" in os.environ:
        return ""
    short = dict(job, iterations=min(3, job["iterations"]))
    first = call(command, short)
    if first is None:
        return None
    if "openblas" not in first.get("blas", "").lower():
        return ""
    times = {core: r["seconds"] for core in CORES if (r := call(command, short, core))}
    return min(times, key=times.get)


def measure(programs, job, repetitions):
    """Run all programs in turn; return those that can, with the seconds of each repetition."""
    cores = {name: fastest(command, job) for name, command in programs.items()}
    runs = {}
    for turn in range(repetitions):
        for name, command in programs.items():
            if cores[name] is None or turn > 0 and name not in runs:  # it does not work
                continue
            print(f"{job['method']} by {name}, repetition {turn + 1} of {repetitions}", file=sys.stderr)
            result = call(command, job, cores[name])
            if result:
                runs.setdefault(name, dict(result, samples=[]))["samples"].append(result["seconds"])
    return [dict(run, name=name, method=job["method"]) for name, run in runs.items()]


def number(x):
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def percent(x):
    return f"{100 * x:.2f} %"


def times(report, part):
    """Return the median seconds by method and name."""
    return {(r["method"], r["name"]): statistics.median(r["samples"]) for r in report[part]}


def peer_table(report):
    """Return the table of whole jobs."""
    seconds = times(report, "jobs")
    names = list(dict.fromkeys(r["name"] for r in report["jobs"]))
    lines = [f"| float64, {report['threads']} threads | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for method, title in METHODS.items():
        line = f"| {title} |"
        for name in names:
            x = seconds.get((method, name))
            if x is None:
                line += " |"
            elif name == "nmu":
                line += f" {number(x)} s |"
            else:
                line += f" {number(x)} s, {x / seconds[method, 'nmu']:.1f} x |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def solver_table(report):
    """Return the table of the times to the same error or violation."""
    lines = ["| to the same result | the paper's solver | other solver |", "|---|---|---|"]
    for method in METHODS:
        cells = []
        runs = [r for r in report["solvers"] if r["method"] == method]
        for r in runs:
            x = statistics.median(r["samples"])
            cell = f"{r['name']}: {number(x)} s, error {percent(r['relative_error'])}, {r['iterations']} iterations"
            if method != "nmf":
                cell += f", violation {percent(r['relative_violation'])}"
            if cells:
                cell += f"; {x / statistics.median(runs[0]['samples']):.2g} of the time"
            cells.append(cell)
        goal = "error" if method == "nmf" else "violation"
        lines.append(f"| {method}, to the same {goal} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def versions(report):
    texts = {}
    for r in report["jobs"]:
        if r["name"] != "nmu":
            texts[r["name"], f"{r['version']} {r.get('blas', '')}".strip() + (f", OPENBLAS_CORETYPE={r['core_type']}" if "core_type" in r else "")] = True
    return "; ".join(f"{name} {text}" for name, text in texts)


def notes(report):
    """Say what makes the figures doubtful."""
    found = []
    if report.get("load", 0) > 0.5:
        found.append(f"the load of the machine was {report['load']:.2f} before the run: another process used it")
    for r in report["jobs"] + report["solvers"]:
        spread = (max(r["samples"]) - min(r["samples"])) / statistics.median(r["samples"])
        if spread > UNSETTLED:
            found.append(f"{r['method']} by {r['name']}: the repetitions differ by {100 * spread:.0f} %")
    for method in METHODS:
        member = "relative_error" if method == "nmf" else "relative_violation"
        reached = [r[member] for r in report["solvers"] if r["method"] == method]
        if len(reached) == 2 and reached[1] > reached[0]:
            found.append(f"{method}: the other solver did not come to the result of the paper's")
    return found


def tables(report):
    return peer_table(report) + "\n" + solver_table(report)


def markdown(report):
    text = f"# {report['data']}, rank {report['rank']}\n\n" + tables(report) + f"\nVersions: {versions(report)}.\n"
    return text + "".join(f"\n- {note}\n" for note in notes(report))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    folder = os.environ.get("NMU_DATA") or HERE.parent.parent / "shared" / "data"
    parser.add_argument("--data", default=str(pathlib.Path(folder) / "CBCL.mat"), help="the matrix (default: CBCL.mat in NMU_DATA)")
    parser.add_argument("--rank", type=int, default=49)
    parser.add_argument("--iterations", type=int, default=0, help="default: those of the paper")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--only", default="", help="names of programs, separated by commas")
    parser.add_argument("--peer", action="append", default=[], help="a command that does a job: one more program")
    parser.add_argument("--out", default="peers-out", help="folder for peers.json and peers.md")
    parser.add_argument("--table", help="print the tables of a peers.json")
    args = parser.parse_args()
    if args.table:
        sys.stdout.write(tables(json.loads(pathlib.Path(args.table).read_text())))
        return
    report = {"schema": "nmu-peers/1", "data": pathlib.Path(args.data).name, "rank": args.rank, "threads": args.threads,
              "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else 0, "jobs": [], "solvers": []}
    with tempfile.TemporaryDirectory() as work:
        peer = str(pathlib.Path(work) / ("peer.exe" if os.name == "nt" else "peer"))
        subprocess.run(["go", "build", "-o", peer, "./bench/peer"], cwd=HERE.parent, check=True)
        python, scripts = os.environ.get("NMU_PYTHON", sys.executable), HERE / "peers"
        programs = {
            "nmu": [peer, "nmu"],
            "gonum": [peer, "gonum"],
            "numpy": [python, str(scripts / "numpy_peer.py")],
            "scikit-learn": [python, str(scripts / "sklearn_peer.py")],
            "octave": ["octave-cli", "--quiet", "--no-init-file", "--no-site-file", str(scripts / "octave_peer.m")],
            "RcppML": ["Rscript", str(scripts / "rcppml_peer.R")],
        }
        programs.update({pathlib.Path(shlex.split(p)[-1]).stem: shlex.split(p) for p in args.peer})
        if args.only:
            programs = {name: c for name, c in programs.items() if name == "nmu" or name in args.only.split(",")}
        for method in args.methods.split(","):
            subprocess.run([peer, "job", method, str(args.rank), args.data, work], check=True)
            job = dict(json.loads((pathlib.Path(work) / "job.json").read_text()), threads=args.threads)
            job["iterations"] = args.iterations or job["iterations"]
            report["jobs"] += measure(programs, job, args.repetitions)
            plain = next(r for r in report["jobs"] if r["name"] == "nmu" and r["method"] == method)
            goal = {"error": plain["relative_error"]} if method == "nmf" else {"violation": plain["relative_violation"]}
            other = measure({OTHER[method]: [peer, "nmu"]}, dict(job, solver=OTHER[method], **goal), args.repetitions)
            report["solvers"] += [dict(plain, name=PAPER[method])] + other
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "peers.json").write_text(json.dumps(report, indent=1) + "\n")
    (out / "peers.md").write_text(markdown(report))
    sys.stdout.write(markdown(report))


if __name__ == "__main__":
    main()
