-- Tables about the system show the analyst's own account and the visible part of the policy, and nothing else

SELECT * FROM dpsql.columns WHERE column_name = 'email'
-- answered: table_schema VARCHAR, table_name VARCHAR, column_name VARCHAR, ordinal_position INTEGER, type VARCHAR, nullable BOOLEAN, lower VARCHAR, upper VARCHAR, value_list VARCHAR, public BOOLEAN, unit_key BOOLEAN | 0 rows | epsilon 0

SELECT column_name FROM information_schema.columns WHERE column_name ILIKE '%mail%' OR table_name = 'hospital'
-- answered: column_name VARCHAR | 0 rows | epsilon 0

SELECT column_name FROM INFORMATION_SCHEMA."Columns" WHERE table_name = 'visits'
-- answered: column_name VARCHAR | 8 rows | epsilon 0

SELECT count(*) FROM information_schema.columns c JOIN visits v ON c.column_name = v.note
-- refused: line 1, column 22: a join of private rows with the system table information_schema.columns is not supported

SELECT count(*) FROM visits WHERE note IN (SELECT column_name FROM information_schema.columns)
-- refused: line 1, column 68: a join of private rows with the system table information_schema.columns is not supported

SELECT count(*) FROM visits WHERE age > (SELECT epsilon_spent FROM dpsql.budget)
-- refused: line 1, column 68: a join of private rows with the system table dpsql.budget is not supported

SELECT (SELECT note FROM visits LIMIT 1) FROM dpsql.budget
-- refused: line 1, column 16: LIMIT on private rows depends on their order

SELECT question FROM dpsql.history WHERE EXISTS (SELECT 1 FROM visits WHERE note = question)
-- refused: line 1, column 84: there is no column "question"

SELECT h.question FROM visits v LEFT JOIN dpsql.history h ON h.question = v.note
-- refused: line 1, column 43: a join of private rows with the system table dpsql.history is not supported

SELECT * FROM "dpsql.history"
-- refused: line 1, column 15: there is no table "dpsql.history"

SELECT * FROM history
-- refused: line 1, column 15: there is no table "history"

SELECT * FROM main.history
-- refused: line 1, column 15: there is no table "main.history"

SELECT * FROM dpsql.main.history
-- refused: line 1, column 21: there is no table "main.history"

SELECT * FROM system.information_schema.tables
-- refused: line 1, column 15: a table may not be qualified by a catalog

SELECT * FROM dpsql_information_schema.tables
-- refused: line 1, column 15: there is no table "dpsql_information_schema.tables"

SELECT * FROM released."dpsql.history"
-- refused: line 1, column 15: there is no table "released.dpsql.history"

SELECT * FROM dpsql.ledger
-- refused: line 1, column 15: there is no table "dpsql.ledger"

SELECT * FROM information_schema.tables()
-- refused: line 1, column 15: ...

SELECT rowid FROM dpsql.budget
-- refused: line 1, column 8: there is no column "rowid"

SELECT 'visits' AS t, count(*) AS n, (SELECT max(ordinal_position) FROM dpsql.columns) AS m FROM visits
-- answered: t VARCHAR, n BIGINT, m INTEGER | 1 row | epsilon 1

SHOW TABLES
-- answered: name VARCHAR | 3 rows | epsilon 0

DESCRIBE visits
-- answered: column_name VARCHAR, column_type VARCHAR, null VARCHAR, key VARCHAR, default VARCHAR, extra VARCHAR | 8 rows | epsilon 0

PRAGMA table_info("VISITS")
-- answered: cid INTEGER, name VARCHAR, type VARCHAR, notnull BOOLEAN, dflt_value VARCHAR, pk BOOLEAN | 8 rows | epsilon 0

DESCRIBE SELECT * FROM visits
-- refused: line 1, column 10: nothing but the name of a table is expected here

DESCRIBE src.visits
-- refused: line 1, column 10: there is no table "src.visits"

DESCRIBE 'hospital.duckdb'
-- refused: line 1, column 10: there is no table "hospital.duckdb"

PRAGMA table_info('visits'); SELECT 1
-- refused: line 1, column 30: a second statement begins here

PRAGMA table_info('x'' OR TRUE --')
-- refused: line 1, column 19: there is no table "x' OR TRUE --"

SHOW TABLES FROM "' OR TRUE --"
-- answered: name VARCHAR | 0 rows | epsilon 0

PRAGMA database_list
-- refused: line 1, column 1: this form of PRAGMA is not supported

SHOW ALL TABLES
-- refused: line 1, column 1: this form of SHOW is not supported

SUMMARIZE visits
-- refused: line 1, column 1: SUMMARIZE is not supported as a statement

SET extra_float_digits = 3
-- answered:  | 0 rows | epsilon 0

SET memory_limit = '100GB'
-- refused: line 1, column 1: this form of SET is not supported

SET search_path = 'main'
-- refused: line 1, column 1: this form of SET is not supported

USE main
-- refused: line 1, column 1: this form of USE is not supported

SET search_path = main, other
-- refused: line 1, column 1: this form of SET is not supported

SET statement_timeout = 5
-- refused: line 1, column 1: this form of SET is not supported

USE other
-- refused: line 1, column 1: this form of USE is not supported

SET TimeZone = 'America/New_York'
-- refused: line 1, column 1: this form of SET is not supported

BEGIN
-- refused: line 1, column 1: BEGIN is not supported as a statement

SELECT * FROM duckdb_columns() WHERE table_name = 'visits'
-- refused: line 1, column 8: DuckDB's catalogs have columns that are not known here

SELECT table_name, estimated_size FROM duckdb_tables()
-- refused: line 1, column 20: how many rows a table has is private

SELECT * FROM duckdb_variables()
-- refused: line 1, column 15: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM

SELECT relname, reltuples, relpages, pg_total_relation_size(oid) FROM pg_class
-- answered: relname VARCHAR, reltuples DOUBLE, relpages INTEGER, pg_total_relation_size BIGINT | 216 rows | epsilon 0

SELECT relname, n_live_tup, n_tup_ins, seq_scan FROM pg_stat_user_tables
-- answered: relname VARCHAR, n_live_tup BIGINT, n_tup_ins BIGINT, seq_scan BIGINT | 3 rows | epsilon 0

SELECT most_common_vals, n_distinct FROM pg_catalog.pg_stats
-- answered: most_common_vals VARCHAR[], n_distinct DOUBLE | 0 rows | epsilon 0

SELECT c.relname, v.ward FROM pg_class AS c, visits AS v
-- refused: line 1, column 31: there is no table "pg_class"

SELECT count(*) FROM visits WHERE note IN (SELECT relname FROM pg_catalog.pg_class)
-- refused: line 1, column 64: there is no table "pg_catalog.pg_class"

SELECT relname FROM pg_class WHERE relname = (SELECT max(note) FROM visits)
-- refused: line 1, column 21: there is no table "pg_class"

SELECT pg_read_file('/etc/passwd') FROM pg_class
-- refused: line 1, column 8: the function pg_read_file is not supported in a statement about the system

SELECT getenv('HOME') FROM pg_catalog.pg_namespace
-- refused: line 1, column 8: the function getenv is not supported in a statement about the system

SELECT relname FROM pg_class, read_csv('/etc/passwd')
-- refused: line 1, column 31: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM

SELECT count(*) FROM pg_class, generate_series(1, 10000000000) AS s(i)
-- refused: line 1, column 32: generate_series takes numbers up to 100000 and lengths of lists here

SELECT version(), (SELECT note FROM visits)
-- before sqlglot 29: refused: line 1, column 8: the function version is not supported
-- refused: line 1, column 8: VERSION is not supported

SELECT a.attname FROM pg_attribute a WHERE a.attname ILIKE '%mail%' OR a.attname ILIKE '%hospital%'
-- answered: attname VARCHAR | 0 rows | epsilon 0

SELECT relname, relkind FROM pg_class WHERE relname ILIKE '%hospital%' OR oid = 'hospital'::regclass
-- answered: relname VARCHAR, relkind VARCHAR | 0 rows | epsilon 0

SELECT rolname FROM pg_roles WHERE rolname NOT IN ('dpsql', current_user)
-- answered: rolname VARCHAR | 0 rows | epsilon 0

SELECT set_config('threads', '64', false)
-- refused: line 1, column 8: this setting cannot be changed

SELECT lpad(table_name, 100000000, 'y') FROM information_schema.tables
-- refused: line 1, column 8: LPAD and RPAD take a constant length of at most 10000

WITH RECURSIVE x(t, n) AS (SELECT relname::text, 1 FROM pg_class UNION ALL SELECT t || t, n + 1 FROM x WHERE n < 30) SELECT max(length(t)) FROM x
-- refused: line 1, column 16: a text of WITH RECURSIVE could be multiplied with every step

WITH RECURSIVE x AS (SELECT relname::text AS p, 1 AS n FROM pg_class UNION ALL SELECT p || '/' || n AS p, n + 1 AS n FROM x WHERE n < 3) SELECT max(length(p)) > 4 AS grown FROM x
-- answered: grown BOOLEAN | 1 row | epsilon 0

SELECT count(*) FROM pg_type a, pg_type b, pg_type c, pg_type d
-- refused: line 1, column 8: the tables of the query make more than 10000000 rows side by side

SELECT count(*) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid, pg_type t, pg_namespace n WHERE t.oid = a.atttypid AND n.oid = c.relnamespace
-- answered: count BIGINT | 1 row | epsilon 0
