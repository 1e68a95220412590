-- Other spellings of what is refused in its usual one

SELECT "sum"(nights) FROM visits
-- answered: sum(nights) HUGEINT | 1 row | epsilon 1

SELECT main.sum(nights) FROM visits
-- refused: line 1, column 8: a call or field behind a dot is not supported

SELECT nights.sum() FROM visits
-- refused: line 1, column 8: a call or field behind a dot is not supported

SELECT count(*) FROM visits WHERE note.length() > 3
-- refused: line 1, column 35: a call or field behind a dot is not supported

SELECT count(*) FROM visits WHERE note ^@ 'n'
-- refused: line 1, column 40: the symbol ^@ is not supported

SELECT count(*) FROM visits WHERE note ~~ 'n%'
-- refused: line 1, column 40: the symbol ~~ is not supported

SELECT count(*) FROM visits WHERE note = $$x$$y$$
-- refused: line 1, column 42: a string between dollars touches a word or another dollar

SELECT count(*) FROM visits WHERE note = $a$x$b$
-- refused: line 1, column 42: a string between dollars is opened here and never closed

SELECT count(*) FROM visits WHERE note = x'41'
-- refused: line 1, column 42: string literals with a prefix (x'...', U&'...') are not supported

SELECT count(*) FROM visits WHERE age = ANY([1, 2])
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE list_filter([age], x -> x > 1) IS NULL
-- refused: line 1, column 59: lambdas are not supported; behind an arrow stands the name of a field in quotes

SELECT round(x := 1.5)
-- refused: line 1, column 16: the symbol := is not supported

SELECT struct_pack(a := patient) FROM visits
-- refused: line 1, column 22: the symbol := is not supported

SELECT sum(COLUMNS('age|nights')) FROM visits
-- refused: line 1, column 12: COLUMNS is not supported

SELECT * SIMILAR TO 'a.*' FROM visits
-- refused: line 1, column 8: * stands only in COUNT(*) and as a column of SELECT

SELECT * RENAME (age AS a) FROM visits
-- refused: line 1, column 8: the query would return rows of a private table

SELECT count(*) FROM visits USING SAMPLE 10
-- refused: line 1, column 8: TABLESAMPLE is not supported

SELECT count(*) FROM visits SEMI JOIN wards USING (ward)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT * FROM query_table('visits')
-- refused: line 1, column 15: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM

SELECT * FROM (SUMMARIZE visits)
-- refused: line 1, column 26: only queries, tables and joins stand in parentheses here

WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM x
-- refused: line 1, column 6: WITH takes only queries

SELECT current_schema(), current_database(), current_user
-- answered: current_schema() VARCHAR, current_database() VARCHAR, current_user VARCHAR | 1 row | epsilon 0

SELECT getvariable('x')
-- refused: line 1, column 8: the function getvariable is not supported

SELECT count(DISTINCT (patient, ward)) FROM visits
-- answered: count(DISTINCT "row"(patient, ward)) BIGINT | 1 row | epsilon 1

SELECT count(visits.*) FROM visits
-- answered: count(visits.*) BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE ROW(age, nights) = ROW(1, 2)
-- refused: line 1, column 35: the function row is not supported on private rows

SELECT #1 FROM wards
-- refused: line 1, column 8: the symbol # is not supported

SELECT quantile_cont(cost, [0.1, 0.9]) FROM visits
-- answered: quantile_cont("cost", list_value(0.1, 0.9)) DOUBLE[] | 1 row | epsilon 1

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cost) FROM visits
-- answered: quantile_cont(0.5 ORDER BY "cost") DOUBLE | 1 row | epsilon 1

SELECT count(*) FROM visits GROUP BY ward COLLATE NOCASE
-- refused: line 1, column 38: COLLATE takes "C", "POSIX" and "binary" in quotes; compare LOWER(x) where case does not matter

EXPLAIN EXPLAIN SELECT 1
-- refused: line 1, column 9: a query does not begin with EXPLAIN

EXPLAIN SELECT max(patient) FROM visits
-- refused: line 1, column 16: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT count(*) EXPORT_STATE FROM visits
-- refused: line 1, column 17: EXPORT_STATE is not supported

SELECT ward, sum(age) FILTER (WHERE nights > 1) export_state FROM visits GROUP BY ward
-- refused: line 1, column 49: EXPORT_STATE is not supported

SELECT count(*) AS export_state, count(age) "export_state" FROM visits
-- answered: export_state BIGINT, export_state BIGINT | 1 row | epsilon 1
