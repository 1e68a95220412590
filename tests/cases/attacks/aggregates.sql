-- Aggregates, nested and unsupported

SELECT 1 AS cost, sum(cost) FROM visits
-- answered: cost INTEGER, sum("cost") DOUBLE | 1 row | epsilon 1

SELECT sum(ward) FROM visits x(amount2, ward, a, b, c)
-- refused: line 1, column 8: SUM needs a number

SELECT sum(count(*) FILTER (WHERE age > 3)) FROM visits
-- refused: line 1, column 12: FILTER is not supported on private rows

SELECT sum(DISTINCT age) FROM visits
-- answered: sum(DISTINCT age) HUGEINT | 1 row | epsilon 1

SELECT sum(DISTINCT patient) FROM visits
-- refused: line 1, column 8: SUM(DISTINCT) needs a bounded argument, and the column "patient" has no bounds

SELECT sum(DISTINCT CASE WHEN patient = 777777 THEN age END) FROM visits
-- answered: sum(DISTINCT CASE  WHEN ((patient = 777777)) THEN (age) ELSE NULL END) HUGEINT | 1 row | epsilon 1

SELECT sum(DISTINCT age) IS NULL FROM visits WHERE patient = 777777
-- refused: line 1, column 8: a private SUM is never NULL: over no rows it is 0 with noise

SELECT avg(DISTINCT age) FROM visits
-- answered: avg(DISTINCT age) DOUBLE | 1 row | epsilon 1

SELECT sum(age * 9223372036854775807) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and this one may be 2^62 or farther from 0

SELECT sum(patient * patient) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and the column "patient" has no bounds

SELECT sum(cost) IS NULL FROM visits WHERE patient = 777777
-- refused: line 1, column 8: a private SUM is never NULL: over no rows it is 0 with noise

SELECT avg(cost) FROM visits WHERE patient = 777777
-- answered: avg("cost") DOUBLE | 1 row | epsilon 1

SELECT corr(cost, age) FROM visits
-- answered: corr("cost", age) DOUBLE | 1 row | epsilon 1

SELECT mode(ward) FROM visits
-- answered: "mode"(ward) VARCHAR | 1 row | epsilon 1

SELECT any_value(ward) FROM visits
-- refused: line 1, column 8: ANY_VALUE is not supported

SELECT first(ward) FROM visits
-- refused: line 1, column 8: FIRST is not supported

SELECT string_agg(ward) FROM visits
-- refused: line 1, column 8: STRING_AGG is not supported

SELECT approx_count_distinct(patient) FROM visits
-- answered: approx_count_distinct(patient) BIGINT | 1 row | epsilon 1

SELECT median(cost) FROM visits
-- answered: median("cost") DOUBLE | 1 row | epsilon 1

SELECT count(CASE WHEN patient = 777777 THEN 1 END) FROM visits
-- answered: count(CASE  WHEN ((patient = 777777)) THEN (1) ELSE NULL END) BIGINT | 1 row | epsilon 1

SELECT count(DISTINCT CASE WHEN patient = 777777 THEN doctor END) FROM visits
-- answered: count(DISTINCT CASE  WHEN ((patient = 777777)) THEN (doctor) ELSE NULL END) BIGINT | 1 row | epsilon 1

SELECT count(DISTINCT (patient, age)) FROM visits
-- answered: count(DISTINCT "row"(patient, age)) BIGINT | 1 row | epsilon 1

SELECT sum(0) FROM visits
-- answered: sum(0) HUGEINT | 1 row | epsilon 1

SELECT sum(NULL) FROM visits
-- refused: line 1, column 8: SUM needs a number

SELECT avg(5) FROM visits
-- answered: avg(5) DOUBLE | 1 row | epsilon 1

SELECT variance(3) FROM visits
-- answered: variance(3) DOUBLE | 1 row | epsilon 1

SELECT sum(true) FROM visits
-- answered: sum(true) HUGEINT | 1 row | epsilon 1

SELECT count(NULL) FROM visits
-- answered: count(NULL) BIGINT | 1 row | epsilon 1

SELECT sum(length(note)) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and nothing says how long a text of it may be

SELECT avg(length(note) / 1000.0) FROM visits
-- refused: line 1, column 8: AVG needs a bounded argument, and nothing says how long a text of it may be

SELECT count(*) FROM visits WHERE regexp_replace(note, 'a+b|a', 'y', 'g') = 'y'
-- refused: REGEXP_REPLACE with 'g' takes a pattern that repeats one character without end at most once, outside of |, as \s+ or [^0-9]+ do, and otherwise matches at most 200 characters; or a text of at most 256 characters, as LEFT(x, 256) is

SELECT count(regexp_replace(note, 'a+b|a', 'y', 'g')) FROM visits
-- refused: REGEXP_REPLACE with 'g' takes a pattern that repeats one character without end at most once, outside of |, as \s+ or [^0-9]+ do, and otherwise matches at most 200 characters; or a text of at most 256 characters, as LEFT(x, 256) is

SELECT count(*) FROM visits WHERE regexp_replace(note, '[^a-z]+', '', 'g') = 'y'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE regexp_replace(left(note, 256), 'a+b|a', 'y', 'g') = 'y'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT sum(LEAST(length(note), 10)) FROM visits
-- answered: sum(least(length(note), 10)) HUGEINT | 1 row | epsilon 1

SELECT avg(cost) FROM visits WHERE cost > 500
-- answered: avg("cost") DOUBLE | 1 row | epsilon 1

SELECT avg(cost) FROM visits WHERE cost > 1000 AND cost < 0
-- answered: avg("cost") DOUBLE | 1 row | epsilon 1

SELECT sum(age) FROM visits WHERE age IN (NULL)
-- answered: sum(age) HUGEINT | 1 row | epsilon 1
