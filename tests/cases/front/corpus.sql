-- What is sent through the front as it is, cut up, and put together otherwise; what comes of it is checked elsewhere.

SELECT count(*) FROM t

SELECT region, count(*), sum(amount), avg(amount) FROM t GROUP BY region ORDER BY 2 DESC

SELECT region, count(*) AS n FROM t WHERE age BETWEEN 20 AND 30 AND region IN ('north', 'south') GROUP BY 1 HAVING n > 3

SELECT date_trunc('month', day) AS m, sum(quantity) FROM t WHERE day >= DATE '2025-02-01' GROUP BY m ORDER BY m

SELECT CASE WHEN age < 30 THEN 'young' WHEN age < 60 THEN 'mid' ELSE 'old' END AS band, count(*) FROM t GROUP BY band

SELECT age // 10 * 10 AS decade, count(*), avg(price) FROM t GROUP BY ALL ORDER BY ALL

SELECT count(DISTINCT user_id), count(DISTINCT region), count(amount), count_if(flag) FROM t

SELECT stddev(amount), var_pop(amount), avg(amount), sum(amount), count(*) FROM t WHERE NOT flag

SELECT sum(amount) FILTER (WHERE region = 'north') AS a, sum(amount) FILTER (WHERE region <> 'north') AS b FROM t

SELECT country, count(*) FROM t JOIN regions USING (region) GROUP BY country

SELECT r.country, count(t.user_id), sum(t.quantity) FROM regions r LEFT JOIN t ON r.region = t.region GROUP BY r.country

SELECT tag, count(*) FROM t, tags WHERE t.region = tags.region AND score > 1 GROUP BY tag

SELECT product, count(*) FROM t GROUP BY product

SELECT region FROM t GROUP BY region ORDER BY count(*) DESC LIMIT 1

SELECT DISTINCT region, level FROM t

WITH a AS (SELECT region, amount * 2 AS x FROM t WHERE age > 20) SELECT region, avg(x) FROM a GROUP BY region

WITH a AS (SELECT region, count(*) AS n FROM t GROUP BY region), b AS (SELECT max(n) AS m FROM a) SELECT region, n * 100.0 / m FROM a, b

SELECT * FROM (SELECT region, count(*) AS c FROM t GROUP BY region) AS v WHERE c > 1 ORDER BY c DESC LIMIT 10 OFFSET 1

SELECT region, rank() OVER (ORDER BY count(*) DESC), sum(count(*)) OVER (ROWS UNBOUNDED PRECEDING) FROM t GROUP BY region

SELECT (SELECT count(*) FROM t WHERE age > 30) / (SELECT count(*) FROM t) AS share

SELECT count(*) FROM t UNION ALL SELECT count(*) FROM t WHERE flag

SELECT country, lpad(country, 5, ' '), replace(country, 'N', 'NN'), length(concat(country, region)) FROM regions

SELECT n, sum(n) OVER (ORDER BY n) FROM nums WHERE n IN (SELECT n FROM nums) AND EXISTS (SELECT 1 FROM t HAVING count(*) > 1)

SELECT count(*) FROM t WHERE age = ? AND region = ?

SELECT $x, count(*) FROM t WHERE day > $y GROUP BY 1

SELECT count(*) FROM t WHERE amount / (age - 41) > 2 AND sqrt(age - 50) < ln(price)

SELECT count(*) FROM t WHERE TRY_CAST(city AS INTEGER) > 3 OR CAST(age AS VARCHAR) LIKE '4%'

SELECT sum(LEAST(GREATEST(free, 0), 10)), avg(CASE WHEN flag THEN price END) FROM t

SELECT extract(year FROM moment), hour(moment), count(*) FROM t GROUP BY 1, 2

SELECT date_diff('day', day, DATE '2025-06-30') // 30 AS ago, count(*) FROM t GROUP BY ago

SELECT count(*) FROM t WHERE day + INTERVAL 1 MONTH > DATE '2025-03-01' - INTERVAL '2 days'

SELECT coalesce(region, 'none'), nullif(level, 2), if(flag, 1, 0), count(*) FROM t GROUP BY 1, 2, 3

SELECT trim(BOTH FROM city), substring(city FROM 1 FOR 2), position('a' IN city), count(*) FROM t GROUP BY ALL

SELECT upper(left(region, 1)) || lower(right(region, 2)) AS short, count(*) FROM t GROUP BY short

SELECT count(*) FROM t WHERE region IS NOT DISTINCT FROM NULL OR region NOT LIKE 'n_r%' ESCAPE '!'

SELECT 1, 'a', NULL, TRUE, DATE '2025-01-01', INTERVAL 1 DAY, 1.5, 1e3

SELECT * FROM regions LIMIT 0

SELECT region, amount FROM t LIMIT 0

EXPLAIN SELECT region, avg(amount) FROM t GROUP BY region

SELECT max(age), min(amount), median(price) FROM t

SELECT * FROM t

FROM t

SELECT t.*, r.* FROM t JOIN regions r ON true

SELECT count(*) FROM t a, t b

SELECT count(*) FROM (SELECT * FROM t LIMIT 10)

SELECT region, amount, row_number() OVER (PARTITION BY user_id ORDER BY amount) FROM t

SELECT DISTINCT ON (region) region, amount FROM t ORDER BY region, amount

SELECT list(amount), string_agg(region, ','), first(age), histogram(region) FROM t

SELECT * EXCLUDE (secret) REPLACE (age + 1 AS age) FROM t

SELECT COLUMNS('a.*') FROM t

PIVOT t ON region USING count(*)

SELECT count(*) FROM t TABLESAMPLE 10% REPEATABLE (1)

SELECT * FROM t ASOF JOIN tags ON t.region = tags.region AND t.age >= tags.score

SELECT * FROM regions POSITIONAL JOIN t

SELECT count(*) FROM t GROUP BY GROUPING SETS ((region), (level), ())

WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x) SELECT count(*) FROM x

SELECT count(*) FROM t, LATERAL (SELECT * FROM regions WHERE regions.region = t.region) r

SELECT count(*) FROM t WHERE amount > (SELECT avg(amount) FROM t)

SELECT region FROM t WHERE user_id IN (SELECT user_id FROM t WHERE age > 30)

SELECT list_transform([1, 2], x -> x + 1), {'a': 1}, map {1: 2}, [1, 2][1] FROM t

SELECT 'a' COLLATE NOCASE, moment AT TIME ZONE 'UTC', age::DECIMAL(10, 2), @age FROM t

SELECT max(b := 1), struct_pack(a := age) FROM t

SELECT * FROM duckdb_tables(), information_schema.columns, pg_catalog.pg_class, sqlite_master

SELECT current_setting('memory_limit'), version(), getenv('HOME'), rowid, secret FROM t

SELECT repeat('x', 1000000000), range(1000000000), generate_series(1, 1000000000)

SELECT $$a$$, $tag$b$tag$, e'\n', x'00', U&'\0061'

SELECT count(*) /* a /* b */ */ FROM t -- c
WHERE "AGE" > 3;

SELECT 1; SELECT 2

DELETE FROM t RETURNING *

COPY t TO '/tmp/x'

SET memory_limit = '100GB'

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5, delta = 1e-9, max_rows_contributed = 3) region, count(*) FROM t GROUP BY region

WITH c AS (SELECT * FROM t) SELECT WITH DIFFERENTIAL_PRIVACY count(*) FROM c -- OPTIONS(epsilon = 2)

SELECT c.table_name, h.question FROM information_schema.columns AS c, dpsql.history AS h, "dpsql".budget WHERE c.ordinal_position < 3

SHOW TABLES

DESCRIBE t

PRAGMA table_info('t')

SELECT version(), current_schema() AS s, session_user

SELECT region, avg(amount) AS a, dp_interval_low(a), dp_interval_high(sum(amount) / count(*)) FROM t GROUP BY region
SELECT c.oid::regclass::text, n.nspname = ANY(current_schemas(true)), pg_catalog.format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relname OPERATOR(pg_catalog.~) '^(t)$' COLLATE pg_catalog.default AND c.relkind = ANY('{r,v}')
SELECT (keys.k).n, keys.i[0] FROM (SELECT information_schema._pg_expandarray(i.indkey) AS k, i.indkey AS i FROM pg_index i) keys, generate_series(1, 3) s(r), unnest(current_schemas(false)) WITH ORDINALITY u(a, b)
SELECT format('%I.%s', schema_name, table_name), has_table_privilege(table_name, 'select'), 't'::regclass::oid FROM duckdb_tables() WHERE comment NOT LIKE 'a\_%'
