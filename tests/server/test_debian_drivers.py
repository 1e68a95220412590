"""pgjdbc and psqlodbc as Debian packages them (libpostgresql-jdbc-java; unixodbc, odbc-postgresql), where they are."""

from __future__ import annotations

import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from server.served import PASSWORD, Served

pytestmark = pytest.mark.slow
JAR = Path("/usr/share/java/postgresql.jar")
PROGRAM = Path(__file__).parent / "jdbc" / "Metadata.java"


@pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason="no pgjdbc here")
def test_pgjdbc(server: Served) -> None:
    url = f"jdbc:postgresql://127.0.0.1:{server.port}/shop"
    command = ["java", "-cp", str(JAR), str(PROGRAM), url, PASSWORD]
    said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    assert lines[:4] == [
        "tables 4 null,main,orders,TABLE",
        "columns 10 null,main,orders,customer",
        "primary keys 0 ",
        "imported keys 0 ",
    ]
    assert "schemas 1 main,null" in lines and "catalogs 1 shop" in lines
    counts = {line for line in lines if line.startswith("counted")}
    assert len(counts) == 1, "the same answer in text and binary"
    assert lines[-2:] == ["fetched 6 101,pen", "refused 42501"]


@pytest.mark.parametrize("options", ["", "UseDeclareFetch=1;Fetch=2", "UseServerSidePrepare=0"])
def test_psqlodbc(options: str, server: Served) -> None:
    pyodbc = pytest.importorskip("pyodbc", exc_type=ImportError)
    if "PostgreSQL Unicode" not in pyodbc.drivers():
        pytest.skip("no psqlodbc here")
    address = f"Server=127.0.0.1;Port={server.port};Database=shop;Uid=alice;Pwd={PASSWORD};SSLmode=disable;{options}"
    connection = pyodbc.connect(f"Driver={{PostgreSQL Unicode}};{address}", autocommit=True)
    cursor = connection.cursor()
    assert {row.table_name for row in cursor.tables(schema="main")} == {
        "orders",
        "products",
        "regions",
        "tags",
    }
    assert [row.column_name for row in cursor.columns(table="orders")][:2] == ["customer", "region"]
    assert cursor.primaryKeys("products").fetchall() == cursor.statistics("orders").fetchall() == []
    assert len(cursor.getTypeInfo().fetchall()) > 10
    asked = "SELECT COUNT(*) FROM orders WHERE day < ? AND region = ? AND product <> ?"
    ((count,),) = cursor.execute(asked, date(2025, 2, 1), "north", 3).fetchall()
    assert isinstance(count, int)
    assert len(cursor.execute("SELECT product, label FROM products").fetchall()) == 6
    with pytest.raises(pyodbc.ProgrammingError) as refused:
        cursor.execute("SELECT * FROM orders")
    assert refused.value.args[0] == "42501"
    connection.close()
