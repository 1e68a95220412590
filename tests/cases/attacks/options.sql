-- The options of WITH DIFFERENTIAL_PRIVACY lower what a query spends, and are refused wherever they could be misread

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) count(*) FROM visits
-- answered: count_star() BIGINT | 1 row | epsilon 0.5

WITH v AS (SELECT * FROM visits) SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = .25, max_rows_contributed = 8) count(*) FROM v
-- answered: count_star() BIGINT | 1 row | epsilon 0.25

SELECT WITH DIFFERENTIAL_PRIVACY count(*) FROM visits
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1.000000001) count(*) FROM visits
-- refused: line 1, column 42: the policy allows at most epsilon 1 for one query

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 1e-5) count(*) FROM visits
-- refused: line 1, column 42: the policy allows at most delta 1e-06 for one query

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0) count(*) FROM visits
-- refused: line 1, column 42: epsilon must be above 0

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0e999999999999) count(*) FROM visits
-- refused: line 1, column 42: the policy allows at most epsilon 1 for one query

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = -1) count(*) FROM visits
-- refused: line 1, column 42: epsilon must be a plain number such as 0.5

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = NaN) count(*) FROM visits
-- refused: line 1, column 42: epsilon must be a plain number such as 0.5

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = Infinity) count(*) FROM visits
-- refused: line 1, column 42: epsilon must be a plain number such as 0.5

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1e999) count(*) FROM visits
-- refused: line 1, column 42: the policy allows at most epsilon 1 for one query

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1e999999999999) count(*) FROM visits
-- refused: line 1, column 42: the policy allows at most epsilon 1 for one query

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1e-999999999999) count(*) FROM visits
-- refused: line 1, column 42: epsilon is counted in units of 1e-09; 1e-999999999999 is finer

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = '0.5') count(*) FROM visits
-- refused: line 1, column 42: epsilon must be a plain number such as 0.5

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1_0) count(*) FROM visits
-- refused: line 1, column 42: epsilon must be a plain number such as 0.5

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = (SELECT max(age) FROM visits)) count(*) FROM visits
-- refused: line 1, column 52: OPTIONS takes options only, each as name = value

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5, "epsilon" = 1) count(*) FROM visits
-- refused: line 1, column 56: an option is written as name = value

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5, EPSILON = 1) count(*) FROM visits
-- refused: line 1, column 57: the option epsilon is given twice

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(noise = none) count(*) FROM visits
-- refused: line 1, column 42: there is no option noise

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS() count(*) FROM visits
-- refused: line 1, column 42: an option is written as name = value

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5; SELECT 1) count(*) FROM visits
-- refused: line 1, column 42: epsilon must be a plain number such as 0.5

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5 count(*) FROM visits
-- refused: line 1, column 61: OPTIONS takes options only, each as name = value

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 1) count(*) FROM visits
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 9) count(*) FROM visits
-- refused: line 1, column 42: the policy takes at most 8 rows of a unit, and a query may name fewer but not more

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 99999999999999999999) count(*) FROM visits
-- refused: line 1, column 42: max_rows_contributed must be a whole number above 0

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = -1) count(*) FROM visits
-- refused: line 1, column 42: max_rows_contributed must be a whole number above 0

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = NULL) count(*) FROM visits
-- refused: line 1, column 42: max_rows_contributed must be a whole number above 0

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 0) ward, count(DISTINCT patient) FROM visits GROUP BY ward
-- refused: line 1, column 42: max_groups_contributed must be a whole number above 0

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 7) ward, count(*) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 8) ward, count(*) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(privacy_unit_column = doctor) count(*) FROM visits
-- refused: line 1, column 42: the policy protects visits.patient

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) count(*) FROM visits UNION ALL SELECT count(*) FROM visits
-- refused: WITH DIFFERENTIAL_PRIVACY is not supported in a query made of several SELECTs

SELECT count(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) * FROM visits) AS v
-- refused: line 1, column 30: WITH DIFFERENTIAL_PRIVACY stands only directly behind the SELECT of the outermost query

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) (SELECT WITH DIFFERENTIAL_PRIVACY count(*) FROM visits)
-- refused: line 1, column 65: WITH DIFFERENTIAL_PRIVACY stands only directly behind the SELECT of the outermost query

WITH v AS (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) * FROM visits) SELECT count(*) FROM v
-- refused: line 1, column 19: WITH DIFFERENTIAL_PRIVACY stands only directly behind the SELECT of the outermost query

SELECT count(*) FROM visits WHERE note = 'SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5)'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT /* WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) */ count(*) FROM visits
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(/* epsilon = 0.125, ) */ epsilon = 0.5 -- , epsilon = 1)
) count(*) FROM visits
-- answered: count_star() BIGINT | 1 row | epsilon 0.5

EXPLAIN SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) count(*) FROM visits
-- answered: output VARCHAR, mechanism VARCHAR, sensitivity DOUBLE, scale DOUBLE, epsilon DOUBLE, delta DOUBLE, expected_error DOUBLE, note VARCHAR | 2 rows | epsilon 0

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 2) * FROM visits LIMIT 0
-- refused: line 1, column 42: the policy allows at most epsilon 1 for one query
