"""Sets up a dashboard of six charts on a private shop, in Superset's own database.

See docs/bi-tools.md for what to run before and after it.

python examples/superset/setup.py FOLDER    # where the shop and its policy are written
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from superset.app import create_app

sys.path.insert(0, str(Path(__file__).parents[1] / "bi"))
from shop import make_shop

DATABASE, TITLE, SLUG = "Private shop", "A private shop", "private-shop"
VIRTUAL = """\
SELECT country, product, online, amount * quantity AS revenue, day
FROM orders
WHERE amount > 20"""
COUNT = {"expressionType": "SQL", "sqlExpression": "COUNT(*)", "label": "orders"}
REVENUE = {"expressionType": "SQL", "sqlExpression": "SUM(amount)", "label": "revenue"}
MEAN = {"expressionType": "SQL", "sqlExpression": "AVG(amount)", "label": "mean amount"}
LARGE = {"expressionType": "SQL", "sqlExpression": "SUM(revenue)", "label": "revenue of large orders"}
MONTHS = {"x_axis": "day", "time_grain_sqla": "P1M", "granularity_sqla": "day"}
CHARTS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("Orders and mean by country", "table", "orders",
     {"query_mode": "aggregate", "groupby": ["country"], "metrics": [COUNT, MEAN], "row_limit": 100}),
    ("Orders by month", "echarts_timeseries_line", "orders", MONTHS | {"metrics": [COUNT], "row_limit": 1000}),
    ("Revenue by month, the top 3 products", "echarts_timeseries_bar", "orders",
     MONTHS | {"metrics": [REVENUE], "groupby": ["product"], "limit": 3, "timeseries_limit_metric": REVENUE,
               "order_desc": True, "row_limit": 1000, "stack": "Stack"}),
    ("Orders by product", "pie", "orders", {"groupby": ["product"], "metric": COUNT, "row_limit": 100}),
    ("Mean amount online", "big_number_total", "orders",
     {"metric": MEAN, "adhoc_filters": [
         {"clause": "WHERE", "expressionType": "SQL", "sqlExpression": "online"}]}),
    ("Large orders by country", "echarts_timeseries_bar", "large_orders",
     {"x_axis": "country", "metrics": [LARGE], "row_limit": 100, "x_axis_sort_asc": True}),
)  # fmt: skip
WIDTH, HEIGHT, IN_A_ROW = 4, 50, 3


def set_up(folder: Path) -> None:
    """Writes the shop to the folder and makes database, datasets, charts and dashboard, anew where they exist."""
    policy = make_shop(folder.absolute())
    with create_app().app_context():
        from superset import db
        from superset.connectors.sqla.models import SqlaTable
        from superset.models.core import Database
        from superset.models.dashboard import Dashboard
        from superset.models.slice import Slice

        for dashboard in db.session.query(Dashboard).filter_by(slug=SLUG):
            db.session.delete(dashboard)
        for database in db.session.query(Database).filter_by(database_name=DATABASE):
            for dataset in db.session.query(SqlaTable).filter_by(database_id=database.id):
                for chart in db.session.query(Slice).filter_by(datasource_id=dataset.id):
                    db.session.delete(chart)
                db.session.delete(dataset)
            db.session.delete(database)
        db.session.commit()
        database = Database(database_name=DATABASE, expose_in_sqllab=True)
        database.set_sqlalchemy_uri(f"dpsql:///{policy}?analyst=superset")
        orders = SqlaTable(table_name="orders", schema="main", database=database, main_dttm_col="day")
        large = SqlaTable(
            table_name="large_orders", schema="main", database=database, sql=VIRTUAL, main_dttm_col="day"
        )
        db.session.add_all([database, orders, large])
        db.session.commit()
        for dataset in (orders, large):
            dataset.fetch_metadata()
        slices = [_slice(Slice, {"orders": orders, "large_orders": large}, *chart) for chart in CHARTS]
        dashboard = Dashboard(dashboard_title=TITLE, slug=SLUG, published=True, slices=slices)
        db.session.add_all([*slices, dashboard])
        db.session.commit()
        dashboard.position_json = json.dumps(_positions([s.id for s in slices]))
        dashboard.json_metadata = json.dumps({"native_filter_configuration": [_filter(orders.id)]})
        db.session.commit()


def _slice(
    kind: Any, datasets: dict[str, Any], name: str, viz: str, dataset: str, params: dict[str, Any]
) -> Any:
    table = datasets[dataset]
    given = {
        "viz_type": viz,
        "datasource": f"{table.id}__table",
        "time_range": "No filter",
        "adhoc_filters": [],
    }
    return kind(
        slice_name=name,
        viz_type=viz,
        datasource_type="table",
        datasource_id=table.id,
        params=json.dumps(given | params),
    )


def _filter(dataset: int) -> dict[str, Any]:
    """A filter box on the products, whose values the policy declares."""
    return {
        "id": "NATIVE_FILTER-product",
        "name": "Product",
        "filterType": "filter_select",
        "type": "NATIVE_FILTER",
        "targets": [{"datasetId": dataset, "column": {"name": "product"}}],
        "controlValues": {"multiSelect": True, "enableEmptyFilter": False, "inverseSelection": False},
        "defaultDataMask": {"extraFormData": {}, "filterState": {}, "ownState": {}},
        "cascadeParentIds": [],
        "scope": {"rootPath": ["ROOT_ID"], "excluded": []},
    }


def _positions(charts: list[int]) -> dict[str, Any]:
    rows = [charts[i : i + IN_A_ROW] for i in range(0, len(charts), IN_A_ROW)]
    names = [f"ROW-{i}" for i in range(len(rows))]
    found: dict[str, Any] = {
        "DASHBOARD_VERSION_KEY": "v2",
        "ROOT_ID": {"type": "ROOT", "id": "ROOT_ID", "children": ["GRID_ID"]},
        "GRID_ID": {"type": "GRID", "id": "GRID_ID", "children": names, "parents": ["ROOT_ID"]},
        "HEADER_ID": {"type": "HEADER", "id": "HEADER_ID", "meta": {"text": TITLE}},
    }
    for name, row in zip(names, rows, strict=True):
        above = ["ROOT_ID", "GRID_ID"]
        children = [f"CHART-{chart}" for chart in row]
        found[name] = {
            "type": "ROW",
            "id": name,
            "children": children,
            "parents": above,
            "meta": {"background": "BACKGROUND_TRANSPARENT"},
        }
        for child, chart in zip(children, row, strict=True):
            found[child] = {
                "type": "CHART",
                "id": child,
                "children": [],
                "parents": [*above, name],
                "meta": {"chartId": chart, "width": WIDTH, "height": HEIGHT},
            }
    return found


if __name__ == "__main__":
    set_up(Path(sys.argv[1]))
