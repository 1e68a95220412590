SELECT COUNT(*) FROM orders WHERE date_part('hour', created_at) BETWEEN 9 AND 17 AND dayofweek(created_at) NOT IN (0, 6)

SELECT concat(region, '-', status) AS k, count(*) FROM orders GROUP BY k ORDER BY k

SELECT COUNT(DISTINCT CASE WHEN "main"."orders"."status" = 'paid' THEN "main"."orders"."user_id" END) AS "distinct_where" FROM "main"."orders"

SELECT DATE_TRUNC('YEAR', CAST("orders"."order_date" AS TIMESTAMP)) AS "yr", COUNT(DISTINCT "orders"."user_id") AS "n" FROM "orders" GROUP BY 1 HAVING (COUNT(DISTINCT "orders"."user_id") > 10)

SELECT GROUPING(region) AS g, region, sum(amount) FROM orders GROUP BY ROLLUP (region) ORDER BY g, region

SELECT AVG(n) FROM (SELECT user_id, region, COUNT(*) AS n FROM orders GROUP BY user_id, region) x WHERE n BETWEEN 1 AND 5

SELECT DATE_TRUNC('MONTH', order_date) AS order_date, region AS region, sum(amount) AS "SUM(amount)" FROM main.orders JOIN (SELECT region AS region__, sum(amount) AS mme_inner__ FROM main.orders WHERE order_date >= '2024-01-01' AND order_date < '2025-12-31' GROUP BY region ORDER BY mme_inner__ DESC LIMIT 2) AS series_limit ON region = region__ WHERE order_date >= '2024-01-01' AND order_date < '2025-12-31' GROUP BY DATE_TRUNC('MONTH', order_date), region ORDER BY "SUM(amount)" DESC LIMIT 10000

SELECT "t0"."region" AS "region", "t0"."X" / "t1"."Y" AS "share" FROM (SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "X" FROM "orders" GROUP BY 1) "t0" CROSS JOIN (SELECT SUM("orders"."amount") AS "Y" FROM "orders") "t1"

SELECT strftime('%Y-%m', m) AS ym, n FROM (SELECT date_trunc('month', order_date) AS m, count(*) AS n FROM orders GROUP BY 1)

SELECT TRIM(UPPER(status)) AS s, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1

SELECT COUNT(*) FROM orders WHERE DATE_TRUNC('week', created_at) >= DATE_TRUNC('week', TIMESTAMP '2025-03-01 00:00:00')

SELECT AVG("main"."orders"."amount") AS "avg", STDDEV_SAMP("main"."orders"."amount") AS "stddev", VAR_POP(amount) AS v FROM "main"."orders"

SELECT product_name, count(*) AS n FROM orders GROUP BY product_name ORDER BY n DESC LIMIT 10

SELECT COUNT(DISTINCT "main"."orders"."user_id") AS "count" FROM "main"."orders" WHERE "main"."orders"."status" = 'paid'

SELECT monthname(order_date) AS d, count(*) AS n FROM orders GROUP BY 1 ORDER BY n DESC

SELECT epoch(date_trunc('day', created_at)) AS t, count(*) FROM orders WHERE created_at >= '2025-12-20' GROUP BY 1 ORDER BY 1

SELECT CAST(DATE_TRUNC('MONTH', CAST("orders"."order_date" AS DATE)) AS DATE) AS "tmn:order_date:ok", SUM("orders"."amount") AS "sum:amount:ok" FROM "orders" GROUP BY 1

SELECT datediff('day', order_date, DATE '2026-01-01') // 90 AS age_bucket, count(*) FROM orders GROUP BY 1 ORDER BY 1

SELECT COUNT(*) FROM orders WHERE contains(lower(region), 'or') AND starts_with(status, 'p')

SELECT quantity::VARCHAR || ' items' AS q, COUNT(*) FROM orders GROUP BY 1

SELECT COUNT(*) FROM (SELECT user_id FROM orders GROUP BY user_id HAVING COUNT(*) >= 12) t

SELECT (((CAST(EXTRACT(YEAR FROM "orders"."order_date") AS INTEGER) * 100) + CAST(EXTRACT(MONTH FROM "orders"."order_date") AS INTEGER))) AS "my:order_date:ok", SUM("orders"."amount") AS "s" FROM "orders" GROUP BY 1

SELECT AVG(n), SUM(n), STDDEV(n), COUNT(n), AVG(n * 2 + 1) FROM (SELECT user_id, COUNT(*) AS n FROM orders GROUP BY user_id) t

SELECT segment FROM (SELECT c.segment, c.user_id, SUM(o.quantity) AS total FROM customers c JOIN orders o ON o.user_id = c.user_id GROUP BY c.segment, c.user_id) x GROUP BY segment ORDER BY SUM(total) DESC LIMIT 1

SELECT date_part('year', order_date) AS y, date_part('quarter', order_date) AS q, count(*) FROM orders GROUP BY 1,2 ORDER BY 1,2

SELECT CAST(FLOOR("orders"."amount" / 10) AS BIGINT) AS "amount (bin)", COUNT(1) AS "n" FROM "main"."orders" "orders" GROUP BY 1

SELECT strftime(order_date, '%Y-%m-%d') AS d, sum(amount) AS revenue FROM orders WHERE order_date >= '2025-11-01' GROUP BY 1 ORDER BY 1

SELECT n AS orders_per_customer, COUNT(*) AS customers FROM (SELECT user_id, LEAST(COUNT(*), 20) AS n FROM orders GROUP BY user_id) t GROUP BY n ORDER BY n

SELECT COUNT(*) FROM orders WHERE quantity >= 2.0 AND quantity <= 7.9

SELECT CASE WHEN quantity BETWEEN 1 AND 3 THEN '1-3' WHEN quantity BETWEEN 4 AND 6 THEN '4-6' ELSE '7+' END AS bucket, COUNT(*) AS n FROM orders GROUP BY bucket ORDER BY CASE bucket WHEN '1-3' THEN 1 WHEN '4-6' THEN 2 ELSE 3 END

SELECT COUNT(*) AS "count", SUM(amount) AS "sum", NULL AS "pivot-grouping" FROM orders

SELECT status, count(*) as cnt FROM orders GROUP BY status ORDER BY cnt DESC;

SELECT COUNT(*) FROM customers WHERE user_id NOT IN (SELECT user_id FROM orders WHERE status = 'returned')

SELECT LEFT(region, 1) AS l, COUNT(*) FROM orders GROUP BY l

SELECT "orders"."region" AS "region", "orders"."status" AS "status", SUM("orders"."amount") AS "s" FROM "orders" INNER JOIN (SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "X__alias__0" FROM "orders" GROUP BY 1 ORDER BY 2 DESC LIMIT 2) "t0" ON ("orders"."region" = "t0"."region") GROUP BY 1, 2

SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE is_paid) AS paid, COUNT_IF(NOT is_paid) AS unpaid FROM orders

SELECT COUNT(*) FROM customers c LEFT JOIN orders o ON o.user_id = c.user_id AND o.order_date >= '2025-12-01' WHERE o.user_id IS NULL

SELECT date_trunc('quarter', order_date) AS q, region, SUM(amount) FROM orders GROUP BY q, region ORDER BY q DESC, 3 DESC LIMIT 20

SELECT DATE_TRUNC('QUARTER', CAST("orders"."created_at" AS TIMESTAMP)) AS "tqr:created_at:ok", SUM("orders"."amount") AS "sum:amount:ok" FROM "orders" WHERE (("orders"."created_at" >= (TIMESTAMP '2024-03-01 00:00:00.000')) AND ("orders"."created_at" <= (TIMESTAMP '2025-03-01 00:00:00.000'))) GROUP BY 1

SELECT SUBSTRING(region FROM 1 FOR 2) AS l, COUNT(*) FROM orders GROUP BY 1

SELECT region, COUNT(*) FROM orders GROUP BY (region)

SELECT region, AVG(amount) AS a, STDDEV(amount) AS sd, VARIANCE(amount) AS v FROM orders GROUP BY region

select count(*) from orders -- Metabase:: userID: 1 queryType: MBQL queryHash: 1234

SELECT AVG(total), CORR(total, n) FROM (SELECT user_id, SUM(amount) AS total, COUNT(*) AS n FROM orders GROUP BY user_id) x WHERE n > 3

SELECT COUNT(*) FROM orders WHERE order_date = DATE '2025-03-01' OR order_date IN (DATE '2025-03-02', '2025-03-03')

SELECT COUNT(*) - COUNT(country) AS nulls, COUNT(*) FILTER (country IS NULL) AS nulls2 FROM orders

SELECT (CAST(DATE_TRUNC('week', ("main"."orders"."created_at" + INTERVAL '1 day')) AS TIMESTAMP) + INTERVAL '-1 day') AS "created_at", SUM("main"."orders"."amount") AS "sum" FROM "main"."orders" GROUP BY (CAST(DATE_TRUNC('week', ("main"."orders"."created_at" + INTERVAL '1 day')) AS TIMESTAMP) + INTERVAL '-1 day') ORDER BY (CAST(DATE_TRUNC('week', ("main"."orders"."created_at" + INTERVAL '1 day')) AS TIMESTAMP) + INTERVAL '-1 day') ASC

SELECT created_at::date AS "day", COUNT(*) AS n FROM orders WHERE created_at BETWEEN '2025-06-01' AND '2025-06-30' GROUP BY 1 ORDER BY 1

SELECT last_day(order_date) AS m, count(*) FROM orders GROUP BY 1 ORDER BY 1

SELECT COUNT(*) FROM orders WHERE is_paid = TRUE AND is_paid IS NOT FALSE

SELECT SUM("main"."orders"."amount") AS "sum", "Products"."brand" AS "Products__brand" FROM "main"."orders" LEFT JOIN "main"."products" AS "Products" ON "main"."orders"."product_id" = "Products"."product_id" GROUP BY "Products"."brand" ORDER BY "Products"."brand" ASC

SELECT SUM((CASE WHEN "orders"."quantity" = 0 THEN NULL ELSE "orders"."amount" / "orders"."quantity" END)) AS "x" FROM "orders"

SELECT TRUNC(amount / 10) AS b, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1

SELECT DATE_TRUNC('month', orders.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles') AS m, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1

SELECT COUNT(*) AS "count" FROM "orders" WHERE "orders"."created_at" >= timestamp with time zone '2024-02-01 00:00:00.000+02:00' AND "orders"."created_at" < timestamp with time zone '2024-03-01 00:00:00.000Z'

SELECT extract(hour FROM timezone('Asia/Kolkata', timezone('UTC', created_at))) AS h, AVG(amount) FROM orders WHERE (created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata')::DATE BETWEEN '2024-03-01' AND '2024-03-31' GROUP BY h

SELECT COUNT(*) FROM orders WHERE created_at AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC' < '2024-04-01' AND created_at < (NOW() AT TIME ZONE 'America/New_York') - INTERVAL '1 day'

SELECT regexp_replace(region, '[aeiou]', '', 'g') AS r, regexp_extract(status, '^(.)', 1) AS initial, count(*) FROM orders GROUP BY 1, 2 ORDER BY 1, 2

SELECT concat_ws(' / ', region, status, country) AS k, lpad(CAST(extract(month FROM order_date) AS VARCHAR), 2, '0') AS mm, count(*) FROM orders WHERE regexp_extract(product_name, '[0-9]+') = '3' GROUP BY 1, 2

SELECT concat(extract(year FROM order_date), '-Q', extract(quarter FROM order_date)) AS yq, sum(amount) FROM orders GROUP BY 1 ORDER BY 1

SELECT regexp_replace(r, 'o(r)', '\1\1') AS a, regexp_extract(r, 'o.') AS b, n FROM (SELECT region AS r, COUNT(*) AS n FROM orders GROUP BY 1) ORDER BY 1

SELECT mode() WITHIN GROUP (ORDER BY quantity), mode() WITHIN GROUP (ORDER BY region) FILTER (WHERE region = 'east') FROM orders WHERE quantity = 4

select sum(cast("rows"."amount" as decimal(19, 4))) as "a0", max("rows"."q"::numeric(9, 0)) as "a1" from (select "amount", 4 as "q" from "orders" "$Table") "rows"

SELECT CAST(amount / 10 AS DECIMAL(5, 0)) AS k, COUNT(*), SUM(CASE WHEN is_paid THEN amount ELSE 0 END::numeric(12, 2)) FROM orders WHERE CAST(amount AS DECIMAL(10, 2)) BETWEEN 10.25 AND 80.50 GROUP BY 1 ORDER BY 1

SELECT p.brand, COUNT(DISTINCT o.user_id), COUNT(DISTINCT CASE WHEN o.is_paid THEN o.user_id END), AVG(CASE WHEN o.is_paid THEN o.amount END) FROM products p LEFT JOIN orders o USING (product_id) GROUP BY 1 ORDER BY 1

WITH dates AS (SELECT UNNEST(range(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY)) AS day) SELECT d.day, COUNT(DISTINCT o.user_id) AS dau, COUNT(o.order_id) AS n FROM dates d LEFT JOIN orders o ON o.order_date = d.day GROUP BY 1 ORDER BY 1

SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "sum:amount:ok" FROM "orders" INNER JOIN (SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "$__alias__0" FROM "orders" GROUP BY 1 ORDER BY 2 DESC LIMIT 2) "t0" ON ("orders"."region" = "t0"."region") GROUP BY 1

SELECT time_bucket('1 day', created_at) AS "time", avg(amount) AS "avg" FROM orders WHERE created_at < '2024-02-01' GROUP BY 1 ORDER BY 1

SELECT COUNT(*) FROM orders WHERE UPPER(region) LIKE UPPER('%o%')

SELECT COUNT(*) FROM orders WHERE LOWER(region) LIKE LOWER(CONCAT('%', 'Or', '%')) OR region LIKE ('%' || 'as' || '%')

SELECT REPLACE(region, lower('N'), upper('x')) AS r, COUNT(*) FROM orders WHERE status NOT LIKE lower('RET%') AND region ILIKE replace('no*', '*', '%') GROUP BY 1

SELECT ROUND(amount, 1 - 2) AS b, COUNT(*) FROM orders GROUP BY 1

SELECT COUNT(*) FROM orders WHERE regexp_matches(region, '^' || 'n') AND split_part(product_name, lower('K'), 1 + 1) = 'u3'

SELECT "orders"."region" AS "region", AVG("t0"."__measure__0") AS "avg:x:ok" FROM "orders" INNER JOIN (SELECT "orders"."user_id" AS "user_id", COUNT(1) AS "__measure__0" FROM "orders" GROUP BY 1) "t0" ON ("orders"."user_id" IS NOT DISTINCT FROM "t0"."user_id") GROUP BY 1

SELECT o.region, AVG(c.age) FROM orders o LEFT JOIN customers c ON o.user_id = c.user_id OR (o.user_id IS NULL AND c.user_id IS NULL) GROUP BY 1

SELECT o.region, AVG(c.age) FROM orders o INNER JOIN customers c ON ((c.user_id IS NULL AND o.user_id IS NULL) OR (o.user_id = c.user_id)) AND c.age > 30 GROUP BY 1

SELECT p.brand, COUNT(*) FROM orders o LEFT JOIN products p ON o.product_id IS NOT DISTINCT FROM p.product_id GROUP BY 1

SELECT o.region, COUNT(*) FROM orders o JOIN (SELECT user_id, country, COUNT(*) AS n FROM orders GROUP BY 1, 2) t ON o.user_id IS NOT DISTINCT FROM t.user_id AND o.country IS NOT DISTINCT FROM t.country WHERE t.n > 2 GROUP BY 1

SELECT COUNT(*) FROM customers c LEFT JOIN orders o ON o.user_id = c.user_id JOIN (SELECT x.user_id FROM customers x WHERE x.age > 50) z ON o.user_id IS NOT DISTINCT FROM z.user_id

SELECT region, CASE WHEN SUM(amount) IS NOT NULL THEN SUM(amount) ELSE 0 END AS s, CASE WHEN (SUM(quantity) IS NULL) THEN 0 ELSE SUM(quantity) END AS q FROM orders GROUP BY 1 HAVING SUM(amount) IS NOT NULL

SELECT region, SUM(amount) s FROM orders GROUP BY 1 HAVING NOT SUM(amount) IS NULL OR NOT (COUNT(*) IS NULL)

SELECT time_bucket('3600.000s',created_at) AS "time", count(*) FROM orders WHERE created_at BETWEEN '2024-04-12T18:00:00Z' AND '2024-04-13T18:05:00Z' GROUP BY 1 ORDER BY 1

SELECT time_bucket('15m',created_at) AS "time", count(*) FROM orders WHERE created_at > TIMESTAMP '2025-12-31' - INTERVAL '36h' GROUP BY 1

SELECT time_bucket('1d',created_at) AS "time", count(*) FROM orders WHERE created_at > TIMESTAMP '2025-12-31' - '14 d'::interval + INTERVAL '3 s' - INTERVAL '3m' GROUP BY 1

SELECT epoch_ms(created_at) // 86400000 * 86400000 AS time, count(*) AS c FROM orders WHERE created_at BETWEEN epoch_ms(1718000000000) AND epoch_ms(1718900000000) AND order_date > make_date(2024,1,1) GROUP BY 1 ORDER BY 1

SELECT d, n FROM (SELECT order_date AS d, COUNT(*) AS n FROM orders GROUP BY 1) WHERE d > epoch_ms(1718000000000) and d < DATE '2024-08-10' + INTERVAL '2 mons 3d' - INTERVAL '1w' - INTERVAL '2 y'

SELECT (DATE_TRUNC('DAY', CAST("orders"."order_date" AS DATE)) + (-EXTRACT(DOW FROM "orders"."order_date") * INTERVAL '1 DAY')) AS "twk:order_date:ok", SUM("orders"."amount") AS "s" FROM "orders" GROUP BY 1

SELECT (DATE_TRUNC('DAY', "orders"."created_at") + (-EXTRACT(DOW FROM "orders"."created_at") * INTERVAL '1 DAY')) AS "twk:order_date:ok", SUM("orders"."amount") AS "s" FROM "orders" GROUP BY 1

SELECT (DATE_TRUNC('WEEK', CAST("orders"."order_date" AS DATE) + INTERVAL '1 DAY') + (-1 * INTERVAL '1 DAY')) AS "twk:order_date:ok", SUM("orders"."amount") AS "s" FROM "orders" GROUP BY 1

SELECT CAST(order_date - INTERVAL (DAYOFMONTH(order_date) - 1) DAY AS DATE) AS m, COUNT(*) FROM orders GROUP BY 1

SELECT COUNT(*) FROM orders WHERE created_at + quantity * INTERVAL '36 hours' > TIMESTAMP '2025-06-01' AND created_at - INTERVAL '1 day' * quantity < '2025-12-01' AND INTERVAL (product_id) MINUTE + created_at IS NOT NULL

SELECT AVG(n) FROM (SELECT user_id, COUNT(*) AS n FROM orders WHERE order_date <= DATE '2024-01-01' + INTERVAL (30 * 6) DAY GROUP BY 1)

SELECT date_trunc('month', order_date) + 2 * INTERVAL '1 month' AS m, COUNT(*) FROM orders WHERE order_date - 3 * INTERVAL 1 YEAR < '2022-01-01' GROUP BY 1

SELECT COUNT(*) FROM customers c JOIN orders o USING (user_id) WHERE o.order_date < c.signup + INTERVAL (c.age * 20) DAY

SELECT m + (n - n) * INTERVAL '1 day' AS d, n FROM (SELECT date_trunc('month', order_date) AS m, COUNT(*) AS n FROM orders GROUP BY 1)

SELECT FLOOR(total / 100) * 100 AS bucket, COUNT(*) FROM (SELECT user_id, SUM(amount) AS total FROM orders GROUP BY user_id) GROUP BY 1 ORDER BY 1

SELECT FLOOR(total / 100) AS bucket, COUNT(*) FROM (SELECT user_id, SUM(amount) AS total FROM orders GROUP BY user_id) GROUP BY 1 ORDER BY 1

SELECT CAST(total / 100 AS BIGINT) AS bucket, COUNT(*) FROM (SELECT user_id, SUM(amount) AS total FROM orders GROUP BY user_id) GROUP BY 1 ORDER BY 1

SELECT FLOOR(a / 10) * 10 AS bucket, COUNT(*) FROM (SELECT user_id, AVG(amount) AS a FROM orders GROUP BY user_id) GROUP BY 1 ORDER BY 1

SELECT ROUND(total, -2) AS bucket, COUNT(*) FROM (SELECT user_id, SUM(amount) AS total FROM orders GROUP BY user_id) GROUP BY 1 ORDER BY 1

SELECT FLOOR(n / 5) * 5 AS bucket, COUNT(*) FROM (SELECT user_id, SUM(quantity) AS n FROM orders GROUP BY user_id) GROUP BY 1 ORDER BY 1

SELECT FLOOR(n / 5.0) * 5 AS bucket, COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM orders GROUP BY user_id) GROUP BY 1 ORDER BY 1

SELECT FLOOR(amount * quantity / 100) * 100 AS bucket, COUNT(*) FROM orders GROUP BY 1

SELECT FLOOR((amount - discount) / 10) * 10 AS bucket, COUNT(*) FROM orders GROUP BY 1

SELECT CASE WHEN total < 200 THEN 'low' WHEN total < 800 THEN 'mid' ELSE 'high' END AS seg, COUNT(*) AS n, AVG(total) FROM (SELECT user_id, SUM(amount) AS total FROM orders GROUP BY user_id) GROUP BY 1 ORDER BY 1

SELECT ((FLOOR((("source"."sum" - 0.0) / 100.0)) * 100.0) + 0.0) AS "sum", COUNT(*) AS "count" FROM (SELECT "main"."orders"."user_id" AS "user_id", SUM("main"."orders"."amount") AS "sum" FROM "main"."orders" GROUP BY "main"."orders"."user_id") AS "source" GROUP BY ((FLOOR((("source"."sum" - 0.0) / 100.0)) * 100.0) + 0.0) ORDER BY 1

SELECT EXTRACT('year' FROM order_date) AS y, COUNT(*) FROM orders GROUP BY EXTRACT('year' FROM order_date)

SELECT YEAR(order_date) || '-' || LPAD(MONTH(order_date)::VARCHAR, 2, '0') AS ym, SUM(amount) FROM orders GROUP BY 1 ORDER BY 1

SELECT CONCAT(YEAR(order_date), '-W', WEEK(order_date)) AS yw, COUNT(*) FROM orders GROUP BY ALL

SELECT 'Q' || QUARTER(order_date) || ' ' || YEAR(order_date) AS q, SUM(quantity) FROM orders GROUP BY 1

SELECT region, COUNT(*) AS n, AVG(amount)::DECIMAL(10,2) AS a, ROUND(SUM(amount), 0) AS s, SUM(amount)::BIGINT AS si FROM orders GROUP BY region

SELECT region, ROUND(AVG(amount)::NUMERIC, 2) AS a, ROUND(100.0 * SUM(CASE WHEN is_paid THEN 1 ELSE 0 END) / COUNT(*), 1) AS pct FROM orders GROUP BY region

SELECT COUNT(*) FILTER (WHERE amount BETWEEN 0 AND 25) AS a, COUNT(*) FILTER (WHERE amount > 25 AND amount <= 50) AS b, COUNT(*) FILTER (WHERE amount > 50) AS c, COUNT(*) AS t FROM orders

WITH t AS (SELECT *, amount * quantity AS revenue, CASE WHEN discount > 0 THEN 'disc' ELSE 'full' END AS price_type FROM orders) SELECT price_type, SUM(revenue) AS rev, COUNT(DISTINCT user_id) AS buyers FROM t WHERE revenue > 10 GROUP BY price_type

SELECT o.region, p.brand, COUNT(*) AS n, RANK() OVER (PARTITION BY o.region ORDER BY COUNT(*) DESC) AS r FROM orders o JOIN products p ON p.product_id = o.product_id GROUP BY 1, 2 QUALIFY r <= 2

SELECT brand, n, LAG(n) OVER (ORDER BY brand) AS prev FROM (SELECT p.brand, COUNT(*) AS n FROM orders o NATURAL JOIN products p GROUP BY 1)

SELECT c.segment, o.region, COUNT(*) FROM customers c JOIN orders o ON c.user_id = o.user_id WHERE c.signup >= DATE '2021-01-01' AND o.status != 'returned' GROUP BY ROLLUP (c.segment, o.region)

SELECT segment, COUNT(*) AS customers, COUNT(o.user_id) AS active FROM customers c LEFT JOIN (SELECT DISTINCT user_id FROM orders WHERE order_date >= '2025-11-01') o ON o.user_id = c.user_id GROUP BY segment

WITH monthly AS (SELECT user_id, DATE_TRUNC('month', order_date) AS m FROM orders GROUP BY 1, 2), prev AS (SELECT user_id, m, LAG(m) OVER (PARTITION BY user_id ORDER BY m) AS pm FROM monthly) SELECT m, CASE WHEN pm IS NULL THEN 'new' WHEN pm = m - INTERVAL 1 MONTH THEN 'retained' ELSE 'resurrected' END AS kind, COUNT(*) AS users FROM prev GROUP BY 1, 2 ORDER BY 1, 2

SELECT COUNT(*) FROM (SELECT user_id, COUNT(DISTINCT region) AS r, COUNT(DISTINCT status) AS s FROM orders GROUP BY user_id HAVING COUNT(DISTINCT region) = 2 AND SUM(amount) > 500)

SELECT region, status, COUNT(*), COUNT(*) * 1.0 / SUM(COUNT(*)) OVER (PARTITION BY region) AS within_region FROM orders GROUP BY region, status

SELECT DATE_TRUNC('month', order_date) AS m, AVG(SUM(amount)) OVER (ORDER BY DATE_TRUNC('month', order_date) ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS ma3 FROM orders GROUP BY 1

SELECT m, s, SUM(s) OVER (PARTITION BY YEAR(m) ORDER BY m) AS ytd FROM (SELECT DATE_TRUNC('month', order_date) AS m, SUM(amount) AS s FROM orders GROUP BY 1)

SELECT SUM(x * y) / SQRT(SUM(x * x) * SUM(y * y)) AS cosine FROM (SELECT amount AS x, quantity AS y FROM orders)

SELECT region, (AVG(amount) - (SELECT AVG(amount) FROM orders)) / (SELECT STDDEV(amount) FROM orders) AS z FROM orders GROUP BY region

SELECT CASE WHEN age < 30 THEN '<30' WHEN age BETWEEN 30 AND 44 THEN '30-44' WHEN age BETWEEN 45 AND 59 THEN '45-59' ELSE '60+' END AS age_group, segment, COUNT(*) AS n FROM customers GROUP BY ALL ORDER BY MIN(age), segment

SELECT COUNT(DISTINCT user_id) FILTER (WHERE order_date >= DATE '2025-12-31' - INTERVAL 1 DAY) AS dau, COUNT(DISTINCT user_id) FILTER (WHERE order_date > DATE '2025-12-31' - INTERVAL 7 DAY) AS wau, COUNT(DISTINCT user_id) FILTER (WHERE order_date > DATE '2025-12-31' - INTERVAL 30 DAY) AS mau FROM orders

SELECT d::DATE AS day, COUNT(o.order_id) AS n FROM generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-10', INTERVAL '1 day') AS g(d) LEFT JOIN orders o ON o.order_date = d::DATE GROUP BY 1 ORDER BY 1

SELECT region, SUM(amount) AS s FROM orders GROUP BY region HAVING SUM(amount) > (SELECT AVG(s) FROM (SELECT SUM(amount) AS s FROM orders GROUP BY region))

SELECT * FROM (SELECT region, SUM(amount) AS s FROM orders GROUP BY region) a JOIN (SELECT region, COUNT(DISTINCT user_id) AS u FROM orders GROUP BY region) b USING (region) ORDER BY s DESC

SELECT a.region, a.n AS n24, b.n AS n25, b.n - a.n AS delta FROM (SELECT region, COUNT(*) AS n FROM orders WHERE YEAR(order_date) = 2024 GROUP BY 1) a FULL OUTER JOIN (SELECT region, COUNT(*) AS n FROM orders WHERE YEAR(order_date) = 2025 GROUP BY 1) b ON a.region = b.region

SELECT region, SUM(IF(YEAR(order_date) = 2024, amount, 0)) AS y24, SUM(IF(YEAR(order_date) = 2025, amount, 0)) AS y25, SUM(IF(YEAR(order_date) = 2025, amount, 0)) / NULLIF(SUM(IF(YEAR(order_date) = 2024, amount, 0)), 0) - 1 AS growth FROM orders GROUP BY 1

SELECT COUNT(*), SUM(amount) FROM orders WHERE (region, status) NOT IN (('north', 'new'), ('south', 'paid'))

SELECT COUNT(*) FROM orders WHERE region = ANY (ARRAY['north', 'south']) AND status <> ALL (ARRAY['new'])

SELECT COUNT(*) FROM orders WHERE amount IS NOT NULL AND NOT (quantity = 3 OR quantity = 4) AND COALESCE(discount, -1) >= 0 AND country IS DISTINCT FROM 'DE'

SELECT product_name, AVG(amount) AS avg_amount FROM orders GROUP BY product_name HAVING COUNT(*) >= 30 ORDER BY avg_amount DESC LIMIT 3

SELECT LOWER(LEFT(region, 3)) AS r, UPPER(SUBSTR(status, 1, 1)) || SUBSTR(status, 2) AS st, COUNT(*) AS n FROM orders GROUP BY 1, 2 ORDER BY n DESC, 1, 2

SELECT REGEXP_EXTRACT(product_name, '[0-9]+')::INT % 2 = 0 AS even, COUNT(*) FROM orders GROUP BY 1

SELECT COUNT(*) AS n, ROUND(AVG(quantity), 2) AS q, ROUND(STDDEV_POP(quantity), 3) AS sd, VAR_SAMP(quantity) AS v FROM orders WHERE status IN ('paid')

SELECT SUM(amount) OVER () AS t, region FROM (SELECT region, SUM(amount) AS amount FROM orders GROUP BY region)

SELECT bucket, COUNT(*) AS persons, SUM(total) AS revenue FROM (SELECT user_id, SUM(amount) AS total, CASE WHEN COUNT(*) <= 5 THEN 'few' WHEN COUNT(*) <= 16 THEN 'some' ELSE 'many' END AS bucket FROM orders GROUP BY user_id) GROUP BY bucket

SELECT region, CAST(COUNT(*) AS DOUBLE) / CAST(COUNT(DISTINCT user_id) AS DOUBLE) AS freq FROM orders GROUP BY region

SELECT COUNT(*) FROM orders a WHERE a.amount > (SELECT AVG(b.amount) FROM orders b WHERE b.user_id = a.user_id)

SELECT o.status, COUNT(*) FROM orders o WHERE o.created_at = (SELECT MAX(created_at) FROM orders x WHERE x.user_id = o.user_id) GROUP BY 1

SELECT COUNT(*) FROM (SELECT DISTINCT user_id, region FROM orders)

SELECT region, COUNT(*) FROM (SELECT DISTINCT user_id, region FROM orders) GROUP BY region

SELECT AVG(c) FROM (SELECT COUNT(*) AS c FROM orders GROUP BY user_id, date_trunc('month', order_date))

SELECT months_active, COUNT(*) FROM (SELECT user_id, COUNT(DISTINCT date_trunc('month', order_date)) AS months_active FROM orders GROUP BY 1) GROUP BY 1 ORDER BY 1

SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY n) FROM (SELECT user_id, COUNT(*) AS n FROM orders GROUP BY 1)

SELECT quantity, COUNT(*) FROM orders GROUP BY quantity HAVING quantity BETWEEN 2 AND 4 ORDER BY quantity

SELECT region AS "Région", COUNT(*) AS "Anzahl (€)" FROM orders GROUP BY "Région"

SELECT COUNT(*) n, 1 AS grp FROM orders GROUP BY grp

SELECT 'total' AS label, COUNT(*) AS n, NULL AS note, CURRENT_DATE AS asof FROM orders WHERE 1 = 1

SELECT region, COUNT(*) FROM orders WHERE TRUE AND 'a' = 'a' GROUP BY region ORDER BY region NULLS FIRST OFFSET 1

SELECT SUM(quantity) / COUNT(*) AS a, SUM(quantity) // COUNT(*) AS b, SUM(quantity) % 7 AS c, -SUM(quantity) AS d, POWER(COUNT(*), 0.5) AS e, GREATEST(COUNT(*), 5) AS f FROM orders

SELECT seg, COUNT(*) FROM (SELECT DISTINCT user_id, FIRST_VALUE(region) OVER (PARTITION BY user_id ORDER BY created_at, order_id) AS seg FROM orders) GROUP BY seg

SELECT COUNT(*), SUM(n) FROM (SELECT DISTINCT user_id, COUNT(*) OVER (PARTITION BY user_id) AS n FROM orders WHERE is_paid) x

SELECT region, AVG(t) FROM (SELECT DISTINCT o.user_id, o.region, SUM(o.amount) OVER (PARTITION BY o.user_id, o.region) AS t FROM orders o JOIN customers c USING (user_id) WHERE c.age > 30) GROUP BY region

WITH f AS (SELECT DISTINCT user_id, MIN(order_date) OVER (PARTITION BY user_id) AS first_day FROM orders) SELECT date_trunc('month', first_day) AS m, COUNT(*) FROM f GROUP BY 1

SELECT AVG(share) FROM (SELECT DISTINCT region, n * 1.0 / SUM(n) OVER () AS share FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region))

SELECT COUNT(*) FROM (SELECT DISTINCT user_id, status, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY order_id) AS rn FROM orders QUALIFY rn <= 2)

SELECT STRING_SPLIT(product_name, 'u')[2] AS p, COUNT(*) FROM orders GROUP BY 1

SELECT split(region, 'o')[-1], COUNT(*) FROM orders GROUP BY 1

SELECT (string_to_array(status, 'e'))[2], COUNT(*), SUM(amount) FROM orders WHERE string_split(region, 'o')[2] IS NULL GROUP BY 1

SELECT list_extract(str_split(status, 'e'), 1), array_extract(split(region, 't'), 2), list_element(string_split(region, 't'), -2), COUNT(*) FROM orders GROUP BY 1, 2, 3

SELECT string_split(r, 'o')[1 + 1], n FROM (SELECT region AS r, COUNT(*) AS n FROM orders GROUP BY 1) ORDER BY 1

SELECT split(p.name, 'P')[2] AS x, COUNT(*) FROM orders JOIN products p USING (product_id) GROUP BY 1

SELECT count(), region, count() FILTER (is_paid) AS paid, COUNT() OVER () AS groups FROM orders GROUP BY region

SELECT CONCAT((FLOOR((("orders".quantity) - 0) / 3) * 3), ' - ', (FLOOR((("orders".quantity) - 0) / 3) * 3 + 2)) AS "range", COUNT(*) FROM orders AS "orders" GROUP BY 1

SELECT concat(is_paid, '/', order_date, '/', created_at) AS k, amount || '' AS a, concat_ws('-', is_paid, quantity) AS q, COUNT(*) FROM orders WHERE order_date < '2024-01-05' GROUP BY 1, 2, 3

PIVOT orders ON status USING SUM(amount) GROUP BY region ORDER BY region

PIVOT orders ON status USING SUM(amount) GROUP BY region ORDER BY region DESC LIMIT 2 OFFSET 1

SELECT segment, AVG(n) AS orders, SUM(n) AS s FROM (SELECT o.user_id, ANY_VALUE(c.segment) AS segment, COUNT(*) AS n FROM orders AS o JOIN customers AS c ON c.user_id = o.user_id GROUP BY o.user_id HAVING ANY_VALUE(c.segment) <> 'basic') AS t GROUP BY segment

SELECT * FROM (PIVOT orders ON status, country USING COUNT(*) AS n, SUM(quantity) AS q GROUP BY region) ORDER BY region

SELECT DATE_TRUNC('month', "public"."orders"."created_at") AS "created_at", SUM("public"."orders"."amount") AS "sum" FROM "public"."orders" GROUP BY DATE_TRUNC('month', "public"."orders"."created_at") ORDER BY DATE_TRUNC('month', "public"."orders"."created_at") ASC LIMIT ALL

SELECT "Products"."brand" AS "Products__brand", AVG("public"."orders"."amount") AS "avg" FROM "public"."orders" LEFT JOIN "public"."products" AS "Products" ON "public"."orders"."product_id" = "Products"."product_id" GROUP BY "Products"."brand" ORDER BY "Products"."brand" ASC

SELECT count("public"."orders"."country"), sum(public.orders.quantity) FROM public.orders WHERE region = ANY(ARRAY['north', 'south']::text[])

select "rows"."segment" as "segment", sum("rows"."amount") as "a0" from (select "$Outer"."amount", "$Inner"."segment" from (select "user_id" as "user_id2", "amount" from "public"."orders" "$Table") "$Outer" left outer join "public"."customers" "$Inner" on ("$Outer"."user_id2" = "$Inner"."user_id")) "rows" group by "segment" limit 1000001

SELECT time_bucket('1 week', order_date, DATE '2024-01-07') AS t, COUNT(*) FROM orders GROUP BY 1

SELECT time_bucket(INTERVAL '15 days', created_at, TIMESTAMP '2001-01-01') AS t, SUM(amount) FROM orders GROUP BY 1 ORDER BY 1

SELECT time_bucket(INTERVAL '1 week', order_date, TIMESTAMP '2024-01-07 01:00:00') AS t, COUNT(*) FROM orders GROUP BY 1

SELECT time_bucket(INTERVAL '90 minutes', created_at, INTERVAL '-20 minutes') AS t, COUNT(*) FROM orders WHERE created_at < '2024-01-05' GROUP BY 1

SELECT time_bucket(INTERVAL '1 week', m, TIMESTAMP '2024-01-02') AS t, SUM(n) FROM (SELECT date_trunc('day', created_at) AS m, COUNT(*) AS n FROM orders WHERE created_at < '2024-03-01' GROUP BY 1) GROUP BY 1

SELECT DISTINCT region, COUNT(*) OVER (PARTITION BY region) AS n, AVG(amount) OVER (PARTITION BY region) AS a FROM orders WHERE quantity > 2

SELECT DISTINCT SUM(amount) OVER () AS total FROM orders

SELECT DISTINCT region, status, COUNT(*) OVER (PARTITION BY region) AS s, COUNT(*) OVER (PARTITION BY status) AS t, COUNT(*) OVER () AS a, SUM(quantity) OVER (PARTITION BY region) AS q FROM orders ORDER BY 1, 2

SELECT DISTINCT region, COUNT(*) OVER (PARTITION BY region), 100.0 * COUNT(*) OVER (PARTITION BY region) / COUNT(*) OVER () AS pct FROM orders

SELECT DISTINCT SUM(amount) OVER (PARTITION BY region) AS s FROM orders

SELECT DISTINCT date_trunc('quarter', order_date) AS q, SUM(amount) OVER (PARTITION BY date_trunc('quarter', order_date)) AS s FROM orders ORDER BY q DESC LIMIT 3

SELECT DISTINCT o.region, SUM(o.amount) FILTER (WHERE o.is_paid) OVER (PARTITION BY o.region) AS s, COUNT(DISTINCT o.user_id) OVER (PARTITION BY o.region) AS u FROM orders o JOIN products p USING (product_id) WHERE p.brand = 'a'

SELECT DISTINCT country, COUNT(*) OVER (PARTITION BY country) AS n, 'x' AS k FROM orders

SELECT DISTINCT CASE WHEN region IN ('north','south') THEN 'a' ELSE 'b' END AS region, SUM(amount) OVER (PARTITION BY region) AS s FROM orders

SELECT DISTINCT p.brand, COUNT(o.order_id) OVER (PARTITION BY p.brand) AS n FROM products p LEFT JOIN orders o ON o.product_id = p.product_id

SELECT DISTINCT region, COUNT(*) OVER (PARTITION BY region) AS n FROM orders UNION ALL SELECT 'all', COUNT(*) FROM orders

SELECT DATE_TRUNC('hour', created_at) + INTERVAL '30 minutes' * FLOOR(EXTRACT(MINUTE FROM created_at) / 30) AS half, COUNT(*) FROM orders WHERE created_at < '2024-01-03' GROUP BY 1

SELECT DATE_TRUNC('hour', created_at) + FLOOR(EXTRACT(MINUTE FROM created_at) / 15.0) * INTERVAL '15 minutes' AS q, COUNT(*) FROM orders WHERE created_at < '2024-01-03' GROUP BY 1

SELECT COUNT(*) FROM orders WHERE created_at - TRUNC(amount) * INTERVAL '1 day' < '2024-01-05'

SELECT COUNT(*) FROM orders WHERE order_date + CEIL(amount / 3) * INTERVAL '7 days' < '2024-03-05'

SELECT COUNT(*) FROM orders WHERE region ~* '^N'

SELECT COUNT(*) FROM orders WHERE region !~* '^N' AND NOT region ~* 'X'

SELECT region ~* 'O', COUNT(*) FROM orders GROUP BY 1

SELECT COUNT(*) FROM orders WHERE regexp_matches(region, 'OR|AS', 'i')

SELECT region FROM (SELECT region, COUNT(*) FROM orders GROUP BY 1) WHERE region ~* 'OR|AS' AND region !~* 'w'

SELECT COUNT(*) FROM orders WHERE region || status ~* 'HN'

SELECT COUNT(*) FROM orders WHERE created_at > TIMESTAMP '2025-12-31' - INTERVAL '36 hrs' - INTERVAL '3 mon' + INTERVAL '10 secs'

SELECT region, MAX(n) + 1, INTERVAL '5 min' AS i, INTERVAL '5 min' FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY 1) GROUP BY region

SELECT time_bucket(INTERVAL '15 mins', created_at) AS t, COUNT(*) FROM orders WHERE created_at < '2024-01-05' GROUP BY 1

SELECT "t1"."region" AS "region", "t1"."s" / "t2"."tot" AS "usr" FROM (SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "s" FROM "orders" GROUP BY 1) "t1" CROSS JOIN (SELECT SUM("orders"."amount") AS "tot" FROM "orders" GROUP BY 1.1000000000000001) "t2"

SELECT SUM("orders"."amount") FROM "orders" GROUP BY 1.1000000000000001

SELECT region, SUM("orders"."amount") FROM "orders" GROUP BY 1.1, 1

SELECT COUNT(*) FROM (SELECT 1 FROM "orders" GROUP BY 1.1) x

SELECT "public"."orders"."region" AS "region", "Customers - User"."segment" AS "Customers - User__segment", COUNT(*) AS "count" FROM "public"."orders" LEFT JOIN "public"."customers" AS "Customers - User" ON "public"."orders"."user_id" = "Customers - User"."user_id" WHERE "Customers - User"."segment" = 'gold' GROUP BY "public"."orders"."region", "Customers - User"."segment" ORDER BY "public"."orders"."region" ASC, "Customers - User"."segment" ASC

SELECT "source"."pivot-grouping" AS "pivot-grouping", "source"."region" AS "region", "source"."status" AS "status", "source"."count" AS "count" FROM (SELECT "public"."orders"."region" AS "region", "public"."orders"."status" AS "status", ABS(0) AS "pivot-grouping", COUNT(*) AS "count" FROM "public"."orders" GROUP BY "public"."orders"."region", "public"."orders"."status", ABS(0)) AS "source" ORDER BY "source"."region" ASC

SELECT "__mb_source"."region" AS "region", COUNT(*) AS "count" FROM (SELECT * FROM orders WHERE status = 'paid') AS "__mb_source" GROUP BY "__mb_source"."region" ORDER BY "__mb_source"."region" ASC

SELECT SUM("orders"."amount") AS "TEMP(x)", COUNT("orders"."amount") AS "TEMP(y)", SUM((CAST("orders"."amount" AS DOUBLE PRECISION) * CAST("orders"."amount" AS DOUBLE PRECISION))) AS "TEMP(z)" FROM "orders" HAVING (COUNT(1) > 0)

SELECT "orders"."region", SUM("orders"."amount") FROM "public"."orders" "orders" INNER JOIN ( SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "X__alias__0" FROM "public"."orders" "orders" GROUP BY 1 ORDER BY "X__alias__0" DESC LIMIT 2 ) "t0" ON ("orders"."region" IS NOT DISTINCT FROM "t0"."region") GROUP BY 1

select sum("$Outer"."amount") as a0, "$Inner"."brand" from "public"."orders" "$Outer" inner join "public"."products" "$Inner" on ("$Outer"."product_id" = "$Inner"."product_id") group by "$Inner"."brand"

select t0.region, t0.c0 from (select region, cast(count(*) as bigint) as c0 from public.orders group by region) as t0 where t0.c0 > 0 fetch next 100 rows only

SELECT region, s FROM (SELECT DISTINCT region, SUM(amount) OVER (PARTITION BY region) AS s FROM orders) AS virtual_table ORDER BY s DESC LIMIT 1000

WITH v AS (SELECT DISTINCT region, COUNT(*) OVER (PARTITION BY region) AS n, AVG(amount) OVER (PARTITION BY region) AS a FROM orders) SELECT SUM(n), MAX(a) FROM v

SELECT AVG(s) FROM (SELECT DISTINCT user_id, SUM(amount) OVER (PARTITION BY user_id) AS s FROM orders) x

SELECT COUNT(*) FROM (SELECT DISTINCT user_id, MAX(quantity) OVER (PARTITION BY user_id) AS m FROM orders) x WHERE m > 5

SELECT "public"."orders"."region" AS "region", COUNT(*) AS "count" FROM "public"."orders" GROUP BY "public"."orders"."region" ORDER BY "public"."orders"."region" ASC

SELECT DATE_TRUNC('month', "public"."orders"."created_at") AS "created_at", SUM("public"."orders"."amount") AS "sum" FROM "public"."orders" GROUP BY DATE_TRUNC('month', "public"."orders"."created_at") ORDER BY DATE_TRUNC('month', "public"."orders"."created_at") ASC

SELECT (CAST(DATE_TRUNC('week', CAST("public"."orders"."created_at" AS timestamp) + INTERVAL '1 day') AS timestamp) + INTERVAL '-1 day') AS "created_at", COUNT(*) AS "count" FROM "public"."orders" GROUP BY (CAST(DATE_TRUNC('week', CAST("public"."orders"."created_at" AS timestamp) + INTERVAL '1 day') AS timestamp) + INTERVAL '-1 day') ORDER BY (CAST(DATE_TRUNC('week', CAST("public"."orders"."created_at" AS timestamp) + INTERVAL '1 day') AS timestamp) + INTERVAL '-1 day') ASC

SELECT FLOOR((("public"."orders"."amount" - 0.0) / 12.5)) * 12.5 + 0.0 AS "amount", COUNT(*) AS "count" FROM "public"."orders" GROUP BY FLOOR((("public"."orders"."amount" - 0.0) / 12.5)) * 12.5 + 0.0 ORDER BY FLOOR((("public"."orders"."amount" - 0.0) / 12.5)) * 12.5 + 0.0 ASC

SELECT SUBSTRING("public"."orders"."region", 1, 3) AS "substring", COUNT(*) FROM "public"."orders" GROUP BY SUBSTRING("public"."orders"."region", 1, 3)

SELECT "source"."region" AS "region", COUNT(*) AS "count" FROM (SELECT "public"."orders"."user_id" AS "user_id", "public"."orders"."region" AS "region", SUBSTRING("public"."orders"."region", 1, 1234) AS "substring77" FROM "public"."orders") AS "source" WHERE "source"."region" = 'north' GROUP BY "source"."region" ORDER BY "source"."region" ASC

SELECT SUM(CASE WHEN "public"."orders"."quantity" > 5 THEN 1 ELSE 0.0 END) / CAST(COUNT(*) AS DOUBLE PRECISION) AS "share" FROM "public"."orders"

SELECT CAST(SUM(CASE WHEN "public"."orders"."is_paid" = TRUE THEN 1 ELSE 0.0 END) AS float) / CASE WHEN count(*) = 0 THEN NULL ELSE count(*) END AS "share" FROM "public"."orders"

SELECT COUNT(distinct "public"."orders"."user_id") AS "count" FROM "public"."orders" WHERE ("public"."orders"."created_at" >= timestamp with time zone '2024-02-01 00:00:00.000Z' AND "public"."orders"."created_at" < timestamp with time zone '2024-03-01 00:00:00.000Z')

SELECT "source"."created_at" AS "created_at", SUM("source"."count") OVER (ORDER BY "source"."created_at" ASC ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT DATE_TRUNC('month', "public"."orders"."created_at") AS "created_at", COUNT(*) AS "count" FROM "public"."orders" GROUP BY DATE_TRUNC('month', "public"."orders"."created_at")) AS "source" ORDER BY 1

SELECT CEIL((CAST(extract(doy from CAST(date_trunc('year', "public"."orders"."created_at") AS timestamp)) AS integer) / 7.0)) AS w, COUNT(*) FROM public.orders GROUP BY 1

SELECT CAST(extract(hour from "public"."orders"."created_at") AS integer) AS "h", COUNT(*) FROM "public"."orders" GROUP BY CAST(extract(hour from "public"."orders"."created_at") AS integer) ORDER BY CAST(extract(hour from "public"."orders"."created_at") AS integer) ASC

SELECT CAST(extract(dow from "public"."orders"."created_at") AS integer) + 1 AS "dow", COUNT(*) FROM "public"."orders" GROUP BY CAST(extract(dow from "public"."orders"."created_at") AS integer) + 1 ORDER BY 1

SELECT (CAST(extract(isodow from "public"."orders"."created_at") AS integer) % 7) + 1 AS "dow", COUNT(*) FROM "public"."orders" GROUP BY 1 ORDER BY 1

SELECT CASE WHEN "public"."orders"."quantity" < 3 THEN 'low' WHEN "public"."orders"."quantity" < 6 THEN 'mid' ELSE 'high' END AS "bucket", COUNT(*) AS "count" FROM "public"."orders" GROUP BY CASE WHEN "public"."orders"."quantity" < 3 THEN 'low' WHEN "public"."orders"."quantity" < 6 THEN 'mid' ELSE 'high' END ORDER BY CASE WHEN "public"."orders"."quantity" < 3 THEN 'low' WHEN "public"."orders"."quantity" < 6 THEN 'mid' ELSE 'high' END ASC

SELECT PERCENTILE_CONT(0.5) within group (order by "public"."orders"."amount") AS "median" FROM "public"."orders" WHERE amount = 4

SELECT "public"."orders"."region" AS "region", MAX("public"."orders"."created_at") AS "max", COUNT(*) AS "count" FROM "public"."orders" WHERE "public"."orders"."created_at" = '2024-01-01' GROUP BY "public"."orders"."region"

SELECT COUNT(*) AS "count" FROM "public"."orders" WHERE (LOWER("public"."orders"."region") LIKE '%ort%') AND ("public"."orders"."country" IS NULL OR "public"."orders"."country" <> 'DE')

SELECT COUNT(*) AS "count" FROM "public"."orders" WHERE ("public"."orders"."country" <> 'DE' OR "public"."orders"."country" IS NULL) AND NOT (LOWER("public"."orders"."region") LIKE '%x%') AND "public"."orders"."amount" BETWEEN 10 AND 20

SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "sum:amount:ok" FROM "public"."orders" "orders" GROUP BY 1

SELECT "orders"."region" AS "region", CAST(TRUNC(EXTRACT(YEAR FROM "orders"."order_date")) AS INTEGER) AS "yr:order_date:ok", SUM("orders"."amount") AS "sum:amount:ok" FROM "public"."orders" "orders" GROUP BY 1, 2

SELECT CAST(TRUNC(EXTRACT(QUARTER FROM CAST("orders"."created_at" AS DATE))) AS INTEGER) AS "qr:created_at:ok", COUNT(DISTINCT "orders"."user_id") AS "ctd:user_id:ok" FROM "public"."orders" "orders" GROUP BY 1

SELECT DATE_TRUNC( 'DAY', CAST("orders"."created_at" AS TIMESTAMP) ) AS "tdy:created_at:ok", SUM(1) AS "sum:Number of Records:ok" FROM "public"."orders" "orders" WHERE ((DATE_TRUNC( 'MONTH', CAST("orders"."created_at" AS TIMESTAMP) ) >= (TIMESTAMP '2024-02-01 00:00:00.000')) AND (DATE_TRUNC( 'MONTH', CAST("orders"."created_at" AS TIMESTAMP) ) <= (TIMESTAMP '2024-03-01 00:00:00.000'))) GROUP BY 1

SELECT "t0"."region" AS "region", AVG("t0"."__measure__0") AS "avg:calc:ok" FROM (SELECT "orders"."region" AS "region", "orders"."status" AS "status", SUM("orders"."amount") AS "__measure__0" FROM "public"."orders" "orders" GROUP BY 1, 2) "t0" GROUP BY 1

SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "s", MIN("t0"."__measure__1") AS "m" FROM "public"."orders" "orders" INNER JOIN (SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "__measure__1" FROM "public"."orders" "orders" GROUP BY 1) "t0" ON ("orders"."region" = "t0"."region") GROUP BY 1

SELECT "orders"."region" AS "region", SUM("orders"."amount") AS "sum:amount:ok" FROM "public"."orders" "orders" INNER JOIN (SELECT "orders"."user_id" AS "user_id", MIN("orders"."order_date") AS "__measure__0" FROM "public"."orders" "orders" GROUP BY 1) "t0" ON ("orders"."user_id" = "t0"."user_id") WHERE ("t0"."__measure__0" >= DATE '2024-01-05') GROUP BY 1

SELECT "t0"."x" AS "cohort", COUNT(DISTINCT "orders"."user_id") FROM "orders" INNER JOIN (SELECT "user_id", DATE_TRUNC('quarter', MIN("order_date")) AS "x" FROM "orders" GROUP BY 1) "t0" ON "orders"."user_id" = "t0"."user_id" GROUP BY 1

SELECT COUNT(1) AS "X__alias__0" FROM "public"."orders" "orders" HAVING (COUNT(1) > 0)

SELECT SUM("orders"."amount") AS "sum:amount:ok" FROM "public"."orders" "orders" HAVING (COUNT(1) > 0)

SELECT MIN("orders"."order_date") AS "TEMP(min)", MAX("orders"."order_date") AS "TEMP(max)" FROM "public"."orders" "orders" WHERE order_date = '2024-01-01' HAVING (COUNT(1) > 0)

SELECT COUNT(DISTINCT (CASE WHEN "orders"."is_paid" THEN "orders"."user_id" ELSE NULL END)) AS "usr:c:ok" FROM "public"."orders" "orders"

SELECT orders.region AS "orders.region", COALESCE(SUM(orders.amount ), 0) AS "orders.total_amount", COUNT(*) AS "orders.count" FROM public.orders AS orders GROUP BY 1 ORDER BY 2 DESC FETCH NEXT 500 ROWS ONLY

SELECT (DATE(orders.created_at )) AS "orders.created_date", COUNT(DISTINCT orders.user_id ) AS "users" FROM public.orders AS orders WHERE ((( orders.created_at ) >= ((SELECT DATE_TRUNC('day', DATE '2024-02-01'))) AND ( orders.created_at ) < ((SELECT (DATE_TRUNC('day', DATE '2024-02-01') + (7 || ' day')::INTERVAL))))) GROUP BY (DATE(orders.created_at )) ORDER BY 1 DESC FETCH NEXT 500 ROWS ONLY

SELECT * FROM (SELECT *, DENSE_RANK() OVER (ORDER BY z___min_rank) as z___pivot_row_rank, RANK() OVER (PARTITION BY z__pivot_col_rank ORDER BY z___min_rank) as z__pivot_col_ordering FROM (SELECT *, MIN(z___rank) OVER (PARTITION BY "orders.region") as z___min_rank FROM (SELECT *, RANK() OVER (ORDER BY "orders.count" DESC, z__pivot_col_rank) AS z___rank FROM (SELECT *, DENSE_RANK() OVER (ORDER BY "orders.status") AS z__pivot_col_rank FROM (SELECT orders.status AS "orders.status", orders.region AS "orders.region", COUNT(*) AS "orders.count" FROM orders GROUP BY 1, 2) ww) bb) aa) xx) zz WHERE (z__pivot_col_rank <= 50 OR z__pivot_col_rank = 51) AND (z___pivot_row_rank <= 500) ORDER BY z___pivot_row_rank

WITH orders_dt AS (SELECT region, status, amount FROM public.orders WHERE is_paid) SELECT region AS "o.region", COALESCE(SUM(amount), 0) FROM orders_dt WHERE (status <> 'new' OR status IS NULL) GROUP BY 1 HAVING (COALESCE(SUM(amount), 0)) > 100 ORDER BY 2 DESC

SELECT COUNT(DISTINCT CASE WHEN orders.is_paid THEN orders.user_id ELSE NULL END) AS n FROM public.orders AS orders LEFT JOIN public.customers AS customers ON orders.user_id = customers.user_id WHERE customers.segment = 'gold'

select count(distinct("rows"."user_id")) + max(case when "rows"."user_id" is null then 1 else 0 end) as "a0" from (select "user_id" from "public"."orders" "$Table") "rows"

select "rows"."region" as "region", count(1) as "a0" from "public"."orders" "rows" group by "rows"."region"

select "_"."c1" as "c1", "_"."a0" as "a0" from (select "rows"."c1" as "c1", avg("rows"."amount") as "a0" from (select "_"."amount" as "amount", extract(year from "_"."order_date") as "c1" from "public"."orders" "_") "rows" group by "c1") "_" order by "_"."c1" limit 1001

select sum("rows"."amount") as "a0", min("rows"."q") as "a1" from (select "_"."amount", 3 as "q" from "public"."orders" "_" where "_"."region" = 'north' and "_"."region" is not null) "rows"

SELECT DATE_TRUNC('day', orders.created_at) AS __timestamp, orders.region AS region, sum(amount) AS "SUM(amount)" FROM orders JOIN (SELECT region AS region__, sum(amount) AS mme_inner__ FROM orders WHERE created_at >= '2024-01-01' GROUP BY region ORDER BY mme_inner__ DESC LIMIT 2) AS series_limit ON region = region__ WHERE created_at >= '2024-01-01' AND created_at < '2024-02-01' GROUP BY DATE_TRUNC('day', created_at), region ORDER BY "SUM(amount)" DESC LIMIT 10000

SELECT DATE_TRUNC('day', created_at - INTERVAL '7 day') AS __timestamp, COUNT(*) AS count FROM orders WHERE created_at >= '2024-01-01' GROUP BY 1

SELECT DATE_TRUNC('week', created_at) AS __timestamp, COUNT(*) FROM orders WHERE created_at >= CAST('2024-01-01 00:00:00.000000' AS TIMESTAMP) AND created_at < CAST('2024-06-01' AS TIMESTAMP) GROUP BY DATE_TRUNC('week', created_at) ORDER BY COUNT(*) DESC LIMIT 50000

SELECT a.__timestamp, a.n, b.n AS "n__1 year ago" FROM (SELECT DATE_TRUNC('month', created_at) AS __timestamp, COUNT(*) AS n FROM orders WHERE created_at >= '2025-01-01' GROUP BY 1) a LEFT JOIN (SELECT DATE_TRUNC('month', created_at) + INTERVAL '1 year' AS __timestamp, COUNT(*) AS n FROM orders WHERE created_at < '2025-01-01' GROUP BY 1) b ON a.__timestamp = b.__timestamp ORDER BY 1

SELECT count(*) AS count FROM (SELECT region, amount FROM orders WHERE quantity > 3) AS virtual_table LIMIT 50000

SELECT "t1"."region", "t1"."rev" / "t1"."n" AS "arpu" FROM (SELECT "t0"."region", SUM("t0"."amount") AS "rev", COUNT(DISTINCT "t0"."user_id") AS "n" FROM "orders" AS "t0" WHERE "t0"."status" IN ('paid', 'shipped') GROUP BY 1) AS "t1"

SELECT "t0"."region", SUM("t0"."amount") FILTER (WHERE "t0"."is_paid") AS "paid", COUNT(*) FILTER (WHERE "t0"."status" = 'returned') AS "ret" FROM "orders" AS "t0" GROUP BY 1

SELECT DATE_TRUNC('MONTH', "t0"."created_at") AS "m", EXTRACT('dow' FROM "t0"."created_at") AS "dow", COUNT(*) AS "CountStar()" FROM "main"."orders" AS "t0" GROUP BY 1, 2

SELECT q_0."orders__status", "orders__count" "orders__count" FROM (SELECT "orders".status "orders__status", count("orders".order_id) "orders__count" FROM public.orders AS "orders" WHERE ("orders".created_at >= '2024-01-01T00:00:00.000Z'::timestamptz AND "orders".created_at <= '2024-12-31T23:59:59.999Z'::timestamptz) GROUP BY 1) as q_0 ORDER BY 2 DESC LIMIT 10000

SELECT "orders".region "orders__region", date_trunc('day', ("orders".created_at::timestamptz AT TIME ZONE 'UTC')) "orders__created_at_day", sum("orders".amount) "orders__total" FROM public.orders AS "orders" WHERE ("orders".created_at >= '2024-01-01'::timestamptz AND "orders".created_at < '2024-01-08'::timestamptz) GROUP BY 1, 2 ORDER BY 2 ASC LIMIT 10000

SELECT count(distinct case when ("orders".is_paid) then "orders".user_id end) "orders__payers", round(100.0 * count(distinct case when ("orders".is_paid) then "orders".user_id end) / nullif(count(distinct "orders".user_id), 0), 2) "rate" FROM public.orders AS "orders" LIMIT 10000

SELECT "ta_1"."region" "ca_1", CASE WHEN sum("ta_1"."amount") IS NOT NULL THEN sum("ta_1"."amount") ELSE 0 END "ca_2" FROM "public"."orders" "ta_1" WHERE "ta_1"."status" = 'paid' GROUP BY "ca_1" ORDER BY "ca_2" DESC LIMIT 1000

select a11."region" AS "region", sum(a11."amount") as WJXBFS1, count(distinct a11."user_id") WJXBFS2 from "orders" a11 join "products" a12 on (a11."product_id" = a12."product_id") where a12."brand" in ('a', 'b') group by a11."region"

SELECT COUNT(*) AS "count" FROM "public"."orders" WHERE "public"."orders"."user_id" IN (SELECT "public"."customers"."user_id" FROM "public"."customers" WHERE "public"."customers"."segment" = 'gold')

SELECT DATE_TRUNC('year', "public"."orders"."order_date") AS "order_date", MIN("public"."orders"."quantity") FROM "public"."orders" WHERE quantity = 4 GROUP BY DATE_TRUNC('year', "public"."orders"."order_date")

SELECT DATE_TRUNC('minute', "public"."orders"."created_at") AS t, COUNT(*) FROM public.orders WHERE "public"."orders"."created_at" >= DATE_TRUNC('day', TIMESTAMP '2024-01-05') AND "public"."orders"."created_at" < DATE_TRUNC('day', TIMESTAMP '2024-01-05') + INTERVAL '1 hour' GROUP BY 1

SELECT COUNT(DISTINCT CASE WHEN (((( orders.created_at ) >= (TIMESTAMP '2024-01-01') AND ( orders.created_at ) < (TIMESTAMP '2025-01-01')))) THEN orders.user_id ELSE NULL END) AS a FROM public.orders AS orders WHERE ((orders.region) = 'north' OR (orders.region) ILIKE '%south%')

select "_"."region" as "c1", "_"."a0" as "a0" from ( select "rows"."region" as "region", sum(cast("rows"."quantity" as double precision)) as "a0" from ( select "_"."region", "_"."quantity" from "public"."orders" "_" where "_"."order_date" >= timestamp '2024-01-01 00:00:00' and "_"."order_date" < timestamp '2025-01-01 00:00:00' ) "rows" group by "region" ) "_" where not "_"."a0" is null order by "_"."region" limit 1001

select "rows"."region" as "region", "rows"."status" as "status", sum("rows"."amount") as "a0" from "public"."orders" "rows" where "rows"."region" is not null and ("rows"."status" <> 'new' or "rows"."status" is null) group by "region", "status"

SELECT COUNT(*) AS n FROM orders WHERE quantity > ALL (ARRAY[3, 5]) AND quantity <> ANY (ARRAY[6, 8])

SELECT region, COUNT(*) AS n FROM orders WHERE quantity + 1 <= ANY ([3, 5, NULL]) AND NOT quantity < SOME ([2, 1]) GROUP BY region

SELECT quantity >= ALL ([2, 4]) AS large, COUNT(*) AS n FROM orders WHERE region = ALL (ARRAY['north']) OR (quantity = ANY ([2, 3])) <> ANY ([true]) GROUP BY large

SELECT region, COALESCE(SUM(amount), CAST(0 AS DOUBLE)) AS a, IFNULL(SUM(quantity), 0) AS q, COALESCE(AVG(amount), -1) AS m FROM orders GROUP BY region

WITH t AS (SELECT region, SUM(amount) AS s FROM orders WHERE status = 'paid' GROUP BY region), u AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT u.region, t.s IS NULL AS none, COALESCE(t.s, -1) AS x FROM u LEFT JOIN t ON u.region = t.region

SELECT region, CASE WHEN s IS NULL THEN 0 ELSE s END AS x, COALESCE(LAG(s) OVER (ORDER BY region), -1) AS before FROM (SELECT region, SUM(amount) AS s FROM orders GROUP BY region) t WHERE s IS NOT NULL

SELECT COUNT(*) AS n, SUM(COALESCE(s, 3)) AS t FROM (SELECT user_id, SUM(discount) AS s FROM orders GROUP BY user_id) t WHERE s IS NULL OR s > 2

SELECT ROUND(("orders"."amount" / 10)::numeric, 0) AS "bin", COUNT(*) AS "n" FROM "public"."orders" "orders" GROUP BY 1

SELECT "region", ROUND(AVG(ROUND("amount"::numeric, 1)), 2) AS "mean" FROM "orders" GROUP BY "region"

SELECT COUNT(*) FROM orders WHERE created_at::time BETWEEN '09:00' AND '17:30' AND EXTRACT(isodow FROM created_at) < 6

SELECT CASE WHEN CAST(created_at AS TIME) < TIME '12:00' THEN 'am' ELSE 'pm' END AS half, COUNT(DISTINCT user_id) AS n FROM orders GROUP BY 1 ORDER BY 1

SELECT region, AVG(DATE_PART('day', created_at - order_date) * 24 + DATE_PART('hour', created_at - order_date)) AS hours FROM orders GROUP BY region

SELECT CAST("orders"."created_at" AS TIMESTAMP WITHOUT TIME ZONE) >= (TIMESTAMP '2025-01-01 00:00:00.000') AS "recent", COUNT(*) AS "n" FROM "orders" GROUP BY 1

SELECT TRANSLATE(status, 'aeiou', '_____') AS s, COUNT(*) AS n FROM orders GROUP BY 1

SELECT d::DATE AS day, COALESCE(n, 0) AS n FROM generate_series(DATE '2025-01-01', DATE '2025-01-10', INTERVAL '1 day') AS g(d) LEFT JOIN (SELECT order_date, COUNT(*) AS n FROM orders GROUP BY 1) o ON o.order_date = g.d ORDER BY 1

SELECT b.name, COUNT(*) AS n FROM orders o JOIN (VALUES ('low', 0, 50), ('high', 50, 101)) AS b(name, lo, hi) ON o.amount >= b.lo AND o.amount < b.hi GROUP BY 1

SELECT s.ds, SUM(x.n) AS weekly FROM (SELECT CAST(UNNEST(generate_series(DATE '2025-06-01', DATE '2025-06-10', INTERVAL 1 DAY)) AS DATE) AS ds) s INNER JOIN (SELECT order_date AS ds, 1 AS n FROM orders) x ON x.ds <= s.ds AND x.ds > s.ds - INTERVAL 7 DAY GROUP BY 1 ORDER BY 1

WITH last AS (SELECT user_id, max(order_date) AS l, count(*) AS f, sum(amount) AS m FROM orders GROUP BY 1) SELECT CASE WHEN DATE '2025-12-31' - l <= 30 THEN 'R1' ELSE 'R2' END AS r, CASE WHEN f >= 10 THEN 'F1' ELSE 'F2' END AS f, CASE WHEN m >= 500 THEN 'M1' ELSE 'M2' END AS m, count(*) AS n FROM last GROUP BY 1, 2, 3 HAVING count(*) > 0

SELECT 'FY' || CAST(EXTRACT(YEAR FROM order_date + INTERVAL '6 months') AS VARCHAR) || ' Q' || CAST(EXTRACT(QUARTER FROM order_date + INTERVAL '6 months') AS VARCHAR) AS fq, SUM(amount) AS s FROM orders GROUP BY 1 HAVING COUNT(*) > 0
