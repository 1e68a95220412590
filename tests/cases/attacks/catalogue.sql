-- The catalogue, settings and the engine itself are out of reach

SELECT * FROM released.r0
-- refused: line 1, column 15: there is no table "released.r0"

SELECT count(*) FROM released.r0, visits
-- refused: line 1, column 22: there is no table "released.r0"

SELECT count(*) FROM visits WHERE day < current_date
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE random() < 0.5
-- refused: line 1, column 35: RANDOM is not supported

SELECT random(), count(*) FROM visits
-- refused: line 1, column 8: RANDOM is not supported

SELECT current_setting('memory_limit'), count(*) FROM visits
-- refused: line 1, column 8: the function current_setting is not supported

SELECT version(), count(*) FROM visits
-- before sqlglot 29: refused: line 1, column 8: the function version is not supported
-- refused: line 1, column 8: VERSION is not supported

SELECT nextval('x'), count(*) FROM visits
-- refused: line 1, column 8: the function nextval is not supported

SELECT getenv('HOME')
-- refused: line 1, column 8: the function getenv is not supported

SELECT current_user
-- answered: current_user VARCHAR | 1 row | epsilon 0

SELECT current_user, count(*) FROM visits
-- refused: line 1, column 8: CURRENT_USER is not supported

SELECT count(*) FROM duckdb_settings
-- refused: line 1, column 22: there is no table "duckdb_settings"

SELECT count(*) FROM sqlite_master
-- answered: count BIGINT | 1 row | epsilon 0

SELECT * FROM sqlite_master
-- refused: line 1, column 8: DuckDB's catalogs have columns that are not known here

SELECT count(*) FROM information_schema.tables
-- answered: count_star() BIGINT | 1 row | epsilon 0

SELECT count(*) FROM information_schema.key_column_usage
-- answered: count BIGINT | 1 row | epsilon 0

SELECT count(*) FROM pg_catalog.pg_class
-- answered: count BIGINT | 1 row | epsilon 0

SELECT count(rowid) FROM visits
-- refused: line 1, column 14: there is no column "rowid"

SELECT rowid FROM wards
-- refused: line 1, column 8: there is no column "rowid"
