-- Statements that are no query

-- refused: line 1, column 1: COPY is not supported as a statement | Only SELECT is answered.
COPY t FROM '/etc/passwd'

-- refused: line 1, column 1: LOAD is not supported as a statement | Only SELECT is answered.
LOAD httpfs

-- refused: line 1, column 1: UPDATE is not supported as a statement | Only SELECT is answered.
UPDATE EXTENSIONS

-- refused: line 1, column 1: SET is not supported as a statement | Only SELECT is answered.
SET memory_limit = '100GB'

-- refused: line 1, column 1: PRAGMA is not supported as a statement | Only SELECT is answered.
PRAGMA enable_profiling = 'json'

-- refused: line 1, column 1: SHOW is not supported as a statement | Only SELECT is answered.
SHOW ALL TABLES

-- refused: line 1, column 1: DESCRIBE is not supported as a statement | Only SELECT is answered.
DESCRIBE t

-- refused: line 1, column 1: SUMMARIZE is not supported as a statement | Ask for COUNT, AVG, MIN and MAX of its columns.
SUMMARIZE t

-- refused: line 1, column 1: CALL is not supported as a statement | Only SELECT is answered.
CALL pragma_version()

-- refused: line 1, column 1: ATTACH is not supported as a statement | Only SELECT is answered.
ATTACH 'other.db'

-- refused: line 1, column 1: DELETE is not supported as a statement | Only SELECT is answered.
DELETE FROM t RETURNING *

-- refused: line 1, column 1: CREATE is not supported as a statement | Only SELECT is answered.
CREATE TEMP TABLE x AS SELECT * FROM t

-- refused: line 1, column 1: BEGIN is not supported as a statement | Only SELECT is answered.
BEGIN

-- refused: line 1, column 12: PIVOT needs the values to make columns of, as in region IN ('north', 'south'), or a column of a table of which the policy lists them
PIVOT t ON region USING sum(amount) GROUP BY x

-- refused: line 1, column 7: PIVOT needs the values to make columns of, as in region IN ('north', 'south'), or a column of a table of which the policy lists them
PIVOT t ON lower(region) USING sum(amount) GROUP BY x

-- refused: line 1, column 1: VALUES is not supported as a statement | Write SELECT * FROM (VALUES (1), (2)) AS v(x).
VALUES

-- refused: line 1, column 1: TABLE is not supported as a statement | Write SELECT * FROM it.
TABLE t

-- refused: there is nothing to run | Write a SELECT statement.
EXPLAIN

-- refused: line 1, column 1: EXPLAIN ANALYZE is not supported | Write EXPLAIN, or EXPLAIN VERBOSE for the SQL, and the query.
EXPLAIN ANALYZE SELECT count(*) FROM t

-- refused: line 1, column 1: options of EXPLAIN are not supported | Write EXPLAIN, or EXPLAIN VERBOSE for the SQL, and the query.
EXPLAIN (FORMAT JSON) SELECT count(*) FROM t

-- refused: line 1, column 9: a query does not begin with EXPLAIN | Only SELECT is answered.
explain explain select 1

-- refused: line 1, column 1: a query does not begin with SELEC | Only SELECT is answered.
SELEC count(*) FROM t

-- refused: line 1, column 6: WITH takes only queries
WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x

-- refused: line 1, column 25: only queries, tables and joins stand in parentheses here
SELECT * FROM (DESCRIBE t)

-- Not exactly one statement

-- refused: there is nothing to run | Write a SELECT statement.
-- nothing

-- refused: there is nothing to run | Write a SELECT statement.
/* nothing */ ;

-- refused: line 1, column 11: a second statement begins here | Send one statement at a time.
SELECT 1; SELECT max(user_id) FROM t

-- refused: line 1, column 10: a second statement begins here | Send one statement at a time.
SELECT 1;; DROP TABLE t

-- Text that two parsers may read differently

-- refused: line 1, column 8: a string literal is opened here and never closed
SELECT 'a

-- refused: line 1, column 8: a quoted name is opened here and never closed
SELECT "a

-- refused: line 1, column 10: a comment is opened here and never closed
SELECT 1 /* a /* b */

-- refused: line 1, column 13: a comment can be read in more than one way | Leave it out.
SELECT /* a /*/ b */ */ 1

-- refused: line 1, column 8: a quoted name is empty
SELECT "" FROM t

-- refused: line 1, column 8: an escape in this string is not one character everywhere | Write the character itself.
SELECT e'a\ud83d'

-- refused: line 1, column 8: an escape in this string is not one character everywhere | Write the character itself.
SELECT E'\xe9'

-- refused: line 1, column 12: a string stands beside one behind an E | Write one string.
SELECT 'a' E'b'

-- refused: line 2, column 1: a string stands beside one behind an E | Write one string.
SELECT E'a' -- joined to one by some
'b'

-- refused: line 1, column 8: string literals with a prefix (x'...', U&'...') are not supported | Write 'text'.
SELECT x'ab'

-- refused: line 1, column 8: string literals with a prefix (x'...', U&'...') are not supported | Write 'text'.
SELECT U&'abc'

-- refused: line 1, column 8: a string between dollars is opened here and never closed
SELECT $$abc$

-- refused: line 1, column 8: no string between dollars begins so | Write 'text'.
SELECT $1$abc$1$

-- refused: line 1, column 12: two string literals stand side by side | Join them with ||, or put a comma between them.
SELECT 'a' 'b'

-- refused: line 2, column 1: two string literals stand side by side | Join them with ||, or put a comma between them.
SELECT count(*) FROM t WHERE region = 'a'
'b'

-- refused: line 1, column 8: a number runs into a name | Put a space between them.
SELECT 1a FROM t

-- refused: line 1, column 8: a number runs into a name | Put a space between them.
SELECT 0x1F

-- refused: line 1, column 8: a number runs into a name | Put a space between them.
SELECT 1e FROM t

-- refused: line 1, column 13: the character '²' is not allowed in an unquoted name | Put the name in "double quotes".
SELECT naïve² FROM t

-- refused: line 1, column 10: the text cannot be read as SQL near 'x' | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
SELECT 1 'x'

-- refused: line 1, column 6: the text 'w' cannot be understood here
WITH 'w' AS (SELECT 1) SELECT * FROM w

-- refused: line 1, column 22: the text 's3://bucket/key.parquet' cannot be understood here
SELECT count(*) FROM 's3://bucket/key.parquet'

-- refused: line 1, column 11: integer cannot be understood here
SELECT a::"integer" FROM t

-- refused: line 1, column 8: the name of a function is written without quotes
SELECT "error"(region) FROM t

-- Operators and symbols

-- refused: line 1, column 8: the symbol ! is not supported | Write NOT, and x <> y for not equal.
SELECT !true

-- refused: line 1, column 8: the symbol @ is not supported | Write ABS(x), and a parameter as ? or $name.
SELECT @-5

-- refused: line 1, column 9: the symbol ! is not supported | Write NOT, and x <> y for not equal.
SELECT 5!

-- refused: line 1, column 8: ~ and ~* take a constant pattern; put it in quotes
SELECT region ~* name FROM t

-- refused: line 1, column 15: the symbol ! is not supported | Write NOT, and x <> y for not equal.
SELECT region ! ~ 'a' FROM t

-- refused: line 1, column 8: ~ and ~* take a constant pattern; put it in quotes
SELECT region ~ 'a' || 'b' FROM t

-- refused: line 1, column 8: SIMILAR TO takes a constant pattern; put it in quotes
SELECT region SIMILAR TO other FROM t

-- refused: line 1, column 8: % and _ stand for themselves in DuckDB's SIMILAR TO; write LIKE, or REGEXP_FULL_MATCH(x, 'pattern') with .* for any letters and . for one
SELECT region SIMILAR TO '(n|s)%' FROM t

-- refused: line 1, column 18: -> gives JSON, which no answer holds | Write region->>'a'.
SELECT region -> '$.a' FROM t

-- refused: line 1, column 8: a subscript is one number, as in STRING_SPLIT(x, ',')[1]; LIST_SLICE(x, 1, 2) is a part of a released list
SELECT a['x'] FROM t

-- refused: line 1, column 8: a subscript is one number, as in STRING_SPLIT(x, ',')[1]; LIST_SLICE(x, 1, 2) is a part of a released list
SELECT a[1, 2] FROM t

-- refused: line 1, column 8: STRING_SPLIT gives a list; take one of its parts, as in STRING_SPLIT(x, ',')[1]
SELECT STRING_SPLIT(a, ',') FROM t

-- refused: line 1, column 15: SPLIT gives a list; take one of its parts, as in STRING_SPLIT(x, ',')[1]
SELECT LENGTH(SPLIT(a, ',')) FROM t

-- refused: line 1, column 24: SPLIT gives a list; take one of its parts, as in STRING_SPLIT(x, ',')[1]
SELECT LIST_EXTRACT(a, SPLIT(b, ',')) FROM t

-- refused: line 1, column 8: operators stand here in an order that can be read in two ways | Put parentheses around what belongs together.
SELECT a || b & 1 FROM t

-- refused: line 1, column 8: the symbol { is not supported | Structs, maps, templates and escapes such as {fn ...} are not supported.
SELECT {'a': 1}

-- refused: line 1, column 12: the symbol { is not supported | Structs, maps, templates and escapes such as {fn ...} are not supported.
SELECT map {'a': 1}

-- refused: line 1, column 9: the symbol : is not supported | Write a parameter as ? or $name, an alias as AS name, and a slice as SUBSTRING(x, 1, 2) or LIST_SLICE(x, 1, 2).
SELECT x: a FROM t

-- refused: line 1, column 8: the symbol # is not supported | Name the column.
SELECT #1 FROM t

-- refused: line 1, column 10: the symbol <=> is not supported | Write IS NOT DISTINCT FROM.
SELECT a <=> b FROM t

-- refused: line 1, column 35: the symbol { is not supported | Structs, maps, templates and escapes such as {fn ...} are not supported.
SELECT count(*) FROM t WHERE id = {{id}}

-- refused: line 1, column 8: GLOB is not supported
SELECT region GLOB 'a*' FROM t

-- refused: line 1, column 8: COLLATE takes "C", "POSIX" and "binary" in quotes; compare LOWER(x) where case does not matter
SELECT region COLLATE nocase FROM t

-- refused: line 1, column 8: AT TIME ZONE takes a constant name such as 'Europe/Berlin'
SELECT ts AT TIME ZONE zone FROM t

-- refused: line 1, column 14: ANY, SOME and ALL stand behind a comparison, in parentheses with a query, a list or a parameter
SELECT age + ANY (SELECT 41) FROM t

-- refused: line 1, column 8: IS takes only NULL, TRUE and FALSE; put what is left of it in parentheses
SELECT age IS TRUE + 1 FROM t

-- refused: line 1, column 8: IN without parentheses is not supported | Write IN ('a', 'b').
SELECT a IN b FROM t

-- refused: line 1, column 8: // cannot be a name
SELECT // t

-- refused: line 1, column 12: ALL cannot be a name
SELECT a = ALL b FROM t

-- refused: line 1, column 8: a column is written as a name, or as names with dots between them
SELECT ALL .5

-- refused: line 1, column 13: the text cannot be read as SQL near % | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
SELECT a AS % FROM t

-- Placeholders

-- refused: line 1, column 8: the symbol : is not supported | Write a parameter as ? or $name, an alias as AS name, and a slice as SUBSTRING(x, 1, 2) or LIST_SLICE(x, 1, 2).
SELECT :x

-- refused: line 1, column 8: a $ stands here without a name behind it | Write a parameter as ? or $name.
SELECT $01

-- refused: line 1, column 8: a $ stands here without a name behind it | Write a parameter as ? or $name.
SELECT $ x

-- refused: line 1, column 9: the text cannot be read as SQL near 1 | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
SELECT ?1

-- refused: line 1, column 11: ? and $name are mixed | Use one kind of placeholder.
SELECT ?, $x

-- refused: line 1, column 11: ? and $name are mixed | Use one kind of placeholder.
SELECT ?, $1

-- refused: line 1, column 12: ? and $name are mixed | Use one kind of placeholder.
SELECT $x, ?

-- refused: line 1, column 8: an alias is a name
SELECT DATE ?

-- Clauses

-- refused: line 1, column 21: DISTINCT ON needs an ORDER BY that says which row is the first one | Write QUALIFY ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...) = 1.
SELECT DISTINCT ON (a) a FROM t

-- refused: line 1, column 8: SELECT ... INTO is not supported
SELECT a INTO b FROM t

-- refused: line 1, column 8: FOR UPDATE is not supported
SELECT a FROM t FOR UPDATE

-- refused: line 1, column 15: TABLESAMPLE is not supported | Aggregate all of the rows.
-- refused before 30.18: line 1, column 31: the text cannot be read as SQL near % | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
SELECT a FROM t TABLESAMPLE 10%

-- refused: line 1, column 8: TABLESAMPLE is not supported | Aggregate all of the rows.
SELECT a FROM t USING SAMPLE 10

-- refused: line 1, column 26: a row of several values in parentheses stands only in a comparison with rows of as many
SELECT a FROM t GROUP BY (a, b)

-- refused: line 1, column 23: LIMIT in percent is not supported
-- refused before 30.18: line 1, column 25: the text cannot be read as SQL near % | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
-- refused before 30.4: line 1, column 23: the text cannot be read as SQL near 10 | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
SELECT a FROM t LIMIT 10%

-- refused: line 1, column 23: ALL is not supported here | Leave LIMIT out.
SELECT a FROM t LIMIT ALL, 2

-- refused: line 1, column 23: ALL is not supported here | Leave LIMIT out.
SELECT a FROM t LIMIT ALL PERCENT

-- refused: line 1, column 16: ALL is not supported here | Leave LIMIT out.
SELECT t.limit all b FROM t

-- refused: line 1, column 29: WITH TIES is not supported | Write ORDER BY ... LIMIT n.
SELECT a FROM t FETCH FIRST 5 ROWS WITH TIES

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x) SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x WHERE n < 100000) SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n FROM x WHERE n < 10) SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT a AS n FROM t UNION ALL SELECT n + 1 FROM x WHERE n < 10) SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x, t WHERE n < 10) SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 1 AS n UNION SELECT 0 - n FROM x WHERE n < 10) SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + (SELECT 1) FROM x WHERE n < 10) SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT DATE '2025-01-30' AS n UNION ALL SELECT n + INTERVAL 1 HOUR FROM x WHERE n < DATE '2025-01-31') SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT * FROM x) SELECT * FROM x

-- refused: line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 'a' AS n UNION ALL SELECT n || n FROM x WHERE n < 'b') SELECT * FROM x

-- refused: line 1, column 83: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps | As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x WHERE n < 1500), y AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM y WHERE n < 1500) SELECT * FROM x

-- refused: line 1, column 30: VALUES stands only in parentheses behind FROM
VALUES (1) UNION ALL VALUES (2)

-- refused: line 1, column 48: the symbol @ is not supported | Write ABS(x), and a parameter as ? or $name.
WITH x(a) AS (VALUES (1), (2)), y AS (SELECT a @ a FROM x) SELECT * FROM y

-- refused: line 1, column 8: UNION BY NAME is not supported | Write UNION, with the columns in the same order on both sides.
SELECT 1 UNION ALL BY NAME SELECT 2

-- refused: line 1, column 1: LIMIT behind a closing parenthesis is not supported
(SELECT 1) LIMIT 1

-- refused: line 1, column 29: the symbol => is not supported
SELECT * FROM t AT (VERSION => 1)

-- FROM

-- refused: line 1, column 27: ASOF JOIN is not supported
SELECT a FROM t ASOF JOIN u ON t.a >= u.a

-- refused: line 1, column 33: POSITIONAL JOIN is not supported
SELECT a FROM t POSITIONAL JOIN u

-- refused: line 1, column 24: PIVOT needs GROUP BY, or a query in parentheses that lists the columns to group by
SELECT a FROM t PIVOT (sum(a) FOR b IN (1))

-- refused: line 1, column 15: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM
SELECT * FROM read_csv('/etc/passwd')

-- refused: line 1, column 8: GENERATE_SERIES and RANGE stand behind FROM, or in UNNEST
SELECT range(5)

-- refused: line 1, column 15: GENERATE_SERIES and RANGE take whole numbers, or dates and timestamps with an INTERVAL | Write constants, or what is computed of constants and of the present moment as in CURRENT_DATE - 30, with a step that is not 0; of the first and the last day of the rows ask in a query of its own.
SELECT * FROM range(1, 3, 0)

-- refused: line 1, column 18: GENERATE_SERIES and RANGE take whole numbers, or dates and timestamps with an INTERVAL | Write constants, or what is computed of constants and of the present moment as in CURRENT_DATE - 30, with a step that is not 0; of the first and the last day of the rows ask in a query of its own.
SELECT * FROM t, generate_series(1, age) AS g

-- refused: line 1, column 33: a query has at most 2000 constants in lists | Put long lists of values into a public table.
SELECT * FROM range(1500) AS a, generate_series(1, 501) AS b

-- refused: line 1, column 32: a table of constants has one column
SELECT * FROM range(3) AS a(b, c)

-- refused: line 1, column 15: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM
SELECT * FROM duckdb_columns()

-- refused: line 1, column 15: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM
SELECT * FROM query('SELECT 1')

-- refused: line 1, column 22: UNNEST takes one list of constants here, as in UNNEST([1, 2]) or UNNEST(GENERATE_SERIES(1, 9))
SELECT * FROM unnest(a)

-- refused: line 1, column 26: UNNEST takes one list of constants here, as in UNNEST([1, 2]) or UNNEST(GENERATE_SERIES(1, 9))
SELECT * FROM t, unnest([age]) AS u(x)

-- refused: DuckDB's parser does not take this text for a SELECT statement | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
SELECT * FROM table t

-- Columns and values

-- refused: line 1, column 8: COLUMNS is not supported
SELECT COLUMNS(*) FROM t

-- refused: line 1, column 12: COLUMNS is not supported
SELECT max(COLUMNS('.*')) FROM t

-- refused: line 1, column 8: a struct is not supported
SELECT struct_pack(*COLUMNS(*)) FROM t

-- refused: line 1, column 12: * stands only in COUNT(*) and as a column of SELECT
SELECT sum(*) FROM t

-- refused: line 1, column 16: * stands only in COUNT(*) and as a column of SELECT
SELECT count(t.* EXCLUDE (a)) FROM t

-- refused: line 1, column 16: COUNT(t.*) counts the rows of a table t that stands in FROM beside it
SELECT count(u.*) FROM t

-- refused: line 1, column 16: an outer join may add rows to those that COUNT(t.*) counts; COUNT a column of t that is never NULL
SELECT count(u.*) FROM t LEFT JOIN u ON t.a = u.a

-- refused: line 1, column 16: an outer join may add rows to those that COUNT(t.*) counts; COUNT a column of t that is never NULL
SELECT count(t.*) FROM t RIGHT JOIN u ON t.a = u.a

-- refused: line 1, column 8: a row of several values in parentheses stands only in a comparison with rows of as many
SELECT (a, b) FROM t

-- refused: line 1, column 8: a call or field behind a dot is not supported
SELECT a.b.c.d.e FROM t

-- refused: line 1, column 8: a call or field behind a dot is not supported
SELECT region.length().max() FROM t

-- refused: line 1, column 8: a call or field behind a dot is not supported
SELECT main.count(*) FROM t

-- refused: line 1, column 8: this type is not supported; use a number, text, BOOLEAN, DATE or TIMESTAMP type
SELECT CAST(a AS JSON) FROM t

-- refused: line 1, column 18: this type is not supported; use a number, text, BOOLEAN, DATE or TIMESTAMP type
SELECT a::STRUCT(x INT) FROM t

-- refused: line 1, column 8: this type is not supported; use a number, text, BOOLEAN, DATE or TIMESTAMP type
SELECT a::UUID FROM t

-- refused: line 1, column 8: this type is not supported; use a number, text, BOOLEAN, DATE or TIMESTAMP type
SELECT NULL::region_enum

-- refused: line 1, column 8: this type is not supported; use a number, text, BOOLEAN, DATE or TIMESTAMP type
SELECT a::INT[] FROM t

-- refused: line 1, column 8: an interval cannot be read the way it is written | Write INTERVAL 1 DAY, or INTERVAL '1 day 2 hours' with a unit behind each number.
SELECT INTERVAL '1 day ago'

-- refused: line 1, column 8: INTERVAL ... TO ... is not supported
SELECT INTERVAL '1-2' YEAR TO MONTH

-- refused: line 1, column 8: FORTNIGHT is not a unit of INTERVAL; those are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND
SELECT INTERVAL 1 FORTNIGHT

-- refused: line 1, column 8: INTERVAL takes a literal, or an expression in parentheses
SELECT INTERVAL a / 2 DAY FROM t

-- Functions

-- refused: line 1, column 8: this form of DECODE is not supported | Write CASE x WHEN a THEN b ELSE c END.
SELECT decode(region, 'a') FROM t

-- refused: line 1, column 8: a count of values in MIN and MAX is not supported
SELECT max_by(region, amount, 3) FROM t

-- refused: line 1, column 8: a count of values in MIN and MAX is not supported
SELECT min(age, 3) FROM t

-- refused: line 1, column 8: RANDOM is not supported | Rows are not drawn by chance here: aggregate all of them.
SELECT random()

-- refused: line 1, column 8: UNNEST takes one list of constants here, as in UNNEST([1, 2]) or UNNEST(GENERATE_SERIES(1, 9))
SELECT unnest(age) FROM t

-- refused: line 1, column 8: UNNEST stands behind FROM, or once in a SELECT without FROM
SELECT unnest([1, 2]), age FROM t

-- refused: line 1, column 8: this form of LOCATE is not supported | Write STRPOS(text, part).
SELECT locate('a', region, 2) FROM t

-- refused: line 1, column 8: COUNT of several columns is not supported | Count one column; COUNT(DISTINCT (a, b)) counts different pairs.
SELECT count(a, b) FROM t

-- refused: line 1, column 21: DISTINCT of several values stands in parentheses, as in COUNT(DISTINCT (a, b))
SELECT sum(DISTINCT a, b) FROM t

-- refused: line 1, column 16: the call that ends here has too many arguments
SELECT sum(a, b) FROM t

-- refused: line 1, column 16: the call that ends here has too many arguments
SELECT abs(a, b) FROM t

-- refused: line 1, column 8: this form of ROUND is not supported
SELECT round(a, 1, 2, 3) FROM t

-- refused: line 1, column 16: an argument is missing before this parenthesis
SELECT nullif(a) FROM t

-- refused: line 1, column 8: IF takes three arguments
SELECT if(a, 1) FROM t

-- refused: line 1, column 21: the call that ends here has too many arguments
SELECT if(a, 1, 2, 3) FROM t

-- refused: line 1, column 8: this form of DATE_TRUNC is not supported | Write DATE_TRUNC('month', x). The unit is a constant: year, quarter, month, week (from Monday), day, hour, minute or second.
SELECT date_trunc(u, d) FROM t

-- refused: line 1, column 8: this form of DATE_TRUNC is not supported | Write DATE_TRUNC('month', x). The unit is a constant: year, quarter, month, week (from Monday), day, hour, minute or second.
SELECT date_trunc('fortnight', d) FROM t

-- refused: line 1, column 8: this form of DATE_DIFF is not supported | Write DATE_DIFF('day', a, b). The unit is a constant: year, quarter, month, week (seven days), day, hour, minute or second.
SELECT date_diff(u, d, f) FROM t

-- refused: line 1, column 8: EXTRACT takes a part of a date: YEAR, QUARTER, MONTH, WEEK, DAY, DOW (0 for Sunday), ISODOW, DOY, HOUR, MINUTE, SECOND or EPOCH
SELECT EXTRACT(fortnight FROM d) FROM t

-- refused: line 1, column 8: the format of STRFTIME must be a plain string literal
SELECT strftime(d, f) FROM t

-- refused: line 1, column 12: ORDER BY inside a function is not supported
SELECT max(a ORDER BY b) FROM t

-- refused: line 1, column 8: WITHIN GROUP takes one ORDER BY of one expression
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a, b) FROM t

-- refused: line 1, column 8: WITHIN GROUP stands only behind PERCENTILE_CONT(q), PERCENTILE_DISC(q) and MODE()
SELECT sum(a) WITHIN GROUP (ORDER BY a) FROM t

-- refused: line 1, column 8: PERCENTILE_DISC needs WITHIN GROUP (ORDER BY ...)
SELECT percentile_disc(a, 0.5) FROM t

-- refused: line 1, column 8: DESC in WITHIN GROUP needs a fraction that is written as a number
SELECT percentile_cont(?) WITHIN GROUP (ORDER BY a DESC) FROM t

-- refused: line 1, column 8: FILTER stands only behind an aggregate
SELECT abs(a) FILTER (WHERE b) FROM t

-- refused: line 1, column 8: ROW_NUMBER needs OVER (...)
SELECT row_number() FROM t

-- refused: line 1, column 8: IGNORE NULLS stands only in a window function
SELECT lag(a IGNORE NULLS) FROM t

-- refused: line 1, column 31: lambdas are not supported; behind an arrow stands the name of a field in quotes
SELECT list_transform(a, x -> x + 1) FROM t

-- refused: line 1, column 12: the symbol := is not supported
SELECT f(a := 1) FROM t

-- refused: DuckDB's parser does not take this text for a SELECT statement | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
SELECT count(*) OVER w FROM t

-- Syntax errors

-- refused: line 1, column 12: the text cannot be read as SQL near c | Is a comma missing before c? A name with a space is written in quotes: "b c".
SELECT a b c

-- refused: line 1, column 10: the text cannot be read as SQL near FROM | The text ends after FROM, where something has to follow.
SELECT a FROM

-- refused: line 1, column 9: the text cannot be read as SQL near 1 | The parenthesis at line 1, column 8 is never closed.
SELECT (1

-- refused: line 1, column 9: the text cannot be read as SQL near ) | The parenthesis at line 1, column 9 closes none.
SELECT 1)

-- refused: line 1, column 13: the text cannot be read as SQL near select | The text ends after SELECT, where something has to follow.
SELECT 1 AS select

-- refused: line 1, column 25: the text cannot be read as SQL near 2 | CASE is closed by END.
SELECT CASE WHEN 1 THEN 2

-- refused: line 1, column 17: the text cannot be read as SQL near WHERE | The text ends after WHERE, where something has to follow.
SELECT a FROM t WHERE

-- refused: DuckDB's parser does not take this text for a SELECT statement | The text ends after GROUP BY, where something has to follow.
SELECT a FROM t GROUP BY

-- refused: line 1, column 11: the text cannot be read as SQL near SELECT | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
WITH x AS SELECT 1 SELECT 2

-- refused: line 1, column 8: this form of CURRENT_DATE is not supported | Write CURRENT_DATE or NOW().
SELECT current_date(a) FROM t

-- refused: line 1, column 8: this form of TODAY is not supported
SELECT today('x')

-- refused: line 1, column 8: this form of IIF is not supported | Write IF(condition, x, y).
SELECT iif(a, b) FROM t

-- refused: line 1, column 8: LIKE is not supported
SELECT like(a, b) FROM t

-- refused: line 1, column 8: DATE_TO_DATE_STR is not supported
SELECT date_to_date_str(a) FROM t

-- refused: line 1, column 8: LPAD and RPAD take three arguments
SELECT lpad(a, 3) FROM t

-- refused: line 1, column 23: DISTINCT stands only in an aggregate and behind SELECT
SELECT lower(DISTINCT a) FROM t

-- refused: line 1, column 8: OVER stands only behind an aggregate or a window function
SELECT lower(a) OVER (ORDER BY b) FROM t

-- refused: line 1, column 25: BETWEEN cannot be read the way it is written | Write x BETWEEN a AND b.
SELECT a FROM t WHERE a BETWEEN colour 'x' AND 'y'

-- refused: line 1, column 12: INTERVAL needs a unit, as in INTERVAL 1 DAY
SELECT 3 * INTERVAL '1' AS day

-- Words that are ASCII in another case, to Python and not to DuckDB

-- refused: line 1, column 8: the word ſum is another one in upper case | Put a name in "double quotes".
SELECT ſum(a) FROM t

-- refused: line 1, column 8: the word ıfnull is another one in upper case | Put a name in "double quotes".
SELECT ıfnull(a, 0) FROM t

-- refused: line 1, column 23: the word yearſ is another one in upper case | Put a name in "double quotes".
SELECT INTERVAL 1 yearſ

-- refused: line 1, column 20: the word CROß is another one in upper case | Put a name in "double quotes".
SELECT * FROM t CROß JOIN u

-- refused: line 1, column 8: the character 'K' is not allowed in a name
SELECT Key FROM t

-- refused: line 1, column 9: the character 'K' is not allowed in a name
SELECT "Key" FROM t

-- refused: line 1, column 9: the character 'İ' is not allowed in a name
SELECT "İ" FROM t
-- refused: line 1, column 15: VALUES is not a name here | Write VALUES (...), or "values" for a name.
SELECT a FROM VALUES rows

-- refused: line 1, column 33: WITH ROLLUP is not supported | Write GROUP BY ROLLUP (a, b).
SELECT count(*) FROM t GROUP BY 1 WITH ROLLUP

-- What other databases write, with what to write instead

-- refused: line 1, column 25: RLIKE is not supported | Write REGEXP_MATCHES(x, 'pattern').
SELECT a FROM t WHERE b RLIKE '^n'

-- refused: line 1, column 29: REGEXP is not supported | Write REGEXP_MATCHES(x, 'pattern').
SELECT a FROM t WHERE b NOT REGEXP '^n'

-- refused: line 1, column 10: DIV is not supported | Write CAST(TRUNC(a / b) AS BIGINT).
SELECT a DIV 3 FROM t

-- refused: line 1, column 15: a name in brackets is not supported | Write names in double quotes, as in "region".
SELECT a FROM ["t"]

-- refused: line 1, column 17: WITH (NOLOCK) is not supported | Leave it out.
SELECT a FROM t WITH (NOLOCK, NOWAIT) WHERE b = 1

-- refused: line 1, column 17: LIMIT with two numbers is not supported | Write LIMIT 10 OFFSET 20 for LIMIT 20, 10.
SELECT a FROM t LIMIT 20, $n

-- refused: line 1, column 30: LIKE takes one pattern here; write x LIKE 'a%' OR x LIKE 'b%'
SELECT a FROM t WHERE b LIKE ANY (SELECT c FROM u)

-- refused: line 1, column 34: databases disagree about NOT LIKE ANY; write NOT (x LIKE ANY ('a%', 'b%'))
SELECT a FROM t WHERE b NOT LIKE ANY ('n%', 's%')

-- refused: line 1, column 30: LIKE takes one pattern here; write x LIKE 'a%' OR x LIKE 'b%'
SELECT a FROM t WHERE b LIKE ANY ('n!%', 's%') ESCAPE '!'

-- refused: line 1, column 17: MINUS is not supported | Write EXCEPT.
SELECT a FROM t MINUS SELECT a FROM u

-- refused: line 1, column 52: ORDER BY 2 is not a position of the SELECT list | Its one position is 1.
SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY 2

-- refused: line 1, column 29: ORDER BY 0 is not a position of the SELECT list | Its positions are 1 to 2.
SELECT a, b FROM t ORDER BY 0

-- refused: line 1, column 8: a list of names behind an expression is not supported | Write an alias as AS name, and quantiles as QUANTILE(x, 0.5), QUANTILE(x, 0.9).
SELECT quantiles(0.5, 0.9)(a) FROM t

-- refused: line 1, column 8: operators stand here in an order that can be read in two ways | Put parentheses around what belongs together.
SELECT a > b <> SOME (SELECT 1) FROM t

-- refused: line 1, column 8: TRIM takes texts; CAST(x AS VARCHAR) is one
SELECT trim(both DATE 'a' from x) FROM t

-- refused: line 1, column 37: APPLY is not supported | Write CROSS JOIN LATERAL (...), and LEFT JOIN LATERAL (...) ON TRUE for OUTER APPLY.
SELECT b FROM t CROSS APPLY (SELECT a AS b) AS v

-- refused: DuckDB's parser does not take this text for a SELECT statement | Write CROSS JOIN LATERAL (...), and LEFT JOIN LATERAL (...) ON TRUE for OUTER APPLY.
SELECT b FROM t OUTER APPLY (SELECT a AS b) AS v

-- refused: DuckDB's parser does not take this text for a SELECT statement | ORDER is a key word of SQL: as the name of a table it is written "order".
SELECT a FROM order

-- refused: line 1, column 25: the symbol && is not supported | Write AND.
SELECT a FROM t WHERE b && c
