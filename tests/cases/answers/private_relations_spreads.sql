-- policy: linked

-- The deviation and the variance of each person's orders; of one order there is none.
SELECT COUNT(sd) AS n, AVG(sd) AS sd, AVG(v) AS v FROM (SELECT customer, STDDEV(amount) AS sd, VAR_POP(quantity) AS v FROM orders GROUP BY customer) o
-- n BIGINT | sd DOUBLE | v DOUBLE
-- 8 | 9.924514771 | 0.8240729438
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The middle of each person's orders, and groups of it.
SELECT plan, AVG(middle) AS middle FROM (SELECT plan, person, MEDIAN(amount) AS middle FROM people JOIN orders ON person = customer GROUP BY plan, person) o GROUP BY plan ORDER BY plan
-- plan VARCHAR | middle DOUBLE
-- A | 58.6875
-- B | 55.8125
-- NULL | 6
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Quantiles and a filter of what they are of.
SELECT AVG(a) AS a, SUM(b) AS b FROM (SELECT customer, QUANTILE_CONT(amount, 0.9) FILTER (WHERE region <> 'east') AS a, PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY quantity) AS b FROM orders GROUP BY customer) o
-- a DOUBLE | b HUGEINT
-- 51.81251526 | 38
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- People whose orders differ much.
SELECT COUNT(*) AS n FROM people WHERE (SELECT STDDEV_POP(amount) FROM orders WHERE customer = person) > 20
-- n BIGINT
-- 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- How many conditions hold for each person.
SELECT paid, COUNT(*) AS n FROM (SELECT customer, SUM(quantity > 5) AS paid FROM orders GROUP BY customer) o GROUP BY paid HAVING COUNT(*) > 0 ORDER BY paid
-- paid HUGEINT | n BIGINT
-- 0 | 5
-- 1 | 1
-- 2 | 2
-- 3 | 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The second largest order of each person.
SELECT COUNT(*) AS n, SUM(x.amount) AS s FROM people p JOIN LATERAL (SELECT amount FROM orders o WHERE o.customer = p.person ORDER BY amount DESC LIMIT 1 OFFSET 1) x ON true
-- n BIGINT | s DOUBLE
-- 8 | 357.5
-- epsilon 1, delta 0, releases 1, mechanisms 1
