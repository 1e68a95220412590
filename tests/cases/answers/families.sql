-- policy: shop

-- A count of rows is one cell of noise.
SELECT COUNT(*) FROM orders
-- count_star() BIGINT
-- 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- COUNT, SUM and AVG of one column share one noise.
SELECT COUNT(*) AS n, SUM(amount) AS total, AVG(amount) AS mean FROM orders
-- n BIGINT | total DOUBLE | mean DOUBLE
-- 24 | 1123.75 | 46.82291667
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A number of rows and its share share it as well, whichever way the share is written.
SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE rating > 3) AS good, AVG(CASE WHEN rating > 3 THEN 1.0 ELSE 0 END) AS share FROM orders
-- n BIGINT | good BIGINT | share DOUBLE
-- 24 | 9 | 0.375
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A CAST has NULL where the CASE has 0, and each is the share that it says.
SELECT AVG(CASE WHEN rating > 3 THEN 1.0 ELSE 0 END) AS of_all, AVG(CAST(rating > 3 AS INT)) AS of_rated, SUM(CASE WHEN rating > 3 THEN 5 ELSE 0 END) AS points FROM orders
-- of_all DOUBLE | of_rated DOUBLE | points HUGEINT
-- 0.375 | 0.4736842105 | 45
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So do they where the column is nullable: rows and values are counted apart.
SELECT COUNT(*) AS n, COUNT(rating) AS rated, SUM(rating) AS total, AVG(rating) AS mean FROM orders
-- n BIGINT | rated BIGINT | total HUGEINT | mean DOUBLE
-- 24 | 19 | 61 | 3.210526316
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Variances and deviations of one column share the noise of its average.
SELECT AVG(quantity) AS a, VAR_SAMP(quantity) AS vs, VAR_POP(quantity) AS vp, STDDEV_SAMP(quantity) AS ss, STDDEV_POP(quantity) AS sp FROM orders
-- a DOUBLE | vs DOUBLE | vp DOUBLE | ss DOUBLE | sp DOUBLE
-- 4.416666667 | 7.644927536 | 7.326388889 | 2.764946209 | 2.706730295
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- VARIANCE and STDDEV are those of a sample.
SELECT VARIANCE(quantity) = VAR_SAMP(quantity) AS v, STDDEV(quantity) = STDDEV_SAMP(quantity) AS s FROM orders
-- v BOOLEAN | s BOOLEAN
-- true | true
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A sample of one value has no variance, and a group without rows no average.
SELECT product = 105 AS cap, VAR_SAMP(quantity) AS sample, VAR_POP(quantity) AS population FROM orders WHERE region = 'north' AND product >= 103 GROUP BY cap ORDER BY cap
-- cap BOOLEAN | sample DOUBLE | population DOUBLE
-- false | NULL | 0
-- true | NULL | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- MEAN is AVG.
SELECT MEAN(quantity) AS m FROM orders
-- m DOUBLE
-- 4.416666667
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An aggregate that is written twice is released once.
SELECT SUM(quantity) AS a, SUM(quantity) + 1 AS b, -SUM(quantity) AS c FROM orders
-- a HUGEINT | b HUGEINT | c HUGEINT
-- 106 | 107 | -106
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Averages of two columns are one vector with one noise, of the cube mechanism.
SELECT AVG(amount) AS a, AVG(quantity) AS q FROM orders
-- a DOUBLE | q DOUBLE
-- 46.82291667 | 4.416666667
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A sum of an expression is clipped to the expression's range.
SELECT SUM(amount * quantity) AS weighted, SUM(100 - quantity) AS rest, SUM(abs(quantity - 5)) AS apart FROM orders
-- weighted DOUBLE | rest HUGEINT | apart HUGEINT
-- 6730 | 2294 | 56
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A sum of a CASE counts some rows only.
SELECT SUM(CASE WHEN paid THEN amount ELSE 0 END) AS paid, SUM(CASE WHEN paid THEN 1 ELSE 0 END) AS n FROM orders
-- paid DOUBLE | n HUGEINT
-- 886.5 | 18
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- AVG of a CASE without ELSE leaves the other rows out.
SELECT AVG(CASE WHEN paid THEN amount END) AS mean FROM orders
-- mean DOUBLE
-- 49.25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A sum of a constant counts.
SELECT SUM(1) AS n, SUM(2) AS twice FROM orders
-- n HUGEINT | twice HUGEINT
-- 24 | 48
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- An unbounded column can be summed between LEAST and GREATEST.
SELECT SUM(GREATEST(LEAST(product, 110), 100)) AS s FROM orders
-- s HUGEINT
-- 2447
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Customers are counted once, however many orders they have.
SELECT COUNT(DISTINCT customer) AS customers FROM orders
-- customers BIGINT
-- 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Customers of each group.
SELECT region, COUNT(DISTINCT customer) AS customers FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | customers BIGINT
-- east | 3
-- north | 6
-- south | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Distinct values are counted without NULL.
SELECT COUNT(DISTINCT product) AS products, COUNT(DISTINCT coupon) AS coupons, COUNT(DISTINCT upper(region)) AS regions FROM orders
-- products BIGINT | coupons BIGINT | regions BIGINT
-- 5 | 2 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- COUNT of what is never NULL is COUNT(*).
SELECT COUNT(amount) AS a, COUNT(*) AS b, COUNT(1) AS c FROM orders
-- a BIGINT | b BIGINT | c BIGINT
-- 24 | 24 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- FILTER makes a family of its own.
SELECT AVG(amount) FILTER (WHERE paid) AS paid, COUNT(*) FILTER (WHERE paid) AS n FROM orders
-- paid DOUBLE | n BIGINT
-- 49.25 | 18
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Sums of integers are HUGEINT, as in DuckDB, and whole.
SELECT SUM(quantity) AS q, AVG(quantity) AS a FROM orders WHERE region = 'south'
-- q HUGEINT | a DOUBLE
-- 40 | 4.444444444
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Values on either side of 0 add up.
SELECT SUM(quantity - 5) AS s, AVG(quantity - 5) AS a FROM orders
-- s HUGEINT | a DOUBLE
-- -14 | -0.5833333333
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Dates are counted, and differences of dates are averaged.
SELECT AVG(date_diff('day', DATE '2025-01-01', day)) AS days, COUNT(day) AS n FROM orders
-- days DOUBLE | n BIGINT
-- 39.91666667 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Covariances are of the pairs without NULL; four products of both columns' bases serve them.
SELECT COVAR_POP(amount, quantity) AS p, COVAR_SAMP(amount, quantity) AS s, REGR_SXY(amount, quantity) AS xy FROM orders
-- p DOUBLE | s DOUBLE | xy DOUBLE
-- 73.61545139 | 76.81612319 | 1766.770833
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Nine products serve correlations, lines, and the moments of either column.
SELECT CORR(amount, quantity) AS c, REGR_R2(amount, quantity) AS r, REGR_SLOPE(amount, quantity) AS b, REGR_INTERCEPT(amount, quantity) AS a, AVG(quantity) AS q, VAR_POP(amount) AS v, COUNT(*) AS n FROM orders
-- c DOUBLE | r DOUBLE | b DOUBLE | a DOUBLE | q DOUBLE | v DOUBLE | n BIGINT
-- 0.9959458756 | 0.9919081871 | 10.04798578 | 2.444312796 | 4.416666667 | 745.7212457 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A pair is left out where one of its values is NULL; a count of pairs may turn out negative, and is a BIGINT.
SELECT REGR_COUNT(rating, quantity) AS n, REGR_AVGX(rating, quantity) AS x, REGR_AVGY(rating, quantity) AS y, REGR_SXX(rating, quantity) AS sxx, REGR_SYY(rating, quantity) AS syy, CORR(rating, quantity) AS c FROM orders
-- n BIGINT | x DOUBLE | y DOUBLE | sxx DOUBLE | syy DOUBLE | c DOUBLE
-- 19 | 4.578947368 | 3.210526316 | 138.6315789 | 35.15789474 | -0.1477610453
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- CORR is NULL where a column does not vary, and all of them where there are too few pairs.
SELECT CORR(quantity, quantity - quantity) AS c, REGR_R2(quantity - quantity, quantity) AS flat, REGR_SLOPE(quantity, quantity - quantity) AS b, COVAR_SAMP(quantity, amount) FILTER (WHERE quantity > 1000) AS s FROM orders
-- c DOUBLE | flat DOUBLE | b DOUBLE | s DOUBLE
-- NULL | 1 | NULL | NULL
-- epsilon 1, delta 0, releases 1, mechanisms 3

-- Sums under conditions that exclude each other share one epsilon, and so does the whole beside its parts.
SELECT SUM(CASE WHEN paid THEN 1 ELSE 0 END) AS paid, COUNT(*) FILTER (WHERE NOT paid) AS open, COUNT(*) AS n FROM orders
-- paid HUGEINT | open BIGINT | n BIGINT
-- 18 | 6 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So do ranges without a number in common, whatever is summed in each.
SELECT SUM(amount) FILTER (WHERE quantity < 3) AS few, AVG(amount) FILTER (WHERE quantity BETWEEN 3 AND 6) AS some, COUNT(*) FILTER (WHERE quantity > 6) AS many FROM orders
-- few DOUBLE | some DOUBLE | many BIGINT
-- 105 | 46.70454545 | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What NULL leaves undecided is neither of both.
SELECT COUNT(*) FILTER (WHERE rating >= 3) AS good, COUNT(*) FILTER (WHERE rating < 3) AS bad, COUNT(*) FILTER (WHERE (rating >= 3) IS NULL) AS unknown, COUNT(*) AS n FROM orders
-- good BIGINT | bad BIGINT | unknown BIGINT | n BIGINT
-- 13 | 6 | 5 | 24
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The branches of a CASE exclude each other: what an earlier one took, a later one does not have.
SELECT region, SUM(CASE WHEN amount > 50 THEN 0 WHEN paid THEN amount END) AS small, COUNT(CASE WHEN amount > 50 THEN 1 END) AS large, SUM(CASE WHEN amount > 50 OR paid THEN 0 ELSE 2 END) AS rest FROM orders GROUP BY region ORDER BY region
-- region VARCHAR | small DOUBLE | large BIGINT | rest HUGEINT
-- east | 0 | 4 | 2
-- north | 123.75 | 2 | 4
-- south | 147.5 | 4 | 2
-- west | 0 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Conditions that a row may satisfy together share no epsilon.
SELECT COUNT(*) FILTER (WHERE paid) AS paid, COUNT(DISTINCT quantity) FILTER (WHERE amount > 50) AS large FROM orders
-- paid BIGINT | large BIGINT
-- 18 | 6
-- epsilon 1, delta 0, releases 1, mechanisms 2
