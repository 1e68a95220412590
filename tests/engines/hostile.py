"""A session under tight limits, asked by somebody hostile: run by a test in a process whose memory is limited too.

Prints one JSON line for each query: its name, how it ended, its seconds, the greatest memory of this process so far in
bytes, and what an ordinary query was answered after it.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from attacks.neighbours import Blind

from dpsql.errors import Error
from dpsql.session import build_session
from engines.opened import clinic

MEMORY = 3 * 2**30
LIMITS = "memory: 512MiB, threads: 2, seconds: 1"


def main(folder: str, queries: str) -> None:
    policy = clinic(Path(folder), "process", LIMITS)
    session = build_session(policy, "mallory", None, (None, None), Blind())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for name, sql in json.loads(Path(queries).read_text(encoding="utf-8")):
        start = time.monotonic()
        try:
            ended = f"{len(session.answer(sql).rows)} rows"
        except Error as error:
            ended = "stopped" if "DuckDB cannot compute" in str(error) else type(error).__name__
        seconds, memory = time.monotonic() - start, greatest_memory()
        ordinary = session.answer(f"SELECT wing FROM wards WHERE ward = 'north' -- after {name}").rows
        print(json.dumps([name, ended, seconds, memory, ordinary]), flush=True)
    session.close()


def greatest_memory() -> int:
    """The greatest resident memory of this program; getrusage would begin with that of the process that started it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = next(x for x in status.read_text(encoding="ascii").splitlines() if x.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
