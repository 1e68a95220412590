"""One query each by pandas, SQLAlchemy, polars and Arrow.

pip install dpsql[sqlalchemy,pandas,arrow] polars
python examples/bi/frames.py
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import pandas
import polars
import sqlalchemy
from shop import make_shop

import dpsql

SQL = "SELECT country, COUNT(*) AS orders, AVG(amount) AS mean FROM orders WHERE product = '{}' GROUP BY country"


def main(folder: Path) -> None:
    """Asks about one product each way, then asks what that cost."""
    policy = make_shop(folder)
    engine = sqlalchemy.create_engine(f"dpsql:///{policy}?analyst=alice")
    with dpsql.connect(policy, analyst="alice") as connection:
        with warnings.catch_warnings():  # pandas tests few other connections than SQLAlchemy's, and says so
            warnings.simplefilter("ignore", UserWarning)
            print(pandas.read_sql(SQL.format("bags"), connection))
        print(pandas.read_sql(SQL.format("books"), engine))
        print(polars.read_database(SQL.format("lamps"), connection))
        print(polars.read_database(SQL.format("mugs"), engine))
        print(connection.execute(SQL.format("prints")).to_arrow_table())
    try:
        pandas.read_sql("SELECT amount FROM orders", engine)
    except Exception as error:
        print("refused:", dpsql.sentence(error))
    print(pandas.read_sql("SELECT question, epsilon FROM dpsql.history", engine))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
