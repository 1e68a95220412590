-- Row expressions that a value could make fail

SELECT count(*) FILTER (WHERE count(*) > 3) FROM visits
-- refused: line 1, column 31: an aggregate in WHERE, GROUP BY or another aggregate is not supported on private rows

SELECT count(*) FILTER (WHERE error('x') IS NULL) FROM visits
-- refused: line 1, column 31: the function error is not supported on private rows

SELECT count(*) FROM visits WHERE patient * patient * patient * patient > 0
-- refused: an integer result can be too large; bound the column in the policy or use LEAST and GREATEST

SELECT count(*) FROM visits WHERE patient * 9223372036854775807 * 9223372036854775807 > 0
-- refused: an integer result can be too large; bound the column in the policy or use LEAST and GREATEST

SELECT count(*) FROM visits WHERE CAST(patient AS TINYINT) = 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(patient AS INTEGER) = 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(note AS DATE) > DATE '2020-01-01'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(note AS BIGINT) > 3
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(cost AS BIGINT) > 3
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(cost * 1e300 * 1e300 AS BIGINT) > 3
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day = '9999-12-31'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE day > '2024'
-- refused: line 1, column 35: the text '2024' does not read as date; write DATE 'YYYY-MM-DD', or TIMESTAMP '...' for a time of day

SELECT count(*) FROM visits WHERE ward = 5
-- refused: line 1, column 35: cannot compare text with integer; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits WHERE 1/(patient - 777777) > 0
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT sum(ln(age - 18)) FROM visits
-- answered: sum(ln((age - 18))) DOUBLE | 1 row | epsilon 1

SELECT sum(sqrt(age - 50)) FROM visits
-- answered: sum(sqrt((age - 50))) DOUBLE | 1 row | epsilon 1

SELECT sum(power(age, 1000)) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and this one may be 10^150 or farther from 0

SELECT sum(exp(age)) FROM visits
-- answered: sum(exp(age)) DOUBLE | 1 row | epsilon 1

SELECT sum(cost / (age - 41)) FROM visits
-- answered: sum(("cost" / (age - 41))) DOUBLE | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE note LIKE '%a%b%c%_%d%'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE regexp_matches(note, '(a+)+$')
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE lpad(note, 1000000000, 'x') = 'x'
-- refused: line 1, column 35: LPAD and RPAD take a constant length of at most 100 here, and a constant that fills

SELECT count(*) FROM visits WHERE repeat(note, 1000000) = 'x'
-- refused: line 1, column 35: the function repeat is not supported on private rows

SELECT count(*) c, count(*) c FROM visits
-- answered: c BIGINT, c BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE cost = 'nan'
-- refused: line 1, column 35: NaN and infinity are not numbers here; use NULL

SELECT count(*) FROM visits WHERE isnan(cost)
-- refused: line 1, column 35: the function isnan is not supported on private rows

SELECT count(*) FROM visits WHERE cost = 1e999
-- refused: the number 1e999 is too large

SELECT count(*) FROM visits WHERE age > 1e400
-- refused: the number 1e400 is too large

SELECT count(*) FROM visits WHERE age > 99999999999999999999999999999999999999999999
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT sum(CAST(age > 3 AS BIGINT)) FROM visits
-- answered: sum(CAST((age > 3) AS BIGINT)) HUGEINT | 1 row | epsilon 1

SELECT lpad('x', 100, 'y')
-- answered: lpad('x', 100, 'y') VARCHAR | 1 row | epsilon 0

SELECT CAST(count(*) AS TINYINT) FROM visits
-- answered: CAST(count_star() AS TINYINT) TINYINT | 1 row | epsilon 1

SELECT 1 / (count(*) - count(*)) FROM visits
-- answered: (1 / (count_star() - count_star())) DOUBLE | 1 row | epsilon 1

SELECT CAST('x' || count(*) AS INTEGER) FROM visits
-- refused: what is left of the query on the released results is not accepted by DuckDB

SELECT error('x') FROM visits
-- refused: line 1, column 8: the function error is not supported on private rows

SELECT count(*) * 9223372036854775807 FROM visits
-- failed: epsilon 1

SELECT exp(sum(age)) FROM visits
-- answered: exp(sum(age)) DOUBLE | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE note = '777777' OR note LIKE '%@%' OR contains(note, '@')
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE substr(note, patient, patient) = 'x'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE left(note, -patient) = 'x'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE round(cost, patient) > 3
-- refused: line 1, column 35: ROUND takes a constant number of digits from -15 to 15

SELECT count(*) FROM visits WHERE round(cost, 400) > 3
-- refused: line 1, column 35: ROUND takes a constant number of digits from -15 to 15

SELECT count(*) FROM visits WHERE power(cost, cost) > 3
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE cost % 0 = 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE patient // 0 = 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE abs(patient) < 0
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE last_day(day) = DATE '9999-12-31'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE date_diff('day', day, DATE '0001-01-01') > 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(day AS TIMESTAMP) + INTERVAL 10000 YEAR > day
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(note AS BOOLEAN)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(cost AS VARCHAR) = 'nan'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(CAST(cost AS VARCHAR) AS DOUBLE) > 1
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE CAST(note AS DOUBLE) = CAST('inf' AS DOUBLE)
-- refused: line 1, column 58: NaN and infinity are not numbers here; use NULL

SELECT sum(CAST(note AS DOUBLE)) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and the expression has no finite range

SELECT sum(LEAST(GREATEST(CAST(note AS DOUBLE), 0), 5)) FROM visits
-- answered: sum(least(greatest(CAST(note AS DOUBLE), 0), 5)) DOUBLE | 1 row | epsilon 1

SELECT sum(cost) FROM visits WHERE cost BETWEEN 1e-320 AND 1e-319
-- answered: sum("cost") DOUBLE | 1 row | epsilon 1

SELECT variance(cost) FROM visits WHERE cost = 5
-- answered: variance("cost") DOUBLE | 1 row | epsilon 1

SELECT sum(cost * 1e308) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and this one may be 10^150 or farther from 0

SELECT sum(cost * 1e-308) FROM visits
-- answered: sum(("cost" * 1e-308)) DOUBLE | 1 row | epsilon 1

SELECT stddev(cost * 1e150) FROM visits
-- refused: line 1, column 8: STDDEV_SAMP needs a bounded argument, and this one may be 10^150 or farther from 0

SELECT count(*)::DATE FROM visits
-- refused: what is left of the query on the released results is not accepted by DuckDB

SELECT ward, sum(nights)::TIMESTAMP FROM visits GROUP BY ROLLUP (ward)
-- refused: what is left of the query on the released results is not accepted by DuckDB

SELECT doctor, count(*) FROM visits GROUP BY doctor HAVING CAST(doctor || '-01-01' AS DATE) > DATE '2020-01-01'
-- answered: doctor BIGINT, count_star() BIGINT | 0 rows | epsilon 1

SELECT count(*) FROM visits WHERE day + INTERVAL (CASE WHEN patient = 777777 THEN 3000000000 ELSE 0 END) SECOND > day
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE TO_TIMESTAMP(patient * 300000000) > day
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE STRPOS('', CASE WHEN patient = 777777 THEN '' ELSE 'x' END) * 9223372036854775807 * patient > 0
-- answered: count_star() BIGINT | 1 row | epsilon 1
