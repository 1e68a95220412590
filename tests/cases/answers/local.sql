-- policy: survey

-- A response for every person.
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey
-- randomized_response(smoker) BOOLEAN
-- false
-- false
-- false
-- false
-- false
-- true
-- true
-- true
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- What is not on the list is NULL, and NULL is one value more.
SELECT RANDOMIZED_RESPONSE(country) AS c, RANDOMIZED_RESPONSE(drinks) AS d FROM survey AS s
-- c VARCHAR | d BOOLEAN
-- DE | NULL
-- DE | false
-- DE | true
-- DE | true
-- FR | NULL
-- FR | true
-- IT | false
-- NULL | true
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- The released rows are rows like any others.
SELECT s, COUNT(*) AS n FROM (SELECT RANDOMIZED_RESPONSE(smoker) AS s FROM survey) AS r GROUP BY s
-- s BOOLEAN | n BIGINT
-- false | 5
-- true | 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- WITH names them.
WITH r AS (SELECT RANDOMIZED_RESPONSE(country) AS c FROM survey) SELECT c, COUNT(*) AS n FROM r WHERE c <> 'IT' GROUP BY c
-- c VARCHAR | n BIGINT
-- DE | 4
-- FR | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A condition has two values, and a range of integers has its own.
SELECT RANDOMIZED_RESPONSE(age >= 40) AS older, RANDOMIZED_RESPONSE(age // 10) AS decade FROM survey
-- older BOOLEAN | decade BIGINT
-- false | 1
-- false | 2
-- false | 2
-- false | 3
-- false | 3
-- true | 4
-- true | 5
-- true | 6
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Under RAPPOR a bit for each value, in the order of the list and NULL last.
SELECT bits, substr(bits, 1, 1) = '1' AS de, COUNT(*) AS n FROM (SELECT RAPPOR(country) AS bits FROM survey) AS r GROUP BY ALL
-- bits VARCHAR | de BOOLEAN | n BIGINT
-- 0001 | false | 1
-- 0010 | false | 1
-- 0100 | false | 2
-- 1000 | true | 4
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Expressions of responses, and an order by a response.
SELECT CASE WHEN RANDOMIZED_RESPONSE(smoker) THEN 'yes' ELSE 'no' END AS s FROM survey ORDER BY s DESC LIMIT 4
-- s VARCHAR
-- yes
-- yes
-- yes
-- no
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A mean is estimated without bias: (3/8 - p) / (1 - 2 p) with p = 1 / (1 + e).
SELECT RR_MEAN(smoker) FROM survey
-- rr_mean(smoker) DOUBLE
-- 0.2295058233
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Counts of one value, each from the draws of the whole list; their epsilons add up to the query's.
SELECT RR_COUNT(country, 'DE') AS de, RR_COUNT(country, NULL) AS other, RR_COUNT(drinks, TRUE) AS d FROM survey
-- de DOUBLE | other DOUBLE | d DOUBLE
-- 16.33195266 | -5.16597633 | 10.16597633
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- Estimates from noisy bits, as a share.
SELECT RAPPOR_COUNT(country, 'FR') / 8 AS fr FROM survey
-- fr DOUBLE
-- -0.5207470413
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A private column renamed in a derived table is the same column.
SELECT RR_MEAN(x) FROM (SELECT smoker AS x FROM survey) AS t
-- rr_mean(x) DOUBLE
-- 0.2295058233
-- epsilon 1, delta 0, releases 1, mechanisms 1
