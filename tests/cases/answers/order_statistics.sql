-- policy: shop

-- The value whose rank is nearest to the middle is chosen: the twelfth of 24
SELECT MEDIAN(amount) AS m FROM orders
-- m DOUBLE
-- 44
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- One count of cells serves several quantiles, of which each has its share; a group without rows has none
SELECT region, QUANTILE_CONT(quantity, 0.25) AS low, QUANTILE_DISC(quantity, 0.75) AS high FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | low DOUBLE | high BIGINT
-- east | 7 | 8
-- north | 1 | 4
-- south | 3 | 6
-- west | NULL | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- DESC counts from the greatest value, a negative level as well
SELECT PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY quantity DESC) AS a, QUANTILE_DISC(quantity, -0.25) AS b, APPROX_QUANTILE(quantity, 0.25) AS c FROM orders
-- a BIGINT | b BIGINT | c BIGINT
-- 6 | 6 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Over few rows MIN and MAX aim at the median: the least of few values says too much of one unit
SELECT MIN(day) AS first, MAX(day) AS last, MEDIAN(day) AS middle FROM orders
-- first DATE | last DATE | middle TIMESTAMP
-- 2025-02-09 | 2025-02-09 | 2025-02-09 00:00:00
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- The NULLs of a column have no rank, and FILTER leaves rows out
SELECT MEDIAN(rating) AS m, QUANTILE(amount, 0.5) FILTER (WHERE NOT paid) AS unpaid FROM orders
-- m DOUBLE | unpaid DOUBLE
-- 3 | 30
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Over no rows an order statistic is NULL, a mode as well
SELECT MEDIAN(amount) AS m, MODE(region) AS r, MAX(day) AS d FROM orders WHERE quantity > 10
-- m DOUBLE | r VARCHAR | d DATE
-- NULL | NULL | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- Sums and statistics of one release share its epsilon by measure
SELECT COUNT(*) AS n, AVG(amount) AS a, MEDIAN(amount) AS m FROM orders
-- n BIGINT | a DOUBLE | m DOUBLE
-- 24 | 46.82291667 | 44
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Groups of private keys are found first, and their statistics chosen then
SELECT product, MEDIAN(amount) AS m FROM orders GROUP BY product ORDER BY product
-- product BIGINT | m DOUBLE
-- 101 | 35.5
-- 102 | 40
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- A statistic is a column like any other once it is released
SELECT region FROM orders GROUP BY region HAVING MEDIAN(amount) > 30 ORDER BY MAX(amount) DESC, region
-- region VARCHAR
-- east
-- south
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- A released median is compared with private rows
SELECT COUNT(*) AS n FROM orders WHERE amount > (SELECT MEDIAN(amount) FROM orders)
-- n BIGINT
-- 12
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- The most frequent value of a public list, which NULL is no value of
SELECT MODE(region) AS region, MODE(rating) AS rating, MODE(coupon) FILTER (WHERE paid) AS coupon FROM orders
-- region VARCHAR | rating BIGINT | coupon VARCHAR
-- north | 4 | spring
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- The mode of an expression with few values
SELECT region, MODE(date_trunc('month', day)) AS m FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | m TIMESTAMP
-- east | 2025-03-01 00:00:00
-- north | 2025-01-01 00:00:00
-- south | 2025-02-01 00:00:00
-- west | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Whether a condition holds for any row, or for all of them
SELECT BOOL_OR(quantity > 9) AS big, BOOL_AND(amount >= 0) AS positive, BOOL_AND(paid) AS paid, BOOL_OR(amount < 0) AS owed FROM orders
-- big BOOLEAN | positive BOOLEAN | paid BOOLEAN | owed BOOLEAN
-- true | true | false | false
-- epsilon 1, delta 0, releases 1, mechanisms 4

-- The median of an expression, and of a moment, which has a cell of minutes
SELECT MEDIAN(amount / 2 + quantity) AS m, MEDIAN(placed) AS p FROM orders
-- m DOUBLE | p TIMESTAMP
-- 26.015625 | 2025-02-09 20:30:00
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Aliases of DuckDB
SELECT APPROX_COUNT_DISTINCT(product) AS products, COUNTIF(paid) AS paid, MEAN(quantity) AS q FROM orders
-- products BIGINT | paid HUGEINT | q DOUBLE
-- 5 | 18 | 4.416666667
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Several quantiles at once.
SELECT region, QUANTILE_CONT(amount, [0.25, 0.75]) FILTER (WHERE amount > 1) AS q FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | q DOUBLE[]
-- east | [70.0, 85.0]
-- north | [15.5, 45.25]
-- south | [35.5, 60.0]
-- west | [None, None]
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- The same, and a mode, in the form of the standard.
SELECT PERCENTILE_DISC(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY quantity) AS q, MODE() WITHIN GROUP (ORDER BY region) AS m FROM orders
-- q BIGINT[] | m VARCHAR
-- [1, 8] | north
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- The least and the greatest of the listed texts.
SELECT MIN(region) AS a, MAX(region) AS b FROM orders
-- a VARCHAR | b VARCHAR
-- north | north
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Of texts whose list is derived; NULL where nobody is.
SELECT region, MAX(UPPER(coupon)) AS b FROM orders GROUP BY region
-- region VARCHAR | b VARCHAR
-- east | SPRING
-- north | SPRING
-- south | SPRING
-- west | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Of a CASE, and of some rows.
SELECT paid, MIN(CASE WHEN quantity > 4 THEN 'many' WHEN quantity > 1 THEN 'some' END) AS a, MAX(region) FILTER (WHERE amount > 20) AS b FROM orders GROUP BY paid ORDER BY paid
-- paid BOOLEAN | a VARCHAR | b VARCHAR
-- false | some | south
-- true | many | north
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- MIN and MODE of texts that WHERE lists.
SELECT paid, MIN(CAST(product AS VARCHAR)) AS lo, MODE(CAST(product AS VARCHAR)) AS often FROM orders WHERE CAST(product AS VARCHAR) IN ('101', '102') GROUP BY paid ORDER BY paid
-- paid BOOLEAN | lo VARCHAR | often VARCHAR
-- false | 101 | 101
-- true | 101 | 101
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Tableau: ATTR of a text without a list, of the values that enough customers have beside the group.
SELECT region, MIN(p) AS lo, MAX(p) AS hi FROM (SELECT DISTINCT region, CAST(product AS VARCHAR) AS p FROM orders) AS v GROUP BY region ORDER BY region
-- region VARCHAR | lo VARCHAR | hi VARCHAR
-- north | 101 | 101
-- south | 102 | 102
-- epsilon 1, delta 1e-06, releases 1, mechanisms 2
