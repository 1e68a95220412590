"""What pages name is there, every package is in the pictures of docs/architecture.md, and CONTRIBUTING.md runs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from pages import DOCS, fenced

import dpsql
from dpsql.algebra.system_tables import VERSION
from dpsql.interfaces.cli import main

ROOT = DOCS.parent
CODE = ROOT / "dpsql"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE = (DOCS / "architecture.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8").replace('"$python"', ".venv/bin/python")
LAYERS, PASSES = (contract["layers"] for contract in PROJECT["tool"]["importlinter"]["contracts"][:2])

ITEM = re.compile(r"^- \*\*`(\w+)/`\*\* (.*\n(?:  .*\n)*)", flags=re.MULTILINE)


def packages(folder: Path) -> set[str]:
    """The folders in it that hold code."""
    return {found.name for found in folder.iterdir() if found.is_dir() and any(found.glob("*.py"))}


def named(text: str) -> set[str]:
    """The paths of this repository that are marked as code, and the links; what is in a user's folder is none."""
    paths = re.findall(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.py)`", text)
    paths += re.findall(r"(?<![\w./$-])((?:[\w-]+/)+[\w.-]*)", "\n".join(fenced(text, "sh")))
    ours = {found.name for found in ROOT.iterdir()} | packages(CODE)
    links = re.findall(r"\]\((?!\w+:|#)([^)#]+)", text)
    return {path for path in paths if path.endswith(".py") or path.partition("/")[0] in ours} | set(links)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    found = named(page.read_text(encoding="utf-8"))
    roots = (page.parent, ROOT, CODE)
    assert {path for path in found if not any((root / path).exists() for root in roots)} == set()


def test_the_two_pages_name_many_paths() -> None:
    assert len(named(CONTRIBUTING)) > 60 and len(named(ARCHITECTURE)) > 70


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_module_that_a_page_names_exists(page: Path) -> None:
    """As `sql.parse.gate`, or with a name of the module behind it; `dpsql.budget` is a table."""
    modules = rf"(?:`|-m |from )(?:dpsql\.)?((?:{'|'.join(packages(CODE))})(?:\.\w+)+)"
    for module in re.findall(modules, page.read_text(encoding="utf-8")):
        path = CODE.joinpath(*module.split("."))
        at = path.with_suffix(".py")
        of = path.parent.with_suffix(".py")
        defined = of.exists() and re.search(rf"\b{path.name}\b", of.read_text(encoding="utf-8"))
        assert path.is_dir() or at.exists() or defined, module


def test_every_package_is_listed_with_what_is_in_it() -> None:
    items = dict(ITEM.findall(ARCHITECTURE))
    assert set(items) == packages(CODE)
    for package, text in items.items():
        assert len(text.splitlines()) == 2 and "Begin with" in text
        inside = packages(CODE / package) if package != "sql" else set[str]()
        assert inside <= set(re.findall(r"`(\w+)/`", text)), package


def test_every_module_of_the_root_is_listed() -> None:
    listed = re.findall(r"^\| `(\w+\.py)` \|", ARCHITECTURE, flags=re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in CODE.glob("*.py"))


def test_every_module_of_stages_is_named() -> None:
    modules = {f"stages/{path.name}" for path in (CODE / "stages").glob("[!_]*.py")}
    assert modules <= set(re.findall(r"stages/\w+\.py", ARCHITECTURE))


def test_the_layers_are_those_that_are_checked() -> None:
    picture = fenced(ARCHITECTURE, "mermaid")[0].partition("    callers -->")[0]
    chains = " ".join(line for line in picture.splitlines() if "-->" in line)
    checked = " | ".join(LAYERS).replace("dpsql.", "").split(" | ")
    assert list(dict.fromkeys(re.findall(r"\w+", chains))) == checked


def test_the_passes_of_sql_stand_in_the_order_that_is_checked() -> None:
    shown = re.findall(r"^\| `sql/(\w+)/` \|", ARCHITECTURE, flags=re.MULTILINE)
    assert [*shown, "dialect | own_stack"] == PASSES
    assert set(shown) == packages(CODE / "sql")


def test_every_step_of_a_query_is_a_function_of_its_module() -> None:
    steps = re.findall(r"(\w+)\(\) · ([\w/]+\.py)", fenced(ARCHITECTURE, "mermaid")[1])
    assert len(steps) >= 15
    for function, module in steps:
        assert re.search(rf"^\s*def {function}\(", (CODE / module).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_command_has_options_that_exist() -> None:
    commands = "\n".join(fenced(CONTRIBUTING, "sh"))
    options = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    assert '"--executions"' in options and "--executions 1" in commands
    assert '"--fuzz-seed"' in options and "--fuzz-seed 7" in commands
    assert any(m.startswith("slow:") for m in PROJECT["tool"]["pytest"]["ini_options"]["markers"])
    (audited,) = re.findall(r"bin/dpsql (\w+) \S+ (--\w+)", commands)
    assert audited[1] in {o for p in main.commands[audited[0]].params for o in p.opts}


def test_the_words_that_choose_mutants_choose_some() -> None:
    (words,) = re.findall(r'tests/mutants -k "(.+)"', CONTRIBUTING)
    catalogue = (ROOT / "tests" / "mutants" / "catalogue.py").read_text(encoding="utf-8")
    names = re.findall(r"one\(\n        \"(.+)\"", catalogue)
    assert any(all(word in name for word in words.split(" and ")) for name in names)


def test_what_is_checked_before_a_commit_is_what_ci_checks_quickly() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (repository,) = config["repos"]
    entries = [hook["entry"] for hook in repository["hooks"]]
    lines = [line.partition(" #")[0].rstrip(" &") for line in CI.splitlines()]
    assert entries == [line for line in lines if re.match(r"\.venv/bin/.*(ruff|lint-imports|mypy)", line)]
    assert len(entries) == 4


def test_the_version_is_one() -> None:
    assert PROJECT["project"]["version"] == dpsql.__version__ == VERSION
    assert f"git tag v{VERSION}" in CONTRIBUTING
