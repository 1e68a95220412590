"""A notebook of marimo on a shop.

pip install dpsql[sqlalchemy] marimo[sql] polars
python examples/bi/shop.py /tmp/shop
SHOP=/tmp/shop/shop.yaml marimo edit examples/bi/marimo_app.py
"""

import marimo

app = marimo.App()


@app.cell
def connected():
    import os

    import marimo as mo
    import sqlalchemy

    shop = sqlalchemy.create_engine(f"dpsql:///{os.environ['SHOP']}?analyst=alice")
    return mo, shop


@app.cell
def answered(mo, shop):
    by_country = mo.sql("SELECT country, COUNT(*) AS orders FROM orders GROUP BY country", engine=shop)
    return (by_country,)


@app.cell
def shown(by_country):
    print(by_country)


if __name__ == "__main__":
    app.run()
