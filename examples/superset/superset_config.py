"""What Superset needs to know: which dialect of SQL it is that dpsql speaks; the rest is for a try on one machine."""

import os
from pathlib import Path

from sqlglot import Dialects

HOME = Path(os.environ.get("DPSQL_SUPERSET_HOME", "superset-home")).absolute()

SQLGLOT_DIALECTS_EXTENSIONS = {"dpsql": Dialects.DUCKDB}

SECRET_KEY = os.environ.get("SUPERSET_SECRET_KEY", "only for a try on one machine, never for a server")
SQLALCHEMY_DATABASE_URI = f"sqlite:///{HOME}/superset.db?check_same_thread=false"
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
