"""Pages of the documentation as programs: all blocks of a page run in order, as one file with the page's name.

A block of text after a block of Python is what it prints (or the refusal that ends it); one of shell commands runs where that file
is, and may be followed by its output, too. `python -m tests.docs.pages [PAGE ...]` writes what they print now into the pages.
"""
from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from sourcegrad.errors import InternalError, SourcegradError

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
GUIDES = [page for folder in ("howto", "coming_from") for page in sorted((DOCS / folder).glob("*.md")) if page.stem != "index"]
PAGES = [DOCS / "tutorial.md", DOCS / "forward.md", *GUIDES]
NEEDS = re.compile(r"^<!-- needs: (.*) -->$", re.M)


def needed(page: Path) -> list[str]:
    """The optional packages that a page imports."""
    found = NEEDS.search(page.read_text(encoding="utf-8"))
    return found[1].split(", ") if found else []


@contextlib.contextmanager
def place(name: str) -> Iterator[Path]:
    """A folder to work in, where the page's file can be imported."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)
            sys.path.remove(folder)
            sys.modules.pop(name, None)


def blocks_now(page: Path) -> Iterator[tuple[re.Match, str]]:
    """Each block, and what it prints."""
    name = f"from_{page.stem}" if page.parent.name == "coming_from" else page.stem
    name = f"with_{name}" if name in needed(page) else name         # the file must not hide the package
    file = f"{name}.py"
    module = sys.modules[name] = ModuleType(name)
    code = ""
    with place(name):
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            if block[1] == "sh":
                yield block, command(block[2])
                continue
            start = code.count("\n")
            code += block[2] + "\n\n"
            Path(file).write_text(code, encoding="utf-8")
            linecache.checkcache(file)
            linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
            module.__file__ = file
            yield block, printed("\n" * start + block[2], file, module)
        linecache.cache.pop(file, None)


def printed(code: str, file: str, module: ModuleType) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, file, "exec"), vars(module))
        except InternalError:
            raise
        except SourcegradError as error:
            print(error)
        except Exception as error:
            traceback.print_exc()
            raise AssertionError(f"{file}: {error!r}") from error
    return out.getvalue()


def command(lines: str) -> str:
    """What commands print, and say where they fail."""
    text = ""
    for line in lines.replace("\\\n", "").splitlines():
        if line.startswith("sourcegrad "):
            line = f"{sys.executable} -W ignore -m {line}"
            environment = {**os.environ, "PYTHONPATH": str(DOCS.parent)}
            done = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment)
            text += done.stdout if done.returncode == 0 else done.stdout + done.stderr
    return text


def plain(text: str) -> str:
    """Without blanks at ends of lines, and without what an exported module says of the versions that made it."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return "\n".join("# Versions: ..." if line.startswith("# Versions: ") else line for line in lines)


def refreshed(page: Path) -> str:
    """The page with what its blocks print now."""
    parts, end = [], 0
    text = page.read_text(encoding="utf-8")
    for block, output in blocks_now(page):
        parts.append(text[end:block.start()])
        parts.append(f"```{block[1]}\n{block[2]}```\n")
        if output.strip():
            parts.append(f"\n```text\n{plain(output)}\n```\n")
        end = block.end()
    return "".join(parts) + text[end:]


if __name__ == "__main__":
    for chosen in map(Path, sys.argv[1:] or PAGES):
        chosen = chosen.resolve()
        print(chosen.relative_to(DOCS))
        chosen.write_text(refreshed(chosen), encoding="utf-8")
