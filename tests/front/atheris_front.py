"""Coverage-guided fuzzing of the front: `python tests/front/atheris_front.py -len_control=0 -max_total_time=600`.

Needs atheris (`pip install atheris`), which is no dependency of the tests. The first byte says whether the rest is the
text itself or steers the mutators that the tests use; what must hold is the same.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random

import atheris  # type: ignore[import-untyped]

sys.path.insert(0, str(Path(__file__).parents[1]))
with atheris.instrument_imports(include=["dpsql", "sqlglot"]):
    from front.front import opened
    from front.texts import Sent, Texts


class Steered(Random):
    """A Random whose choices are bytes; zeros when they run out."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._bytes = atheris.FuzzedDataProvider(data)

    def random(self) -> float:
        return float(self._bytes.ConsumeIntInRange(0, 2**16 - 1)) / 2**16

    def getrandbits(self, k: int) -> int:
        return int(self._bytes.ConsumeIntInRange(0, 2**k - 1)) if k else 0

    def _randbelow(self, n: int) -> int:
        return int(self._bytes.ConsumeIntInRange(0, n - 1)) if n > 1 else 0


def main() -> None:
    """Runs until libFuzzer is told to stop; the first failure ends it and is written to a file."""
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as front:
        texts = Texts(front.view)

        def once(data: bytes) -> None:
            if data[:1] < b"\x40":
                front.send(Sent(data[1:].decode("utf-8", "replace")))
            else:
                front.send(texts.sent(Steered(data[1:])))

        atheris.Setup(sys.argv, once)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
