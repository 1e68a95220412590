-- LIMIT 0 shows names and types, which are public

SELECT i FROM visits x(a,b,c,d,e,f,kind,h,i) LIMIT 0
-- refused: DuckDB does not accept the query...

SELECT * FROM visits LIMIT 0
-- answered: patient BIGINT, ward VARCHAR, doctor BIGINT, age BIGINT, nights BIGINT, cost DOUBLE, day DATE, note VARCHAR | 0 rows | epsilon 0

SELECT * FROM visits NATURAL JOIN wards LIMIT 0
-- answered: patient BIGINT, ward VARCHAR, doctor BIGINT, age BIGINT, nights BIGINT, cost DOUBLE, day DATE, note VARCHAR, wing VARCHAR | 0 rows | epsilon 0

SELECT * FROM information_schema.views LIMIT 0
-- answered: table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, view_definition VARCHAR, check_option VARCHAR, is_updatable VARCHAR, is_insertable_into VARCHAR, is_trigger_updatable VARCHAR, is_trigger_deletable VARCHAR, is_trigger_insertable_into VARCHAR | 0 rows | epsilon 0

SELECT table_name FROM information_schema.tables LIMIT 0
-- answered: table_name VARCHAR | 0 rows | epsilon 0

SELECT tables.table_name FROM information_schema.tables, visits LIMIT 0
-- answered: table_name VARCHAR | 0 rows | epsilon 0

SELECT * FROM main.information_schema.tables LIMIT 0
-- refused: line 1, column 15: a table function or another database cannot be read

SELECT * FROM duckdb_tables LIMIT 0
-- refused: line 1, column 8: DuckDB's catalogs have columns that are not known here

SELECT * FROM pg_catalog.visits LIMIT 0
-- refused: line 1, column 15: there is no table "pg_catalog.visits"

SELECT rowid FROM visits LIMIT 0
-- refused: line 1, column 8: there is no column "rowid"

SELECT visits FROM visits LIMIT 0
-- refused: line 1, column 8: there is no column "visits"
