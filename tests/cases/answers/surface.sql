-- policy: shop

-- Orders of one customer beside each other: a self-join inside the unit.
SELECT COUNT(*) AS pairs FROM orders AS a JOIN orders AS b ON a.customer = b.customer WHERE a.placed < b.placed AND a.region = b.region
-- pairs BIGINT
-- 12
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same as a comma join.
SELECT a.region, COUNT(*) AS pairs FROM orders AS a, orders AS b WHERE a.customer = b.customer AND a.day < b.day GROUP BY a.region
-- region VARCHAR | pairs BIGINT
-- east | 2
-- north | 22
-- south | 13
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Three private tables of one unit in a comma join, one of them along its foreign key.
-- policy: linked
SELECT p.plan, COUNT(*) AS parcels, SUM(x.weight) AS weight FROM people AS p, trips AS t, parcels AS x WHERE p.person = t.person AND t.trip = x.of_trip GROUP BY p.plan
-- plan VARCHAR | parcels BIGINT | weight HUGEINT
-- A | 7 | 32
-- B | 1 | 3
-- NULL | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- People by their number of trips, those without any too.
-- policy: linked
SELECT n, COUNT(*) AS people FROM (SELECT p.person, COUNT(t.trip) AS n FROM people AS p LEFT JOIN trips AS t ON p.person = t.person GROUP BY p.person) AS v GROUP BY n ORDER BY n
-- n BIGINT | people BIGINT
-- 0 | 7
-- 1 | 2
-- 2 | 1
-- 3 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Totals of each person, averaged: people without orders count with 0.
-- policy: linked
SELECT plan, AVG(total) AS mean_total FROM (SELECT p.person, p.plan, COALESCE(SUM(o.quantity), 0) AS total FROM people AS p LEFT JOIN orders AS o ON p.person = o.customer GROUP BY p.person, p.plan) AS v GROUP BY plan
-- plan VARCHAR | mean_total DOUBLE
-- A | 14.2
-- B | 8.5
-- NULL | 0.5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- RIGHT JOIN is a LEFT JOIN from the other side.
-- policy: linked
SELECT COUNT(*) AS lines, COUNT(t.trip) AS trips FROM trips AS t RIGHT JOIN people AS p ON t.person = p.person
-- lines BIGINT | trips BIGINT
-- 14 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- FULL JOIN of two private tables inside the unit.
-- policy: linked
SELECT COUNT(*) AS lines, COUNT(o.customer) AS orders, COUNT(t.trip) AS trips FROM orders AS o FULL JOIN trips AS t ON o.customer = t.person
-- lines BIGINT | orders BIGINT | trips BIGINT
-- 37 | 36 | 28
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NOT IN of a list that has NULL is true of nobody, in SQL.
-- policy: linked
SELECT COUNT(*) FROM people WHERE plan NOT IN (SELECT coupon FROM (VALUES ('A'), (NULL)) AS c(coupon))
-- count_star() BIGINT
-- 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NOT IN of what the same person has elsewhere.
-- policy: linked
SELECT COUNT(*) FROM people AS p WHERE p.person NOT IN (SELECT t.person FROM trips AS t)
-- count_star() BIGINT
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NOT EXISTS of the same.
-- policy: linked
SELECT COUNT(*) FROM people AS p WHERE NOT EXISTS (SELECT * FROM trips AS t WHERE t.person = p.person)
-- count_star() BIGINT
-- 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- EXISTS with a condition of its own.
-- policy: linked
SELECT COUNT(*) FROM people AS p WHERE EXISTS (SELECT * FROM orders AS o WHERE o.customer = p.person AND o.quantity >= 8)
-- count_star() BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A join to a public table on any condition multiplies rows, up to the cap.
SELECT t.tag, COUNT(*) FROM orders AS o JOIN tags AS t ON o.region < t.region GROUP BY t.tag
-- tag VARCHAR | count_star() BIGINT
-- cold | 5
-- sea | 5
-- warm | 15
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- UNION of the rows of one unit.
SELECT COUNT(*) FROM (SELECT customer, region FROM orders WHERE paid UNION SELECT customer, region FROM orders WHERE quantity > 5) AS v
-- count_star() BIGINT
-- 13
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- INTERSECT of the rows of one unit.
SELECT COUNT(*) FROM (SELECT customer, region FROM orders WHERE paid INTERSECT SELECT customer, region FROM orders WHERE quantity > 5) AS v
-- count_star() BIGINT
-- 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- EXCEPT of the rows of one unit.
SELECT COUNT(*) FROM (SELECT customer, region FROM orders EXCEPT SELECT customer, region FROM orders WHERE paid) AS v
-- count_star() BIGINT
-- 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- DISTINCT inside one unit.
SELECT region, COUNT(*) AS customers FROM (SELECT DISTINCT customer, region FROM orders) AS v GROUP BY region
-- region VARCHAR | customers BIGINT
-- east | 3
-- north | 6
-- south | 5
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- VALUES as a public table.
SELECT v.label, COUNT(*) FROM orders AS o JOIN (VALUES ('north', 'up'), ('south', 'down')) AS v(region, label) ON o.region = v.region GROUP BY v.label
-- label VARCHAR | count_star() BIGINT
-- down | 9
-- up | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A correlated aggregate: orders above their customer's mean.
SELECT COUNT(*) FROM orders AS o WHERE o.amount > (SELECT AVG(i.amount) FROM orders AS i WHERE i.customer = o.customer)
-- count_star() BIGINT
-- 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A correlated aggregate over a released table.
SELECT COUNT(*) FROM orders AS o WHERE o.quantity > (SELECT AVG(i.quantity) FROM orders AS i WHERE i.region = o.region)
-- count_star() BIGINT
-- 11
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- A released table that is joined and tested by IN; WITH is released once.
WITH n AS (SELECT region, COUNT(*) AS c FROM orders GROUP BY region) SELECT n.region, n.c, (SELECT MAX(c) FROM n) AS most FROM n WHERE n.region IN (SELECT region FROM n WHERE c > 5)
-- region VARCHAR | c BIGINT | most BIGINT
-- north | 10 | 10
-- south | 9 | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A truth that holds for all, or for any, of the rows of one customer.
SELECT always, ever, COUNT(*) FROM (SELECT customer, BOOL_AND(paid) AS always, BOOL_OR(quantity >= 8) AS ever FROM orders GROUP BY customer) AS v GROUP BY always, ever
-- always BOOLEAN | ever BOOLEAN | count_star() BIGINT
-- false | false | 4
-- false | true | 1
-- true | false | 2
-- true | true | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Covariance and the line through two columns.
SELECT COVAR_POP(amount, quantity), COVAR_SAMP(amount, quantity) FROM orders
-- covar_pop(amount, quantity) DOUBLE | covar_samp(amount, quantity) DOUBLE
-- 73.61545139 | 76.81612319
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The line of a regression.
SELECT REGR_SLOPE(amount, quantity), REGR_INTERCEPT(amount, quantity) FROM orders
-- regr_slope(amount, quantity) DOUBLE | regr_intercept(amount, quantity) DOUBLE
-- 10.04798578 | 2.444312796
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Different pairs.
SELECT COUNT(DISTINCT region, paid) FROM orders
-- count(DISTINCT (region, paid)) BIGINT
-- 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Different pairs, as a row.
SELECT COUNT(DISTINCT (region, paid)) FROM orders
-- count(DISTINCT "row"(region, paid)) BIGINT
-- 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Other names of aggregates.
SELECT mean(quantity), countif(paid), count_if(quantity > 5), approx_count_distinct(customer) FROM orders
-- mean(quantity) DOUBLE | countif(paid) HUGEINT | count_if((quantity > 5)) HUGEINT | approx_count_distinct(customer) BIGINT
-- 4.416666667 | 18 | 8 | 9
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- The first k groups by a sum, with its value.
SELECT region, SUM(quantity) AS s FROM orders GROUP BY region ORDER BY s DESC LIMIT 2
-- region VARCHAR | s HUGEINT
-- south | 40
-- east | 36
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The best group by distinct units, the key alone.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(DISTINCT customer) DESC LIMIT 1
-- region VARCHAR
-- north
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The last two groups by a count.
SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) LIMIT 2
-- region VARCHAR
-- west
-- east
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The best month, whose domain is derived.
SELECT EXTRACT(month FROM day) AS m, SUM(amount) FROM orders GROUP BY m ORDER BY 2 DESC LIMIT 1
-- m BIGINT | sum(amount) DOUBLE
-- 2 | 458.5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The best group by an average is released and sorted.
SELECT region, AVG(amount) FROM orders GROUP BY region ORDER BY AVG(amount) DESC LIMIT 1
-- region VARCHAR | avg(amount) DOUBLE
-- east | 74.8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The best two groups of a private domain.
SELECT product FROM orders GROUP BY product ORDER BY COUNT(*) DESC LIMIT 2
-- product BIGINT
-- 101
-- 102
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- QUALIFY on the rows of one unit: each customer's first order.
SELECT region, COUNT(*) FROM (SELECT customer, region FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY customer ORDER BY placed) = 1) AS v GROUP BY region
-- region VARCHAR | count_star() BIGINT
-- east | 1
-- north | 5
-- south | 3
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- QUALIFY on released groups.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region QUALIFY RANK() OVER (ORDER BY n DESC) <= 2
-- region VARCHAR | n BIGINT
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Dates moved by intervals, and compared.
SELECT COUNT(*) FROM orders WHERE placed + INTERVAL 36 HOUR < TIMESTAMP '2025-02-01 00:00:00' AND day - INTERVAL '1 month' >= DATE '2024-12-06'
-- count_star() BIGINT
-- 8
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Parts of dates.
SELECT EXTRACT(dow FROM day) AS dow, COUNT(*) FROM orders GROUP BY dow ORDER BY dow
-- dow BIGINT | count_star() BIGINT
-- 0 | 4
-- 1 | 5
-- 2 | 3
-- 3 | 1
-- 4 | 2
-- 5 | 5
-- 6 | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- strftime with a constant format.
SELECT strftime(day, '%Y-%m') AS m, COUNT(*) FROM orders GROUP BY m ORDER BY m
-- m VARCHAR | count_star() BIGINT
-- 2025-01 | 9
-- 2025-02 | 8
-- 2025-03 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Days between dates.
SELECT date_diff('week', DATE '2025-01-01', day) AS w, COUNT(*) FROM orders WHERE day < DATE '2025-02-01' GROUP BY w ORDER BY w
-- w BIGINT | count_star() BIGINT
-- 0 | 3
-- 1 | 3
-- 2 | 3
-- 3 | 0
-- 4 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Patterns of LIKE.
SELECT COUNT(*) FROM orders WHERE region LIKE '%th' AND region NOT LIKE 's_uth' AND region ILIKE 'NO%' AND region NOT ILIKE '%x%'
-- count_star() BIGINT
-- 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Texts cut, joined and trimmed.
SELECT UPPER(SUBSTRING(region, 1, 2)) AS a, LOWER(TRIM(CONCAT(' ', region, ' '))) AS b, COUNT(*) FROM orders GROUP BY a, b
-- a VARCHAR | b VARCHAR | count_star() BIGINT
-- EA | east | 5
-- NO | north | 10
-- SO | south | 9
-- WE | west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Regular expressions.
SELECT COUNT(*) FROM orders WHERE regexp_matches(region, '^(no|so).*h$')
-- count_star() BIGINT
-- 19
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Casts that fail are NULL.
SELECT TRY_CAST(region AS INTEGER) AS n, CAST(quantity AS VARCHAR) AS q, COUNT(*) FROM orders WHERE quantity < 3 GROUP BY n, q
-- n INTEGER | q VARCHAR | count_star() BIGINT
-- NULL | 0 | 1
-- NULL | 1 | 3
-- NULL | 2 | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NULL where two are equal, and what stands for NULL.
SELECT IFNULL(NULLIF(rating, 5), 0) AS r, COUNT(*) FROM orders GROUP BY r ORDER BY r
-- r BIGINT | count_star() BIGINT
-- 0 | 9
-- 1 | 3
-- 2 | 3
-- 3 | 4
-- 4 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Lists, ranges and their opposites.
SELECT COUNT(*) FROM orders WHERE quantity NOT BETWEEN 2 AND 4 AND region NOT IN ('east', 'west') AND product IN (101, 102) AND amount BETWEEN 1 AND 60
-- count_star() BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NULL is distinct from everything but NULL.
SELECT COUNT(*) FROM orders WHERE coupon IS DISTINCT FROM 'spring' AND rating IS NOT DISTINCT FROM NULL
-- count_star() BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The greatest and the least of several.
SELECT SUM(GREATEST(quantity, rating, 3)), SUM(LEAST(amount, 50)) FROM orders
-- sum(greatest(quantity, rating, 3)) HUGEINT | sum(least(amount, 50)) DOUBLE
-- 125 | 882.75
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The names and types of what may be asked.
SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_name = 'regions' ORDER BY ordinal_position
-- table_name VARCHAR | column_name VARCHAR | data_type VARCHAR
-- regions | region | VARCHAR
-- regions | country | VARCHAR
-- regions | zone | BIGINT
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- What the policy says of a column.
SELECT column_name, type FROM dpsql.columns WHERE table_name = 'orders' AND column_name IN ('amount', 'coupon') ORDER BY column_name
-- column_name VARCHAR | type VARCHAR
-- amount | float
-- coupon | text
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- ~ searches a text, !~ says that nothing is found.
SELECT region ~ 'o' AS o, region !~ '^(n|s)' AS other, COUNT(*) FROM orders GROUP BY o, other
-- o BOOLEAN | other BOOLEAN | count_star() BIGINT
-- false | true | 5
-- true | false | 19
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- SIMILAR TO is about all of a text.
SELECT COUNT(*) FILTER (WHERE region SIMILAR TO 'n.*h') AS n, COUNT(*) FILTER (WHERE region SIMILAR TO 'o') AS o, COUNT(*) FILTER (WHERE region NOT SIMILAR TO '(north|south)') AS other FROM orders
-- n BIGINT | o BIGINT | other BIGINT
-- 10 | 0 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same as a function, and over public rows.
SELECT r.country ~ 'land$' AS land, COUNT(*) FILTER (WHERE regexp_full_match(o.region, '[a-z]{5}')) AS five FROM orders AS o JOIN regions AS r USING (region) GROUP BY land
-- land BOOLEAN | five BIGINT
-- true | 19
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A date of its parts.
SELECT MAKE_DATE(EXTRACT(year FROM day), EXTRACT(month FROM day), 1) AS month, COUNT(*) FROM orders GROUP BY month
-- month DATE | count_star() BIGINT
-- 2025-01-01 | 9
-- 2025-02-01 | 8
-- 2025-03-01 | 7
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- No date is NULL: there is no 30th of February.
SELECT COUNT(MAKE_DATE(2025, 2, quantity * 5)) AS dates, COUNT(*) AS orders FROM orders WHERE quantity BETWEEN 4 AND 7
-- dates BIGINT | orders BIGINT
-- 6 | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The group with the most and the least, over a released table.
SELECT MAX_BY(region, n) AS most, MIN_BY(region, n) AS least FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS v
-- most VARCHAR | least VARCHAR
-- north | west
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A comma binds looser than a join: here each pair of an order and a region stands beside each product.
SELECT r.region, COUNT(o.customer) AS n FROM orders AS o RIGHT JOIN regions AS r ON o.region = r.region, products AS p GROUP BY r.region
-- region VARCHAR | n BIGINT
-- east | 30
-- north | 60
-- south | 54
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- NATURAL JOIN before a comma.
SELECT COUNT(*) AS n FROM products AS p NATURAL JOIN orders AS o, regions AS r
-- n BIGINT
-- 96
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- FULL JOIN before a comma.
-- policy: linked
SELECT COUNT(*) AS n, COUNT(t.trip) AS trips FROM orders AS o FULL JOIN trips AS t ON o.customer = t.person, regions AS g
-- n BIGINT | trips BIGINT
-- 148 | 112
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A union of three, with NULL where one has no such column, and a whole number beside a double.
SELECT COUNT(*), COUNT(x), SUM(x) FROM (SELECT customer, quantity AS x FROM orders UNION ALL SELECT customer, NULL FROM orders WHERE paid UNION ALL SELECT customer, amount FROM orders) AS v
-- count_star() BIGINT | count(x) BIGINT | sum(x) DOUBLE
-- 66 | 48 | 1229.75
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same, its first side NULL.
SELECT k, COUNT(*), COUNT(x) FROM (SELECT customer, NULL AS k, quantity AS x FROM orders UNION ALL SELECT customer, 'a', NULL FROM orders WHERE paid) AS v GROUP BY k
-- k VARCHAR | count_star() BIGINT | count(x) BIGINT
-- NULL | 24 | 24
-- a | 18 | 0
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- EXCEPT of a number beside a double.
SELECT COUNT(*) FROM (SELECT customer, quantity FROM orders EXCEPT SELECT customer, amount / 10 FROM orders) AS v
-- count_star() BIGINT
-- 15
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A date beside a moment.
SELECT COUNT(*) FROM (SELECT customer, day AS x FROM orders UNION SELECT customer, placed FROM orders) AS v WHERE x > DATE '2025-02-01'
-- count_star() BIGINT
-- 28
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- FULL JOIN of two public tables beside private rows.
SELECT t.tag, COUNT(*) FROM regions AS r FULL JOIN tags AS t ON t.region = r.region AND t.tag <> 'sea' JOIN orders AS o ON o.region = r.region GROUP BY t.tag
-- tag VARCHAR | count_star() BIGINT
-- NULL | 5
-- cold | 10
-- warm | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The same by USING, whose column is that of the side that has one.
SELECT zone, COUNT(*) FROM (SELECT * FROM regions WHERE region <> 'south') AS r FULL JOIN tags AS t USING (region) JOIN orders AS o USING (region) GROUP BY zone
-- zone BIGINT | count_star() BIGINT
-- 1 | 20
-- 2 | 5
-- 3 | 0
-- NULL | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Rows that neither side of it matches are listed.
SELECT r.region, COUNT(o.customer) FROM tags AS t FULL JOIN regions AS r ON t.region = r.region LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region
-- region VARCHAR | count(o.customer) BIGINT
-- east | 5
-- north | 20
-- south | 9
-- west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Three public tables.
SELECT COUNT(*) AS n, COUNT(t.tag) AS tags, COUNT(p.label) AS labels FROM regions AS r FULL JOIN tags AS t ON t.region = r.region FULL JOIN products AS p ON p.product = 100 + r.zone, orders AS o WHERE o.product = p.product
-- n BIGINT | tags BIGINT | labels BIGINT
-- 42 | 36 | 42
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- One before a CROSS JOIN.
SELECT COUNT(*) AS n FROM regions AS r FULL JOIN tags AS t USING (region) CROSS JOIN orders AS o WHERE o.region = 'east'
-- n BIGINT
-- 25
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- One by a condition that nothing meets.
SELECT r.region AS a, t.region AS b, COUNT(*) FROM regions AS r FULL JOIN tags AS t ON false JOIN orders AS o ON o.region = COALESCE(r.region, t.region) GROUP BY ALL
-- a VARCHAR | b VARCHAR | count_star() BIGINT
-- NULL | east | 5
-- NULL | north | 20
-- NULL | south | 9
-- east | NULL | 5
-- north | NULL | 10
-- south | NULL | 9
-- west | NULL | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- All columns of one of its sides.
SELECT COUNT(*) FROM (SELECT o.customer, t.* FROM regions AS r FULL JOIN tags AS t USING (region) JOIN orders AS o ON o.region = t.region) AS v WHERE tag = 'sea'
-- count_star() BIGINT
-- 15
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- One of its sides is a name of WITH.
WITH regions AS (SELECT 'north' AS region) SELECT COUNT(*) FROM regions AS r FULL JOIN tags AS t USING (region) JOIN orders AS o ON o.region = r.region
-- count_star() BIGINT
-- 20
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- One of its sides was released.
WITH n AS (SELECT region, COUNT(*) AS c FROM orders GROUP BY region) SELECT COUNT(*) FROM n FULL JOIN tags AS t USING (region) JOIN orders AS o USING (region) WHERE c > 5
-- count_star() BIGINT
-- 29
-- epsilon 1, delta 0, releases 2, mechanisms 2

-- ESCAPE takes one character from its meaning in a pattern, and the rest of the pattern keeps it.
SELECT COUNT(*) FILTER (WHERE region LIKE 'n!orth%' ESCAPE '!') AS a, COUNT(*) FILTER (WHERE region LIKE 'n!%' ESCAPE '!') AS b,
  COUNT(*) FILTER (WHERE region NOT ILIKE 'N%' ESCAPE '^') AS c
FROM orders
-- a BIGINT | b BIGINT | c BIGINT
-- 10 | 0 | 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- TRIM takes characters, in each of its spellings.
SELECT LTRIM(RTRIM(region, 'ht'), 'nso') AS a, TRIM(BOTH 'nh' FROM region) AS b, TRIM(region, 'nh') AS c, COUNT(*) AS n
FROM orders GROUP BY a, b, c ORDER BY ALL
-- a VARCHAR | b VARCHAR | c VARCHAR | n BIGINT
-- eas | east | east | 5
-- r | ort | ort | 10
-- u | sout | sout | 9
-- wes | west | west | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A string between dollars is one in quotes.
SELECT $$it's$$ AS a, $tag$a $$ b;$tag$ AS b, COUNT(*) AS n FROM orders WHERE region = $$north$$
-- a VARCHAR | b VARCHAR | n BIGINT
-- it's | a $$ b; | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- HAVING takes a name of the SELECT list for it also where a column has the name, unless it is grouped by that column.
SELECT region, COUNT(*) AS quantity FROM orders GROUP BY region HAVING quantity > 5 ORDER BY region
-- region VARCHAR | quantity BIGINT
-- north | 10
-- south | 9
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A key that HAVING names is the key, and not what SELECT gives its name to.
SELECT UPPER(region) AS region, COUNT(*) AS n FROM orders GROUP BY region HAVING region = 'north'
-- region VARCHAR | n BIGINT
-- NORTH | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- HAVING over the rows of one person prefers a name of the SELECT list to a column as well.
SELECT COUNT(*) AS n FROM (SELECT customer, SUM(quantity) AS quantity FROM orders GROUP BY customer HAVING quantity >= 10) x
-- n BIGINT
-- 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name of WITH may stand for VALUES.
WITH targets(region, target) AS (VALUES ('north', 30), ('south', 35), ('east)', 36 - 1))
SELECT t.region, t.target, SUM(o.quantity) AS s FROM targets t JOIN orders o ON o.region = t.region GROUP BY 1, 2 ORDER BY 1
-- region VARCHAR | target INTEGER | s HUGEINT
-- north | 30 | 30
-- south | 35 | 40
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Nor need there be white space around it.
WITH v(a) AS(VALUES(1),(2))SELECT*FROM v
-- a INTEGER
-- 1
-- 2
-- epsilon 0, delta 0, releases 0, mechanisms 0

-- VALUES is a query with what may stand behind one.
VALUES (1, 'a'), (2, (SELECT 'b')) ORDER BY col0 DESC LIMIT 1
-- col0 INTEGER | col1 VARCHAR
-- 2 | b
-- epsilon 0, delta 0, releases 0, mechanisms 0
