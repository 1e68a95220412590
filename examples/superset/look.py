"""Opens the dashboard in a headless Chromium, and asks two queries in SQL Lab; prints what each chart answered.

pip install playwright requests   # and a Chromium: apt install chromium, or playwright install chromium
python examples/superset/look.py http://127.0.0.1:8088 dashboard.png
"""

from __future__ import annotations

import os
import sys
from typing import Any

import requests
from playwright.sync_api import Page, sync_playwright

USER, PASSWORD, SLUG = "admin", os.environ.get("SUPERSET_PASSWORD", "admin"), "private-shop"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
CHARTS, MOST_SECONDS, SIZE = 6, 90, {"width": 1400, "height": 950}


def look(server: str, picture: str) -> None:
    """Prints one line for each answer of a chart, and saves a picture of the dashboard once all have answered."""
    answered: list[str] = []
    with sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=CHROMIUM if os.path.exists(CHROMIUM) else None, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.on("response", lambda r: answered.append(f"{r.status}") if "slice_id" in r.url else None)
        _log_in(page, server)
        page.goto(f"{server}/superset/dashboard/{SLUG}/")
        for _ in range(MOST_SECONDS):
            page.wait_for_timeout(1000)
            if len(answered) >= CHARTS:
                break
        page.wait_for_timeout(3000)  # charts are drawn with a short animation
        page.screenshot(path=picture)
        print("charts", *sorted(answered))
        print("errors", page.locator(".ant-alert-error, [data-test=error-message]").count())
        browser.close()


def _log_in(page: Page, server: str) -> None:
    page.goto(f"{server}/login/")
    page.fill("#username, input[name=username]", USER)
    page.fill("#password, input[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_timeout(3000)


def ask(server: str, sql: str) -> str:
    """What SQL Lab answers: its rows, or its error's message."""
    login = {"username": USER, "password": PASSWORD, "provider": "db"}
    token = requests.post(f"{server}/api/v1/security/login", json=login, timeout=60).json()["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    found = requests.get(f"{server}/api/v1/database/", headers=headers, timeout=60).json()["result"]
    database = next(d["id"] for d in found if d["database_name"] == "Private shop")
    query = {"database_id": database, "sql": sql, "schema": "main", "runAsync": False, "queryLimit": 100}
    answer: dict[str, Any] = requests.post(
        f"{server}/api/v1/sqllab/execute/", json=query, headers=headers, timeout=60
    ).json()
    return str(answer["data"] if "data" in answer else answer["errors"][0]["message"])


if __name__ == "__main__":
    look(sys.argv[1], sys.argv[2])
    print("answered", ask(sys.argv[1], "SELECT country, COUNT(*) AS orders FROM orders GROUP BY country"))
    print("refused", ask(sys.argv[1], "SELECT country, amount FROM orders GROUP BY country"))
    print("no rows", ask(sys.argv[1], "SELECT * FROM orders"))
