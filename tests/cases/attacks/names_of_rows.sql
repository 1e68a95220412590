-- Names that DuckDB knows and no policy does: whole rows, the place of a row, the catalogue, hidden tables

WITH wards AS (SELECT 1 AS x) SELECT * FROM main.wards
-- refused: line 1, column 45: WITH gives the name of the table "wards" to another query

WITH wards AS (SELECT 'a' AS ward, 'b' AS wing) SELECT * FROM main.wards
-- refused: line 1, column 63: WITH gives the name of the table "wards" to another query

WITH wards AS (SELECT ward FROM wards) SELECT * FROM wards
-- answered: ward VARCHAR | 3 rows | epsilon 0

WITH a AS (WITH wards AS (SELECT 1 AS x) SELECT * FROM wards) SELECT * FROM main.wards, a
-- answered: ward VARCHAR, wing VARCHAR, x INTEGER | 3 rows | epsilon 0

WITH pg_class AS (SELECT 1) SELECT * FROM pg_catalog.pg_class LIMIT 0
-- refused: line 1, column 43: there is no table "pg_catalog.pg_class"

WITH duckdb_tables AS (SELECT 1) SELECT * FROM main.duckdb_tables LIMIT 0
-- refused: line 1, column 48: there is no table "main.duckdb_tables"

WITH sqlite_master AS (SELECT 1 AS a) SELECT * FROM main.sqlite_master
-- refused: line 1, column 53: there is no table "main.sqlite_master"

SELECT * FROM (WITH duckdb_tables AS (SELECT 1) SELECT 1) x, duckdb_tables LIMIT 0
-- refused: line 1, column 62: there is no table "duckdb_tables"

SELECT rowid, * FROM wards
-- refused: line 1, column 8: there is no column "rowid"

SELECT w.ROWID FROM main.wards w
-- refused: line 1, column 8: there is no column "ROWID"

SELECT max("rowid") FROM wards
-- refused: line 1, column 12: there is no column "rowid"

SELECT rowid FROM (SELECT ward AS rowid FROM wards) x
-- answered: rowid VARCHAR | 3 rows | epsilon 0

SELECT main.wards FROM wards
-- refused: line 1, column 8: there is no column "wards"

SELECT memory.main.wards FROM wards
-- refused: line 1, column 8: there is no column "wards"

SELECT max(w) FROM wards w
-- refused: line 1, column 12: there is no column "w"

SELECT v FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) v
-- refused: line 1, column 8: there is no column "v"

SELECT count(v) FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) v
-- refused: line 1, column 14: there is no column "v"

SELECT 1 FROM wards w WHERE w IS NULL
-- refused: line 1, column 29: there is no column "w"

SELECT ward FROM wards w ORDER BY w
-- refused: line 1, column 35: there is no column "w"

SELECT (SELECT max(w) FROM wards x) FROM wards w
-- refused: line 1, column 20: there is no column "w"

SELECT code FROM codes code
-- answered: code BIGINT | 2000 rows | epsilon 0

WITH v AS (SELECT count(*) AS v FROM visits) SELECT v FROM v
-- answered: v BIGINT | 1 row | epsilon 1

SELECT ward, r0.a0 FROM visits GROUP BY ward
-- refused: line 1, column 14: there is no table "r0" in FROM

SELECT ward, i, count(*) FROM visits GROUP BY ward
-- refused: line 1, column 14: there is no column "i"

SELECT count("#unit") FROM visits
-- refused: line 1, column 14: there is no column "#unit"

SELECT count(*) FROM described.visits
-- refused: line 1, column 22: there is no table "described.visits"

SELECT count(*) FROM src.visits
-- refused: line 1, column 22: there is no table "src.visits"

SELECT count(wards.ward) FROM visits AS wards, wards AS visits
-- answered: count(wards.ward) BIGINT | 1 row | epsilon 1

SELECT wards.ward FROM visits AS wards
-- refused: line 1, column 8: the query would return rows of a private table

SELECT count(email) FROM visits v(a, email)
-- answered: count(email) BIGINT | 1 row | epsilon 1
