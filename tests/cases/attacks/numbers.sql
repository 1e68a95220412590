-- Numbers and texts at the ends of what can be read

SELECT count(*) FROM visits WHERE day + INTERVAL '²' DAY > day
-- refused: line 1, column 41: an INTERVAL needs a whole number and a unit

SELECT count(*) FROM visits WHERE day + INTERVAL '--5' DAY > day
-- refused: line 1, column 41: an INTERVAL needs a whole number and a unit

SELECT lpad('x', '²', 'y')
-- refused: line 1, column 8: LPAD and RPAD take a constant length of at most 10000

SELECT count(*) FROM visits WHERE age = 1e
-- refused: line 1, column 41: a number runs into a name

SELECT count(*) FROM visits WHERE age = .5.5
-- refused: DuckDB's parser does not take this text for a SELECT statement

SELECT count(*) FROM visits WHERE age = 0x1F
-- refused: line 1, column 41: a number runs into a name

SELECT count(*) FROM visits WHERE 1e999 > age
-- refused: the number 1e999 is too large

SELECT sum(nights * 10000000000000000000000000000000.1) FROM visits
-- answered: sum((nights * 10000000000000000000000000000000.1)) DECIMAL(38,1) | 1 row | epsilon 1

SELECT count(*), TIMESTAMPTZ '2025-01-01 00:00:00' FROM visits
-- answered: count_star() BIGINT, CAST('2025-01-01 00:00:00' AS TIMESTAMPTZ) TIMESTAMP | 1 row | epsilon 1

SELECT count(*) FROM visits HAVING count(*) > 999999999999999999999999999999999999999
-- refused: line 1, column 47: a whole number has at most 38 digits

SELECT sum(nights + 9223372036854775807) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and this one may be 2^62 or farther from 0

SELECT count(*) FROM visits WHERE (-9223372036854775808) // (nights - 6) > 0
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age // 0 = 1 OR age % 0 = 1 OR age / 0 > 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE substring(note, -9223372036854775808, 9223372036854775807) = ''
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT sum(CAST('nan' AS DOUBLE) * 0) FROM visits
-- refused: line 1, column 12: NaN and infinity are not numbers here; use NULL

SELECT sum(CASE WHEN age > 41 THEN 'nan'::DOUBLE ELSE 0 END) FROM visits
-- refused: line 1, column 36: NaN and infinity are not numbers here; use NULL

SELECT sum(1e308 * 10) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and this one may be 10^150 or farther from 0

SELECT sum(1e308) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and this one may be 10^150 or farther from 0

SELECT sum(CASE WHEN age > 41 THEN 1e308 ELSE 0 END) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and this one may be 10^150 or farther from 0

SELECT sum(100000000000000000000000000) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and this one may be 2^62 or farther from 0

SELECT sum(1e-300) FROM visits
-- answered: sum(1e-300) DOUBLE | 1 row | epsilon 1

SELECT sum(9e149) FROM visits
-- answered: sum(9e149) DOUBLE | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day - INTERVAL 1000000 YEAR > day
-- refused: line 1, column 35: the interval is longer than 10000 years

-- A level of so many digits has ranks beyond 64 bits, where there are values and where there are none
SELECT quantile_cont(nights, 1e-300) FROM visits WHERE patient = 777777
-- answered: quantile_cont(nights, 1e-300) DOUBLE | 1 row | epsilon 1
