"""A copy of what a version of the data is read from is accepted where its content is the same, and nothing else is."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from attacks.sources import COUNT, POLICY, accepted, folder, opened, orders, refused, version, written
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.errors import PolicyError
from dpsql.interfaces.cli import main


@pytest.fixture(params=["parquet", "duckdb", "csv"])
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_moved_copy_is_accepted_in_the_same_version_with_the_same_answers(
    tmp_path: Path, suffix: str
) -> None:
    first, ledger = folder(tmp_path / "a", suffix), tmp_path / "shop.ledger"
    with closing(opened(first, ledger)) as session:
        answer = session.answer(COUNT)
    shutil.copytree(tmp_path / "a", tmp_path / "b", copy_function=shutil.copyfile)
    (tmp_path / "b" / "admin.log").unlink()
    second = tmp_path / "b" / "shop.yaml"
    assert refused(second, ledger)
    assert accepted(second, ledger) == 2
    with closing(opened(second, ledger)) as session:
        again = session.answer(COUNT)
        assert (again.rows, again.released.epsilon, session._state.request.data_version) == (
            answer.rows,
            0,
            1,
        )
    assert accepted(second, ledger) == 0 and not refused(first, ledger)
    with Ledger.open(ledger) as book:
        assert [line.what for line in book.log()].count("same") == 1 and book.verify() == ()


def test_a_restored_copy_in_the_same_place_is_accepted(tmp_path: Path) -> None:
    policy = folder(tmp_path)
    assert version(policy) == 1
    os.utime(tmp_path / "orders.parquet", ns=(7, 7))
    assert refused(policy)
    assert accepted(policy) == 1 and version(policy) == 1


def test_other_content_is_no_copy_and_nothing_changes(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "a"), folder(tmp_path / "b", first=500)
    ledger = tmp_path / "shop.ledger"
    assert version(first, ledger) == 1
    with pytest.raises(PolicyError, match=r"b/orders\.parquet is not a copy") as told:
        accepted(second, ledger)
    assert "regions" not in str(told.value)  # that one is a copy, and is not accepted either
    assert refused(second, ledger) and version(first, ledger) == 1
    with Ledger.open(ledger) as book:
        assert {file.path for file in book.active().sources.files} == {
            str(tmp_path / "a" / name) for name in ("orders.parquet", "regions.parquet")
        }


def test_files_that_changed_places_are_no_copies(tmp_path: Path) -> None:
    others = "others: {source: others.parquet, unit_key: customer, columns: {customer: {type: integer}}}"
    two = POLICY.replace("SUFFIX", "parquet").replace("  regions:", f"  {others}\n  regions:")
    for at, (here, there) in {"a": ("orders", "others"), "b": ("others", "orders")}.items():
        folder(tmp_path / at)
        written(tmp_path / at / f"{here}.parquet", orders())
        written(tmp_path / at / f"{there}.parquet", orders(500))
        (tmp_path / at / "shop.yaml").write_text(two, encoding="utf-8")
    ledger = tmp_path / "shop.ledger"
    assert version(tmp_path / "a" / "shop.yaml", ledger) == 1
    with pytest.raises(PolicyError, match="is not a copy") as told:
        accepted(tmp_path / "b" / "shop.yaml", ledger)
    assert len(told.value.problems) == 2


def test_a_ledger_without_digests_accepts_no_copy(tmp_path: Path) -> None:
    policy = folder(tmp_path)
    with pytest.raises(PolicyError, match="is not a copy"):
        accepted(policy)


def test_the_digest_of_a_content_has_another_key_in_each_record(tmp_path: Path) -> None:
    policy, found = folder(tmp_path), []
    for name in ("one.ledger", "two.ledger"):
        assert version(policy, tmp_path / name) == 1
        with Ledger.open(tmp_path / name) as book:
            found.append(book.active().sources)
    assert found[0].files[0].fingerprint == found[1].files[0].fingerprint
    assert found[0].files[0].content != found[1].files[0].content and found[0].key != found[1].key


def test_the_commands_say_what_they_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = folder(tmp_path)
    assert version(policy) == 1
    os.utime(tmp_path / "orders.parquet", ns=(7, 7))
    for arguments, told in (
        (["--same"], "1 file is accepted as copies"),
        (["--same"], "0 files are accepted as copies"),
        ([], "a new version of the data is recorded"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["refresh", str(policy), *arguments])
        assert ended.value.code == 0 and told in capsys.readouterr().err
