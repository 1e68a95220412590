"""A `dpsql` on a pseudo-terminal, whose keys send real signals."""

from __future__ import annotations

import os
import pty
import select
import sys
import time

RUN = "from dpsql.interfaces.cli import main; main()"


class Terminal:
    """A `dpsql` on a pseudo-terminal: what is written to it, and what it has shown."""

    def __init__(self, arguments: list[str], environment: dict[str, str], before: str = "") -> None:
        """`before` is done in the program's process first."""
        self.shown = ""
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.execve(sys.executable, [sys.executable, "-c", f"{before}\n{RUN}", *arguments], environment)

    def until(self, text: str, seconds: float = 60) -> str:
        """What is shown up to that text, from where the last wait ended."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < deadline, self.shown
            if select.select([self.file], [], [], 0.2)[0]:
                try:
                    self._show(os.read(self.file, 65536).decode(errors="replace"))
                except OSError:  # the program has ended
                    assert text in self.shown, self.shown
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def _show(self, part: str) -> None:
        self.shown += part
        if "\x1b[6n" in part:  # the terminal is asked where its cursor is
            self.type("\x1b[1;1R")

    def type(self, text: str) -> None:
        os.write(self.file, text.encode())

    def end(self, typed: str = "exit\r") -> int:
        """The exit code, after `typed`."""
        self.type(typed)
        return self.ended()

    def ended(self) -> int:
        """The exit code of a program that ends by itself."""
        _, status = os.waitpid(self.process, 0)
        os.close(self.file)
        return os.waitstatus_to_exitcode(status)
