"""Defects of prepared tables: when they are read, what they hold, and who may read them."""

from __future__ import annotations

from mutants.mutant import one

TABLES = ("tests/engines/test_prepared_tables.py",)
INTEGERS = ("tests/engines/test_prepared_integers.py",)
AUDIT = ("tests/audit/test_sensitivity_audit.py", "-k", "prepared")
ROWS = ("tests/fuzz/test_prepared_rows.py", "--executions", "200")
LISTS = ("tests/engines/test_prepared_lists.py",)
FITTING = "dpsql/engines/prepared/fitting.py"
FOLDER = "dpsql/engines/prepared/folder.py"
STORED = "dpsql/engines/prepared/stored_rows.py"

MUTANTS = (
    one(
        "what waits for limits that are found is asked as tables are prepared",
        "dpsql/engines/prepared/kept_lists.py",
        "if all(isinstance(part, Sums | Presence) for part in release.parts):",
        "if release.parts:",
        LISTS,
    ),
    one(
        "stored numbers of rows of many groups",
        "dpsql/engines/prepared/kept_lists.py",
        'fits = f"SELECT count(*) <= {MOST_KEPT} FROM {made}"',
        'fits = "SELECT TRUE"',
        LISTS,
    ),
    one(
        "stored weights of many groups",
        "dpsql/engines/prepared/kept_lists.py",
        "SELECT count(*) <= {most} FROM",
        "SELECT count(*) <= {_ROOM * most} FROM",
        LISTS,
    ),
    one(
        "rows of the largest units stored in part",
        "dpsql/engines/prepared/kept_lists.py",
        'f"FROM {t}")',
        'f"FROM {t} LIMIT 99")',
        ("tests/engines/test_largest_units.py",),
    ),
    one(
        "rows of the largest units stored where limits are fixed alone",
        "dpsql/engines/prepared/kept_lists.py",
        "clipping is ClippingMode.FIXED",
        "clipping is not ClippingMode.FIXED",
        LISTS,
    ),
    one(
        "prepared tables of other sources are read",
        FITTING,
        "    if manifest.sources != sources:\n",
        "    if manifest.sources.engine != sources.engine:\n",
        TABLES,
    ),
    one(
        "prepared tables of another engine are read",
        FITTING,
        "    if manifest.sources != sources:\n",
        "    if manifest.sources.files != sources.files:\n",
        TABLES,
    ),
    one(
        "prepared tables of another policy are read",
        FITTING,
        "    if manifest.policy != policy.digest:\n",
        "    if not manifest.policy:\n",
        TABLES,
    ),
    one(
        "prepared tables of another dpsql are read",
        FITTING,
        "    if manifest.dpsql != VERSION:\n",
        "    if not manifest.dpsql:\n",
        TABLES,
    ),
    one(
        "prepared tables that other statements made are read",
        STORED,
        "        if stored.get(info.name) != made:\n",
        "        if info.name not in stored:\n",
        TABLES,
    ),
    one(
        "the stored integers of a column are read on every grid",
        "dpsql/engines/sqlgen/aggregate.py",
        "(column, grid.step) in self.side.grids",
        "column in {c for c, _ in self.side.grids}",
        INTEGERS,
    ),
    one(
        "integers are stored on a coarser grid than they are read on",
        STORED,
        "return grid_sql(grid, facts,",
        "return grid_sql(replace(grid, step=grid.step * 2), facts,",
        INTEGERS,
    ),
    one(
        "the last rows of a large unit are kept instead of its first",
        "dpsql/engines/sqlgen/aggregate.py",
        "list_sum(arg_min(",
        "list_sum(arg_max(",
        ("tests/engines/test_prepared_integers.py",),
    ),
    one(
        "what one statement found is read for every other",
        "dpsql/engines/prepared/kept_answer.py",
        'digest("answer", sql)[:24]',
        'digest("answer")[:24]',
        ("tests/engines/test_prepared_lists.py",),
    ),
    one(
        "kept numbers of rows are not read",
        "dpsql/engines/private_engine.py",
        "return kept.read if kept.name in self._stored else sql",
        "return sql",
        ("tests/engines/test_prepared_lists.py",),
    ),
    one(
        "the first row of each unit in its order is none of its first rows",
        "dpsql/engines/sqlgen/single.py",
        "t.{PLACE} > 0",
        "t.{PLACE} > 1",
        ("tests/engines/test_prepared_integers.py",),
    ),
    one(
        "rows beyond a prepared table's own cap count where the dataset has one as well",
        "dpsql/engines/sqlgen/single.py",
        "if own is None and self._adds_little():",
        "if self._adds_little():",
        ("tests/engines/test_prepared_integers.py",),
    ),
    one(
        "the times of a few rows decide about the blocks of all prepared rows",
        "dpsql/engines/prepared/stored_order.py",
        "(0.25, 0.5, 0.75)",
        "(0, 0.5, 1)",
        ("tests/engines/test_stored_order.py",),
    ),
    one(
        "columns of one value count for nothing among those that prepared rows are ordered by",
        "dpsql/engines/prepared/stored_order.py",
        "combinations *= sizes_of[column.name]",
        "combinations *= sizes_of[column.name] - 1",
        ("tests/engines/test_stored_order.py",),
    ),
    one(
        "prepared rows whose time is missing are lost",
        "dpsql/engines/prepared/stored_rows.py",
        "FROM ({rows}) ORDER BY",
        "FROM ({rows}) WHERE {order[-1]} IS NOT NULL ORDER BY",
        ("tests/engines/test_stored_order.py",),
    ),
    one(
        "blocks of rows with a place no longer in time than those of others",
        "dpsql/engines/prepared/stored_order.py",
        " FROM {_SPAN}) * {share}",
        " FROM {_SPAN})",
        ("tests/engines/test_stored_order.py",),
    ),
    one(
        "rows with a place in no order of places",
        "dpsql/engines/prepared/stored_order.py",
        "else []), unit, place]",
        "else []), unit]",
        ("tests/engines/test_stored_order.py",),
    ),
    one(
        "units in no order of their least values",
        "dpsql/engines/prepared/stored_order.py",
        'f"min({code}) OVER (PARTITION BY {unit})"',
        "code",
        ("tests/engines/test_stored_order.py",),
    ),
    one(
        "rows beyond a table's own cap among those that it keeps",
        STORED,
        "[*own, *ranked_order",
        "[*ranked_order",
        ("tests/engines/test_stored_order.py",),
    ),
    one(
        "integers of prepared tables computed in the four bytes that they are stored in",
        "dpsql/engines/sqlgen/relation.py",
        'return f"CAST({raw} AS BIGINT)"',
        "return raw",
        INTEGERS,
    ),
    one(
        "one parsed text for all that an engine is asked",
        "dpsql/engines/private_engine.py",
        "lru_cache(_MOST_PARSED)(connection.extract_statements)",
        "lambda sql, seen=[]: seen or seen.extend(connection.extract_statements(sql)) or seen",
        ("tests/engines/test_contract.py",),
    ),
    one(
        "prepared tables of another run are read",
        "dpsql/engines/prepared/attached.py",
        ".fetchall() == [(file.mark,)]",
        ".fetchall() != []",
        TABLES,
    ),
    one(
        "prepared tables that others may read are read",
        FITTING,
        " or place.mistake(manifest)",
        "",
        TABLES,
    ),
    one(
        "others may read prepared tables",
        FOLDER,
        "        unfinished.chmod(_FILE)\n",
        "        unfinished.chmod(0o644)\n",
        TABLES,
    ),
    one(
        "others may look into the folder of prepared tables",
        FOLDER,
        'chmod 700 it" if _is_exposed(self.path) else None',
        'chmod 700 it" if False else None',
        TABLES,
    ),
    one(
        "prepared values are not clamped",
        "dpsql/engines/sqlgen/relation.py",
        "raw if coded else column_sql(column, raw)",
        "raw if coded or column.fact.interval is not None else column_sql(column, raw)",
        TABLES,
    ),
    one(
        "the first table of a path taken for the owner of prepared rows",
        "dpsql/engines/sqlgen/relation.py",
        """    while info.path is not None:
        parent""",
        """    if info.path is not None:
        parent""",
        TABLES,
    ),
    one(
        "prepared rows ranked by another salt",
        STORED,
        "    salted_table = salted(info, policy, tables)\n",
        '    salted_table = salted(info, replace(policy, digest=""), tables)\n',
        ROWS,
    ),
    one(
        "prepared rows of large units all kept",
        "dpsql/engines/sqlgen/bounding.py",
        "WHERE {light}{PLACE} <= {most}",
        "WHERE {light}{PLACE} <= {most} OR TRUE",
        ROWS,
    ),
    one(
        "the last row that a cap keeps is taken off prepared rows",
        "dpsql/engines/sqlgen/single.py",
        "WHERE r.{PLACE} > p.l",
        "WHERE r.{PLACE} >= p.l",
        INTEGERS,
    ),
    one(
        "places of prepared rows taken for those under a smaller cap",
        "dpsql/engines/sqlgen/bounding.py",
        " and prepared.ranked_above <= limit:",
        ":",
        LISTS,
    ),
    one(
        "what a killed run left is kept",
        FOLDER,
        r'r"-[0-9a-f]{32}\.(duckdb|unfinished)"',
        r'r"-[0-9a-f]{32}\.(duckdb)"',
        TABLES,
    ),
    one(
        "a run that cannot be published leaves its rows",
        FOLDER,
        """            finally:
                self.sweep()
""",
        """            finally:
                pass
""",
        TABLES,
    ),
    one(
        "prepared tables of data that changed meanwhile",
        "dpsql/engines/prepare_tables.py",
        "            if stamps(policy) != noted or sources_of(policy) != sources:\n",
        "            if not sources.files:\n",
        TABLES,
    ),
    one(
        "the file that open connections read is removed by the next run",
        FOLDER,
        "frozenset((manifest.file, manifest.former))",
        "frozenset((manifest.file,))",
        TABLES,
    ),
    one(
        "prepared rows of former sources stay",
        FOLDER,
        'return manifest.file if manifest.sources == sources else ""',
        "return manifest.file",
        TABLES,
    ),
    one(
        "prepared rows of all runs stay",
        FOLDER,
        "            if path.name not in kept and ours.fullmatch(path.name):\n",
        "            if not path.is_file() and ours.fullmatch(path.name):\n",
        TABLES,
    ),
    one(
        "a process goes on over prepared tables that are gone",
        "dpsql/interfaces/shared_connections.py",
        "known[1:] != (sources, copy)",
        "known[1] != sources",
        TABLES,
    ),
    one(
        "an audit of prepared tables reads the sources",
        "dpsql/audit/databases/prepared_copies.py",
        "    if context.policy.engine.prepared is not None and any(",
        "    if context.policy.engine.prepared is None and any(",
        AUDIT,
    ),
    one(
        "integers of four bytes for what takes more",
        "dpsql/engines/sqlgen/relation.py",
        "_INTEGERS = 2**31",
        "_INTEGERS = 2**62",
        INTEGERS,
    ),
)
