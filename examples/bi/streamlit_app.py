"""A page of Streamlit on a shop: one query, one charge, and a refusal as a sentence.

pip install dpsql[sqlalchemy] streamlit
python examples/bi/shop.py /tmp/shop
SHOP=/tmp/shop/shop.yaml streamlit run examples/bi/streamlit_app.py
"""

from __future__ import annotations

import os

import streamlit

import dpsql

SQL = "SELECT product, COUNT(*) AS orders FROM orders GROUP BY product ORDER BY orders DESC"

shop = streamlit.connection("shop", type="sql", url=f"dpsql:///{os.environ['SHOP']}?analyst=alice")
streamlit.bar_chart(shop.query(SQL), x="product", y="orders")
asked = streamlit.text_input("A question of your own", "SELECT AVG(amount) AS mean FROM orders")
try:
    streamlit.dataframe(shop.query(asked))
except Exception as error:
    streamlit.error(dpsql.sentence(error))
