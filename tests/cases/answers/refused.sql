-- policy: shop

-- line 1, column 8: the query would return rows of a private table. Aggregate them: COUNT, SUM, AVG, with or without GROUP BY. A connection with rows="mock" shows made-up rows.
SELECT * FROM orders

-- line 1, column 8: the query would return rows of a private table. Aggregate them: COUNT, SUM, AVG, with or without GROUP BY. A connection with rows="mock" shows made-up rows.
SELECT region FROM orders WHERE customer = 1

-- line 1, column 8: LIMIT on private rows depends on their order. Aggregate the rows; to take fewer of them, filter with WHERE. A connection with rows="mock" shows made-up rows.
SELECT region, amount FROM orders LIMIT 3

-- line 1, column 41: the query would return rows of a private table. Aggregate them: COUNT, SUM, AVG, with or without GROUP BY. A connection with rows="mock" shows made-up rows.
WITH o AS (SELECT * FROM orders) SELECT * FROM o

-- line 1, column 8: the column "region" is neither grouped nor aggregated. Add it to GROUP BY, or aggregate it.
SELECT region, COUNT(*) FROM orders

-- line 1, column 16: the column "amount" is neither grouped nor aggregated. Add it to GROUP BY, or aggregate it.
SELECT region, amount FROM orders GROUP BY region

-- line 1, column 50: the column "amount" is neither grouped nor aggregated. Add it to GROUP BY, or aggregate it.
SELECT region FROM orders GROUP BY region HAVING amount > 5

-- line 1, column 8: a star cannot stand in an aggregating SELECT over private rows. Name the columns to group by.
SELECT *, COUNT(*) FROM orders GROUP BY ALL

-- line 1, column 8: MAX needs a bounded argument, and the column "product" has no bounds. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT MAX(product) FROM orders

-- line 1, column 8: MEDIAN needs a bounded argument, and the column "product" has no bounds. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT MEDIAN(product) FROM orders

-- line 1, column 8: QUANTILE_DISC needs a number, a date or a moment on private rows. For text, COUNT by group, or take the MODE.
SELECT QUANTILE_DISC(coupon, 0.5) FROM orders

-- line 1, column 8: MIN of text needs a finite list of at most 200 values to choose from. List its values in the policy or with WHERE x IN (...), or take it of values that many have: MIN(x) FROM (SELECT DISTINCT x FROM t).
SELECT MIN(CAST(amount AS VARCHAR)) FROM orders

-- line 1, column 8: MAX needs a number, a date or a moment on private rows. BOOL_OR says whether any row is true, BOOL_AND whether all are.
SELECT MAX(paid) FROM orders

-- line 1, column 8: QUANTILE_CONT needs a constant between 0 and 1. Write one call for each quantile, such as QUANTILE_CONT(x, 0.5).
SELECT QUANTILE_CONT(amount, 1.5) FROM orders

-- line 1, column 8: QUANTILE_CONT needs a constant between 0 and 1. Write one call for each quantile, such as QUANTILE_CONT(x, 0.5).
SELECT QUANTILE_CONT(amount, amount) FROM orders

-- line 1, column 16: a list is not supported on private rows. Write one call for each of its values.
SELECT MEDIAN([amount, 0.5]) FROM orders

-- line 1, column 8: MEDIAN(DISTINCT ...) is not supported on private rows. Use MEDIAN of all rows, or COUNT(DISTINCT ...).
SELECT MEDIAN(DISTINCT amount) FROM orders

-- line 1, column 8: MODE needs a finite list of at most 10000 values to choose from. List its values in the policy or with WHERE x IN (...), or take the mode of a CASE or of date_trunc.
SELECT MODE(amount) FROM orders

-- line 1, column 49: only a released number, date or moment can be compared with private rows. Ask for the value in a query of its own, and write it as a constant.
SELECT COUNT(*) FROM orders WHERE day > (SELECT MEDIAN(day) FROM orders)

-- line 1, column 8: ANY_VALUE is not supported. It gives the value of one row. MODE is the most frequent value, MEDIAN one in the middle.
SELECT ANY_VALUE(region) FROM orders

-- line 1, column 54: ANY_VALUE is not supported. It gives the value of one row. MODE is the most frequent value, MEDIAN one in the middle.
SELECT COUNT(*) FROM orders WHERE quantity > (SELECT ANY_VALUE(quantity) FROM orders)

-- line 1, column 8: ARG_MAX is not supported. It gives the value of one row. MODE is the most frequent value, MEDIAN one in the middle.
SELECT ARG_MAX(region, amount) FROM orders

-- line 1, column 8: STRING_AGG is not supported. It gives the values of rows one by one. GROUP BY the value, and COUNT.
SELECT STRING_AGG(coupon, ',') FROM orders

-- line 1, column 8: STRING_AGG is not supported. It gives the values of rows one by one. GROUP BY the value, and COUNT.
SELECT STRING_AGG(DISTINCT coupon, ', ' ORDER BY coupon) FROM orders

-- line 1, column 8: SUM(DISTINCT) needs a bounded argument, and the column "product" has no bounds. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT SUM(DISTINCT product) FROM orders

-- line 1, column 8: COUNT(DISTINCT NULL) counts nothing
SELECT COUNT(DISTINCT NULL) FROM orders

-- line 1, column 8: SUM needs a bounded argument, and the column "product" has no bounds. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT SUM(product) FROM orders

-- line 1, column 8: SUM needs a bounded argument, and the column "product" has no bounds. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT SUM(amount * product) FROM orders

-- line 1, column 8: AVG needs a bounded argument, and the column "product" has no bounds. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT AVG(CAST(product AS DOUBLE)) FROM orders

-- line 1, column 16: STDDEV_SAMP needs a bounded argument, and the column "product" has no bounds. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT region, STDDEV(product) FROM orders GROUP BY region

-- line 1, column 8: SUM needs a bounded argument, and the column "product" has no bounds. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT SUM(LEAST(product, 100)) FROM orders

-- line 1, column 8: SUM needs a number. CAST the value to BIGINT or DOUBLE.
SELECT SUM(region) FROM orders

-- line 1, column 8: AVG needs a number. Take one from it with EXTRACT or date_diff.
SELECT AVG(day) FROM orders

-- line 1, column 12: an aggregate in WHERE, GROUP BY or another aggregate is not supported on private rows. Filter groups with HAVING; aggregate results in an outer query.
SELECT AVG(SUM(amount)) FROM orders

-- line 1, column 35: an aggregate in WHERE, GROUP BY or another aggregate is not supported on private rows. Filter groups with HAVING; aggregate results in an outer query.
SELECT COUNT(*) FROM orders WHERE COUNT(*) > 3

-- line 1, column 38: an aggregate in WHERE, GROUP BY or another aggregate is not supported on private rows. Filter groups with HAVING; aggregate results in an outer query.
SELECT COUNT(*) FROM orders GROUP BY COUNT(*)

-- line 1, column 43: GROUP BY cannot name an aggregate. Group by a column or an expression of columns.
SELECT COUNT(*) AS n FROM orders GROUP BY 1

-- line 1, column 46: GROUP BY 7 is not a position of the SELECT list. Its positions are 1 to 2.
SELECT region, COUNT(*) FROM orders GROUP BY 7

-- line 1, column 12: there is no column "amonut". Did you mean "amount"?
SELECT SUM(amonut) FROM orders

-- line 1, column 35: there is no column "colour". There is: customer, region, product, quantity, amount, day, placed, paid, rating, coupon.
SELECT COUNT(*) FROM orders WHERE colour = 'red'

-- line 1, column 73: there is no column "zone" in "o". "r" has one.
SELECT COUNT(*) FROM orders AS o JOIN regions AS r USING (region) WHERE o.zone = 1

-- line 1, column 40: there is no table "orders" in FROM. There is: o.
SELECT COUNT(*) FROM orders AS o WHERE orders.amount > 3

-- line 1, column 82: the column "region" is ambiguous. Qualify it with its table.
SELECT COUNT(*) FROM orders JOIN regions ON orders.region = regions.region WHERE region = 'north'

-- line 1, column 22: there is no table "order_lines". There is: orders, products, regions, tags.
SELECT COUNT(*) FROM order_lines

-- line 1, column 22: there is no table "order". Did you mean "orders"? There is: orders, products, regions, tags.
SELECT COUNT(*) FROM "order"

-- line 1, column 22: there is no table "private.orders". There is: orders, products, regions, tags.
SELECT COUNT(*) FROM private.orders

-- line 1, column 22: there is no table "information_schema.nosuch". There is: orders, products, regions, tags.
SELECT COUNT(*) FROM information_schema.nosuch

-- line 1, column 30: a join of private rows with the system table dpsql.budget is not supported. Join after aggregating.
SELECT COUNT(*) FROM orders, dpsql.budget

-- line 1, column 8: grouping by a continuous value makes a group of every row. Group by a rounded number, such as FLOOR(x / 10) * 10, or name values: WHERE x IN (...).
SELECT amount, COUNT(*) FROM orders GROUP BY amount

-- line 1, column 17: the query would return a row for each unit. Group by something that many units share, or aggregate these rows in an outer query.
SELECT DISTINCT customer FROM orders

-- line 1, column 8: the query would return a row for each unit. Group by something that many units share, or aggregate these rows in an outer query.
SELECT customer, COUNT(*) FROM orders GROUP BY customer

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or group by columns of the public table.
SELECT COUNT(*) FROM orders FULL JOIN regions USING (region)

-- DuckDB's parser does not take this text for a SELECT statement. Say how the JOIN at line 1, column 34 ties its tables together: JOIN t ON ... or JOIN t USING (...).
SELECT COUNT(*) FROM orders LEFT JOIN regions

-- line 1, column 49: USING: "zone" must be a column on both sides
SELECT COUNT(*) FROM orders JOIN regions USING (zone)

-- line 1, column 45: cannot compare text with integer; write CAST(... AS ...) or quote the value
SELECT COUNT(*) FROM orders JOIN regions ON orders.region = regions.zone

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, COUNT(*) FROM regions AS r LEFT JOIN orders AS o USING (region) GROUP BY r.region

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, MIN(s.country) AS country, COUNT(o.day) AS n FROM regions AS r JOIN regions AS s ON s.region = r.region LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or group by columns of the public table.
SELECT COUNT(o.region) FROM regions AS r LEFT JOIN orders AS o USING (region)

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or group by columns of the public table.
SELECT o.product, COUNT(o.region) FROM regions AS r LEFT JOIN orders AS o USING (region) GROUP BY o.product

-- line 1, column 16: a window over private rows must stay inside one unit. PARTITION BY the key of the unit, or aggregate first: windows work on released results.
SELECT region, ROW_NUMBER() OVER (ORDER BY day) FROM orders

-- line 1, column 30: LIMIT on private rows depends on their order. Aggregate the rows; to take fewer of them, filter with WHERE.
SELECT COUNT(*) FROM (SELECT * FROM orders LIMIT 5) AS x

-- line 1, column 33: LIMIT on private rows depends on their order. Aggregate the rows; to take fewer of them, filter with WHERE.
SELECT SUM(amount) FROM (SELECT * FROM orders LIMIT 5) AS x

-- line 1, column 46: UNION of private rows is not supported. UNION ALL of rows of the same unit is; else aggregate each side, then combine the results.
SELECT COUNT(*) FROM orders UNION ALL SELECT quantity FROM orders

-- line 1, column 8: a subquery would return rows of a private table. Aggregate them in the subquery, or write SELECT DISTINCT there.
SELECT (SELECT region FROM orders) AS r

-- line 1, column 35: a condition must be true or false. Compare the value with something.
SELECT COUNT(*) FROM orders WHERE amount

-- line 1, column 35: cannot compare text with integer; write CAST(... AS ...) or quote the value
SELECT COUNT(*) FROM orders WHERE region = 5

-- line 1, column 35: the text 'yesterday' does not read as date; write DATE 'YYYY-MM-DD', or TIMESTAMP '...' for a time of day
SELECT COUNT(*) FROM orders WHERE day > 'yesterday'

-- line 1, column 53: there is no column "north". If a text is meant, write 'north'. There is: customer, region, product, quantity, amount, day, placed, paid, rating, coupon.
SELECT COUNT(*) FROM orders WHERE paid AND region = "north"

-- line 1, column 46: the text '2025-02-30' does not read as date; write DATE 'YYYY-MM-DD', or TIMESTAMP '...' for a time of day
SELECT COUNT(*) FROM orders WHERE day > DATE '2025-02-30'

-- line 1, column 37: the text '28.02.2025 9:00' does not read as timestamp; write TIMESTAMP 'YYYY-MM-DD HH:MM:SS'
SELECT COUNT(*) FROM orders o WHERE CAST('28.02.2025 9:00' AS TIMESTAMP) > placed

-- line 1, column 35: LIKE takes a constant pattern
SELECT COUNT(*) FROM orders WHERE region LIKE 5

-- line 1, column 35: RANDOM is not supported. Rows are not drawn by chance here: aggregate all of them.
SELECT COUNT(*) FROM orders WHERE random() < 0.5

-- line 1, column 8: STRFTIME takes a constant format of at most 100 characters with %A %B %G %H %I %M %S %V %Y %a %b %d %f %j %m %p %u %w %y %-H %-I %-M %-S %-d %-j %-m %-y
SELECT strftime(day, '%Y %Z') AS y, COUNT(*) FROM orders GROUP BY y

-- line 1, column 35: a cast to TIME is not supported on private rows. Use BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP; a TIME is only compared, and EXTRACT(hour FROM x) is a number.
SELECT COUNT(*) FROM orders WHERE CAST(day AS TIME) IS NULL

-- line 1, column 35: a condition must be true or false. Compare the value with something.
SELECT COUNT(*) FROM orders WHERE quantity + 1

-- line 1, column 35: this form of SUBSTRING is not supported
-- before sqlglot 30.10: line 1, column 60: the call that ends here has too many arguments
SELECT COUNT(*) FROM orders WHERE substring(region, 1, 2, 3) = 'no'

-- line 1, column 38: the column "amount" is neither grouped nor aggregated. Add it to GROUP BY, or aggregate it.
SELECT COUNT(*) FROM orders ORDER BY amount

-- line 1, column 51: GROUP BY has more than 64 grouping sets. Name the sets that are needed in GROUPING SETS.
SELECT region, COUNT(*) FROM orders GROUP BY CUBE(region, paid, quantity, rating, coupon, day, placed)

-- line 1, column 8: GROUPING takes the keys of GROUP BY. Name one of them.
SELECT GROUPING(amount), COUNT(*) FROM orders GROUP BY ROLLUP (region)

-- line 1, column 28: ROLLUP, CUBE and GROUPING SETS are not supported in groups of one person each. Group these rows by the person and the keys, and use ROLLUP in the outer query.
SELECT SUM(n) FROM (SELECT customer, region, COUNT(*) AS n FROM orders GROUP BY ROLLUP (customer, region))

-- line 1, column 46: a row of several values in parentheses stands only in a comparison with rows of as many
SELECT region, COUNT(*) FROM orders GROUP BY (region, paid)

-- line 1, column 30: a second statement begins here. Send one statement at a time.
SELECT COUNT(*) FROM orders; SELECT 1

-- line 1, column 1: DELETE is not supported as a statement. Only SELECT is answered.
DELETE FROM orders

-- line 1, column 17: the text cannot be read as SQL near FROM. The text ends after FROM, where something has to follow.
SELECT COUNT(*) FROM

-- line 1, column 22: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM
SELECT COUNT(*) FROM read_csv('orders.csv')

-- line 1, column 8: the function read_text is not supported
SELECT read_text('policy.yaml')

-- line 1, column 25: the call that ends here has too many arguments
SELECT UPPER(COUNT(*), 2) FROM orders

-- line 1, column 8: cannot compare text with integer; write CAST(... AS ...) or quote the value
SELECT region + 1 AS x, COUNT(*) AS n FROM orders GROUP BY x

-- DuckDB does not accept the query as it is written. Check the names in it, and the types of what is compared, added or passed to a function.
SELECT COUNT(*) + region FROM orders GROUP BY region

-- line 1, column 8: there is no column "nothing". Did you mean "rating"?
SELECT nothing FROM orders LIMIT 0

-- DuckDB does not accept the query as it is written. Check the names in it, and the types of what is compared, added or passed to a function.
SELECT region, COUNT(*) FROM orders LIMIT 0

-- line 1, column 8: the policy does not limit how many rows of the table one unit may own. The policy needs max_rows_per_unit, for the table or under privacy; without it, units are counted (by groups: under max_groups_per_unit, or in public groups) and columns with a unit_total are summed.
-- policy: unit_total
SELECT COUNT(*) FROM orders

-- line 1, column 8: the policy does not limit how many rows of the table one unit may own. The policy needs max_rows_per_unit, for the table or under privacy; without it, units are counted (by groups: under max_groups_per_unit, or in public groups) and columns with a unit_total are summed.
-- policy: unit_total
SELECT SUM(amount + quantity) FROM orders

-- line 1, column 8: the policy does not limit how many rows of the table one unit may own. The policy needs max_rows_per_unit, for the table or under privacy; without it, units are counted (by groups: under max_groups_per_unit, or in public groups) and columns with a unit_total are summed.
-- policy: unit_total
SELECT AVG(amount) FROM orders

-- line 1, column 8: the policy does not limit how many rows of the table one unit may own. The policy needs max_rows_per_unit, for the table or under privacy; without it, units are counted (by groups: under max_groups_per_unit, or in public groups) and columns with a unit_total are summed.
-- policy: unit_total
SELECT product, SUM(amount) FROM orders GROUP BY product

-- line 1, column 8: a join that multiplies rows cannot be grouped by private keys where every row is a unit of its own. Join on a unique key of the public table, or group by columns with public values.
-- policy: rows
SELECT product, COUNT(*) FROM orders JOIN tags USING (region) GROUP BY product

-- line 1, column 51: there is no column "customr". Did you mean "customer"?
-- policy: rows
SELECT COUNT(DISTINCT customer) FROM orders WHERE customr = 3

-- line 1, column 8: grouping by private keys needs a delta, and this query has none. List its values in the policy or with WHERE x IN (...), or ask with a delta under approx.
-- policy: pure
SELECT product, COUNT(*) FROM orders GROUP BY product

-- line 1, column 35: arithmetic with decimal constants is done in doubles here, where DuckDB's decimals can compare or round otherwise; scale to whole numbers, or divide
SELECT COUNT(*) FROM orders WHERE quantity * 0.1 = 0.3

-- line 1, column 12: a cast of arithmetic with decimal constants rounds otherwise in doubles than in DuckDB's decimals; scale to whole numbers, or divide
SELECT SUM(CAST(quantity * 0.5 AS BIGINT)) FROM orders

-- line 1, column 36: the query would put rows of different units side by side. Join private tables on the key of the unit that owns their rows, or along a unit_path.
SELECT COUNT(*) FROM orders a JOIN orders b ON a.region = b.region

-- line 1, column 59: the query would put rows of different units side by side. Join private tables on the key of the unit that owns their rows, or along a unit_path.
SELECT COUNT(*) FROM orders o WHERE EXISTS (SELECT 1 FROM orders x WHERE x.region = o.region)

-- line 1, column 52: a subquery with a value of private rows is not supported here. Join the rows of the same unit, or test them with EXISTS or IN.
SELECT COUNT(*) FROM orders WHERE amount > (SELECT amount FROM orders WHERE customer = 1)

-- line 1, column 52: a subquery that stands for one value can have several rows. Compare every column that tells its rows apart with the row around it, or aggregate.
SELECT COUNT(*) FROM orders WHERE amount > (SELECT AVG(amount) FROM orders GROUP BY region)

-- line 1, column 30: both sides of UNION ALL need the same number of columns, of the same types. Cast the columns that differ.
SELECT COUNT(*) FROM (SELECT region FROM orders UNION ALL SELECT quantity FROM orders) AS x

-- line 1, column 8: AVG needs a bounded argument, and the expression has no finite range. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT AVG(n * product) FROM (SELECT customer, product, COUNT(*) AS n FROM orders GROUP BY customer, product) AS x

-- line 1, column 40: the aggregate arg_min is not supported over the rows of one unit. Number each unit's rows in a derived table, ROW_NUMBER() OVER (PARTITION BY its key ORDER BY ...), and keep the rows with 1.
SELECT COUNT(*) FROM (SELECT customer, ARG_MIN(region, day) AS r FROM orders GROUP BY customer) t WHERE r = 'north'

-- line 1, column 38: the aggregate mode is not supported over the rows of one unit. COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE_CONT, MIN, MAX, BOOL_OR and BOOL_AND are.
SELECT AVG(m) FROM (SELECT customer, MODE(region) AS m FROM orders GROUP BY customer)

-- line 1, column 8: a response of every row tells how many rows there are, which neighbours: add_remove protects. Aggregate the rows; the policy needs neighbours: substitute for local release.
SELECT RANDOMIZED_RESPONSE(paid) FROM orders

-- policy: survey
-- line 1, column 8: rows are released one by one only from the table of the privacy unit, survey.person. In another table, whether a unit has a row is private. Aggregate its rows.
SELECT RANDOMIZED_RESPONSE(said) FROM answers

-- policy: survey_apart
-- line 1, column 8: a unit may have rows in answers alone, and whether it has one in survey would be seen. The policy needs unit_path for answers: its rows belong to those of survey then. Aggregate the rows.
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey

-- policy: survey
-- line 1, column 54: WHERE cannot stand beside responses of rows: whether a row is there would tell of the values that it has. Filter the responses in an outer query.
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey WHERE age > 40

-- policy: survey
-- line 1, column 42: WHERE cannot stand beside responses of rows: whether a row is there would tell of the values that it has. Filter the responses in an outer query.
SELECT RR_MEAN(smoker) FROM survey WHERE country = 'DE'

-- policy: survey
-- line 1, column 8: responses of rows need all rows of one table: whether a row is there would tell of the values that it has. Select them from the table itself.
SELECT RANDOMIZED_RESPONSE(smoker) FROM (SELECT * FROM survey WHERE age > 40) AS t

-- policy: survey
-- line 1, column 8: responses of rows need all rows of one table: whether a row is there would tell of the values that it has. Select them from the table itself.
SELECT RANDOMIZED_RESPONSE(smoker) FROM (SELECT person, COUNT(*) > 1 AS smoker FROM survey GROUP BY person) AS t

-- policy: survey
-- line 1, column 53: a join cannot stand beside responses of rows: whether a row is there would tell of the values that it has. Select the responses from the one table.
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey JOIN regions ON TRUE

-- policy: survey
-- line 1, column 58: a join cannot stand beside responses of rows: whether a row is there would tell of the values that it has. Select the responses from the one table.
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey AS a JOIN answers AS b ON a.person = b.person

-- policy: survey
-- line 1, column 57: GROUP BY cannot stand beside responses of rows: the rows are released one by one. Do it in an outer query on the responses.
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey GROUP BY smoker

-- policy: survey
-- line 1, column 54: GROUP BY cannot stand beside responses of rows: the rows are released one by one. Do it in an outer query on the responses.
SELECT country, RR_MEAN(smoker) FROM survey GROUP BY country

-- policy: survey
-- line 1, column 43: HAVING cannot stand beside responses of rows: the rows are released one by one. Do it in an outer query on the responses.
SELECT RR_MEAN(smoker) FROM survey HAVING COUNT(*) > 1

-- policy: survey
-- line 1, column 17: DISTINCT cannot stand beside responses of rows: the rows are released one by one. Do it in an outer query on the responses.
SELECT DISTINCT RANDOMIZED_RESPONSE(smoker) FROM survey

-- policy: survey
-- line 1, column 37: aggregates and windows cannot stand beside responses of rows. Do it in an outer query on the responses.
SELECT RANDOMIZED_RESPONSE(smoker), ROW_NUMBER() OVER (ORDER BY age) FROM survey

-- policy: survey
-- line 1, column 37: aggregates and windows cannot stand beside responses of rows. Do it in an outer query on the responses.
SELECT RANDOMIZED_RESPONSE(smoker), COUNT(*) FROM survey

-- policy: survey
-- line 1, column 56: QUALIFY cannot stand beside responses of rows: the rows are released one by one. Do it in an outer query on the responses.
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey QUALIFY ROW_NUMBER() OVER () = 1

-- policy: survey
-- line 1, column 57: the column "age" would be released without noise. Write RANDOMIZED_RESPONSE(column) or RAPPOR(column).
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey ORDER BY age

-- policy: survey
-- line 1, column 37: the column "age" would be released without noise. Write RANDOMIZED_RESPONSE(column) or RAPPOR(column).
SELECT RANDOMIZED_RESPONSE(smoker), age FROM survey

-- policy: survey
-- line 1, column 8: the column * would be released without noise. Write RANDOMIZED_RESPONSE(column) or RAPPOR(column).
SELECT *, RANDOMIZED_RESPONSE(smoker) FROM survey

-- policy: survey
-- line 1, column 37: one SELECT gives either the responses of rows or estimates from them. Send two queries; over the same columns both read the same draws, which are paid once.
SELECT RANDOMIZED_RESPONSE(smoker), RR_MEAN(smoker) FROM survey

-- policy: survey
-- line 1, column 8: the key of the privacy unit is not released. Leave it out.
SELECT RANDOMIZED_RESPONSE(person) FROM survey

-- policy: survey
-- line 1, column 8: a response needs a public list of at least two and at most 1000 values. List the column's values in the policy, or write a condition on it, such as x > 5.
SELECT RANDOMIZED_RESPONSE(age * 100) FROM survey

-- policy: survey
-- line 1, column 8: RAPPOR takes at most 62 values, and NULL counts as one. Use RANDOMIZED_RESPONSE.
SELECT RAPPOR(age) FROM survey

-- policy: survey
-- line 1, column 8: RR_MEAN takes a condition that is never NULL. Use RR_COUNT(x, value).
SELECT RR_MEAN(drinks) FROM survey

-- policy: survey
-- line 1, column 26: the second argument is none of the values that the first can have. Write one of the values that the policy lists, as a constant.
SELECT RR_COUNT(country, 'XX') FROM survey

-- policy: survey
-- line 1, column 26: the second argument is none of the values that the first can have. Write one of the values that the policy lists, as a constant.
SELECT RR_COUNT(country, country) FROM survey

-- policy: survey
-- line 1, column 8: aggregates and windows cannot stand beside responses of rows. Do it in an outer query on the responses.
SELECT RR_MEAN(smoker) FILTER (WHERE age > 40) FROM survey

-- policy: survey
-- line 1, column 35: WHERE cannot stand beside responses of rows: whether a row is there would tell of the values that it has. Filter the responses in an outer query.
SELECT COUNT(*) FROM survey WHERE RANDOMIZED_RESPONSE(smoker)

-- policy: survey
-- line 1, column 50: the function randomized_response is not supported on private rows. Those on private rows are listed in docs/functions.md.
SELECT COUNT(*) FROM survey WHERE age IN (SELECT RANDOMIZED_RESPONSE(age) FROM survey)

-- policy: survey
-- line 1, column 65: UNION of private rows is not supported. UNION ALL of rows of the same unit is; else aggregate each side, then combine the results.
SELECT RANDOMIZED_RESPONSE(smoker) FROM survey UNION ALL SELECT smoker FROM survey

-- policy: survey
-- line 1, column 8: the function randomized_response is not supported
SELECT RANDOMIZED_RESPONSE(region) FROM regions

-- policy: survey
-- line 1, column 90: responses row by row cannot stand beside private rows
SELECT s.age FROM survey AS s JOIN (SELECT RANDOMIZED_RESPONSE(age) AS a FROM survey) AS r ON s.age = r.a

-- policy: survey
-- line 1, column 8: RANDOMIZED_RESPONSE takes one argument
SELECT RANDOMIZED_RESPONSE(smoker, age) FROM survey

-- line 1, column 44: DISTINCT over groups of private rows depends on the rows of others. Leave DISTINCT out, or GROUP BY out.
-- policy: linked
SELECT COUNT(*) AS n FROM (SELECT DISTINCT region, COUNT(*) AS c FROM orders GROUP BY customer, region) x

-- line 1, column 35: grouping by the privacy unit makes a group of every person. Group by something that many units share.
-- policy: linked
SELECT COUNT(*) AS n FROM (SELECT t.person, COUNT(*) AS c FROM people p LEFT JOIN trips t ON p.person = t.person GROUP BY t.person) x

-- line 1, column 58: an aggregate of private rows can depend on the row around it by equalities in WHERE alone. Aggregate by that column first, and join the result.
-- policy: linked
SELECT COUNT(*) AS n FROM people p WHERE p.age > (SELECT AVG(amount) FROM orders o WHERE EXISTS (SELECT 1 FROM trips t WHERE t.person = o.customer AND t.trip > p.age))

-- line 1, column 126: the query would put rows of different units side by side. Join private tables on the key of the unit that owns their rows, or along a unit_path.
-- policy: linked
SELECT COUNT(*) AS n FROM orders p WHERE EXISTS (SELECT 1 FROM regions r WHERE r.region = p.region AND EXISTS (SELECT 1 FROM orders o WHERE o.region = r.region))

-- line 1, column 30: the query would put rows of different units side by side. Join private tables on the key of the unit that owns their rows, or along a unit_path.
-- policy: rows
SELECT COUNT(*) FROM (SELECT region FROM orders UNION ALL SELECT region FROM orders) AS x

-- line 1, column 58: a subquery is not supported here. Test it in WHERE.
-- policy: linked
SELECT COUNT(*) AS n FROM people p WHERE p.age > (SELECT SUM(quantity * p.age) FROM orders o WHERE o.customer = p.person)

-- line 1, column 58: a subquery is not supported here. Test it in WHERE.
-- policy: linked
SELECT COUNT(*) AS n FROM people p WHERE p.age > (SELECT AVG(quantity * 0.5 * p.age) FROM orders o WHERE o.customer = p.person)

-- line 1, column 58: a subquery is not supported here. Test it in WHERE.
-- policy: linked
SELECT COUNT(*) AS n FROM people p WHERE p.age > (SELECT STDDEV(p.age) FROM orders o WHERE o.customer = p.person)

-- line 1, column 55: an aggregate for each person cannot stand beside public rows. Compare something that many people share with the public table.
-- policy: linked
SELECT COUNT(*) AS n FROM regions r WHERE 1 < (SELECT COUNT(*) FROM orders o WHERE o.customer = r.zone)

-- line 1, column 61: a subquery beside private rows can take a value of one row. Select what is computed of its columns, with equalities to the row around it in WHERE.
SELECT COUNT(*) AS n FROM orders o WHERE quantity > (SELECT CASE WHEN EXISTS (SELECT 1 FROM tags t WHERE t.region = r.region) THEN zone END FROM regions r WHERE r.region = o.region)

-- line 1, column 59: a subquery that stands for one value can have several rows. Compare every column that tells its rows apart with the row around it, or aggregate.
SELECT COUNT(*) AS n FROM orders o WHERE 'cold' = (SELECT tag FROM tags t WHERE t.region = o.region)

-- policy: shop
-- line 1, column 8: a constant cannot be a key of grouping sets. Leave it out of GROUP BY; it may stand in the SELECT list.
SELECT 'x' AS a, region, COUNT(*) FROM orders GROUP BY ROLLUP (a, region)

-- line 1, column 8: the same key stands twice in the grouping sets. Write it once in each set, and everywhere by the same name.
SELECT region AS a, region AS b, COUNT(*) FROM orders GROUP BY GROUPING SETS ((a, b), (b), ())

-- line 1, column 35: UNION would make one row of rows of different units. List the key of the unit at the same place on both sides, or use UNION ALL.
-- policy: linked
SELECT COUNT(*) AS n FROM (SELECT region FROM orders UNION SELECT region FROM orders) x

-- line 1, column 35: INTERSECT would make one row of rows of different units. List the key of the unit at the same place on both sides, or use UNION ALL.
-- policy: linked
SELECT COUNT(*) AS n FROM (SELECT customer, product FROM orders INTERSECT SELECT trip, person FROM trips) x

-- line 1, column 35: EXCEPT ALL would match rows of different units. List the key of the unit at the same place on both sides, or use UNION ALL.
-- policy: linked
SELECT COUNT(*) AS n FROM (SELECT region FROM orders EXCEPT ALL SELECT region FROM orders WHERE amount > 50) x

-- policy: linked
-- line 1, column 47: a NATURAL JOIN needs a column that both sides have. Use ON.
SELECT COUNT(*) AS n FROM people NATURAL JOIN orders

-- policy: linked
-- line 1, column 44: a SEMI JOIN needs a condition without a subquery. Write WHERE EXISTS (...) or WHERE NOT EXISTS (...).
SELECT COUNT(*) AS n FROM people SEMI JOIN orders ON person = customer AND EXISTS (SELECT 1 FROM trips t WHERE t.person = customer)

-- policy: linked
-- line 1, column 46: a subquery in the condition of an outer join must speak of one of its sides. Test one side in a derived table, or use JOIN.
SELECT COUNT(*) AS n FROM people p LEFT JOIN orders o ON p.person = o.customer AND NOT EXISTS (SELECT 1 FROM trips t WHERE t.person = p.person AND t.trip > o.quantity)

-- policy: linked
-- line 1, column 68: a FULL JOIN of two public tables beside private rows is not supported. Join the public tables in a derived table.
SELECT s.zone, COUNT(amount) AS n FROM regions r NATURAL FULL JOIN regions s JOIN orders o ON o.region = r.region GROUP BY s.zone

-- policy: linked
-- line 1, column 102: a FULL JOIN behind an outer join that lists a public table's rows is not supported. Join the private tables first, in a derived table.
SELECT r.zone, COUNT(amount) AS n FROM regions r LEFT JOIN orders o ON r.region = o.region FULL JOIN trips t ON t.person = o.customer GROUP BY r.zone

-- policy: shop
-- line 1, column 8: ARG_MAX is not supported. It gives the value of one row. MODE is the most frequent value, MEDIAN one in the middle.
SELECT ARG_MAX(region, amount) AS a FROM orders

-- line 1, column 115: levels of ROLLUP, CUBE or GROUPING SETS and system tables cannot stand beside private rows. GROUP BY the keys of one level.
-- policy: shop
SELECT COUNT(*) FROM orders WHERE region IN (SELECT region FROM orders GROUP BY ROLLUP (region) HAVING COUNT(*) > 8)

-- policy: linked
-- line 1, column 30: a window over private rows must stay inside one unit. PARTITION BY the key of the unit, or aggregate first: windows work on released results.
SELECT COUNT(*) FROM (SELECT row_number() OVER (PARTITION BY region ORDER BY day) AS n FROM orders) o WHERE n = 1

-- line 1, column 36: the number in NTILE is a whole one from 1 to 1000000
SELECT COUNT(*) FROM (SELECT ntile(0) OVER (PARTITION BY customer ORDER BY day) AS n FROM orders) o WHERE n = 1

-- line 1, column 47: the default of LAG must have the type of its value. CAST the default or the value.
SELECT COUNT(*) FROM (SELECT lag(quantity, 1, 0.5) OVER (PARTITION BY customer ORDER BY day) AS n FROM orders) o WHERE n = 1

-- line 1, column 42: the number in LAG is a whole one from 0 to 1000000
SELECT COUNT(*) FROM (SELECT lag(amount, quantity) OVER (PARTITION BY customer ORDER BY day) AS n FROM orders) o WHERE n = 1

-- line 1, column 30: a frame of a window must not end before it begins. Write the earlier end first; of two intervals one goes before the row and one behind it.
SELECT COUNT(*) FROM (SELECT SUM(amount) OVER (PARTITION BY customer ORDER BY day ROWS BETWEEN 2 PRECEDING AND 3 PRECEDING) AS n FROM orders) o WHERE n = 1

-- policy: linked
-- line 1, column 96: an end of a frame is a whole number of rows from 0 to 1000000 away
SELECT COUNT(*) FROM (SELECT SUM(amount) OVER (PARTITION BY customer ORDER BY day ROWS BETWEEN 1.5 PRECEDING AND CURRENT ROW) AS n FROM orders) o WHERE n = 1

-- policy: linked
-- line 1, column 30: EXCLUDE GROUP and EXCLUDE TIES of a frame in ROWS depend on how equal rows are ordered. Write RANGE or GROUPS, or EXCLUDE CURRENT ROW.
SELECT COUNT(*) FROM (SELECT SUM(amount) OVER (PARTITION BY customer ORDER BY day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) AS n FROM orders) o WHERE n = 1

-- policy: linked
-- line 1, column 30: a frame in GROUPS needs an order. Add ORDER BY.
-- before sqlglot 30: line 1, column 70: the text cannot be read as SQL near GROUPS. Is a comma missing before GROUPS? A name with a space is written in quotes: "customer GROUPS".
SELECT COUNT(*) FROM (SELECT SUM(amount) OVER (PARTITION BY customer GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM orders) o WHERE n = 1

-- policy: linked
-- line 1, column 30: a frame in RANGE with a distance needs an order by one value. ORDER BY one number, date or timestamp, or count ROWS.
SELECT COUNT(*) FROM (SELECT SUM(amount) OVER (PARTITION BY customer ORDER BY day, amount RANGE BETWEEN INTERVAL 3 DAY PRECEDING AND CURRENT ROW) AS n FROM orders) o WHERE n = 1

-- policy: linked
-- line 1, column 97: the distance of a frame in RANGE does not fit its order. Write a whole number for whole numbers, a number for doubles, and INTERVAL 30 DAY for dates.
SELECT COUNT(*) FROM (SELECT SUM(amount) OVER (PARTITION BY customer ORDER BY day RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS n FROM orders) o WHERE n = 1

-- policy: linked
-- line 1, column 30: a frame in RANGE needs an order by a bounded number. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT COUNT(*) FROM (SELECT SUM(amount) OVER (PARTITION BY customer ORDER BY product RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS n FROM orders) o WHERE n = 1

-- policy: linked
-- line 1, column 30: MEDIAN is not supported in a window over private rows. COUNT, SUM, AVG, MIN, MAX, BOOL_OR, BOOL_AND and all window functions of SQL are.
SELECT COUNT(*) FROM (SELECT MEDIAN(amount) OVER (PARTITION BY customer) AS n FROM orders) o WHERE n = 1

-- line 1, column 8: the query would return rows of a private table. Aggregate them: COUNT, SUM, AVG, with or without GROUP BY. A connection with rows="mock" shows made-up rows.
SELECT customer, row_number() OVER (PARTITION BY customer ORDER BY day) AS n FROM orders

-- line 1, column 30: QUALIFY beside GROUP BY over the rows of one unit is not supported. Group in a derived table, and number its rows around it.
SELECT COUNT(*) FROM (SELECT customer, COUNT(*) AS c FROM orders GROUP BY customer QUALIFY row_number() OVER (PARTITION BY customer ORDER BY c) = 1) o

-- line 1, column 30: QUALIFY needs a window. Filter rows with WHERE.
SELECT COUNT(*) FROM (SELECT day FROM orders QUALIFY amount > 3) o

-- line 1, column 30: the window "w" is not defined here, or is changed where it is used. Write the whole window in OVER (...).
SELECT COUNT(*) FROM (SELECT row_number() OVER (w ORDER BY amount) AS n FROM orders WINDOW w AS (PARTITION BY customer)) o

-- policy: dataset_cap
-- line 1, column 8: SUM needs a bounded argument, and this one may be 2^62 or farther from 0. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT SUM(quantity * 1000000000000000000) FROM orders

-- line 1, column 8: SUM needs a bounded argument, and the expression has no finite range. Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.
SELECT SUM(s) FROM (SELECT SUM(product) OVER (PARTITION BY customer ORDER BY day) AS s FROM orders) o

-- policy: linked
-- line 1, column 84: a subquery that stands for one value can have several rows. Aggregate without GROUP BY, add LIMIT 1, or compare every column that tells its rows apart.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region HAVING COUNT(*) > (SELECT region FROM regions)

-- policy: linked
-- line 1, column 112: a subquery that stands for one value can have several rows. Aggregate without GROUP BY, add LIMIT 1, or compare every column that tells its rows apart.
WITH x AS (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) SELECT region, n FROM x WHERE n > (SELECT n FROM x)

-- policy: linked
-- line 1, column 138: a subquery that stands for one value can have several rows. Aggregate without GROUP BY, add LIMIT 1, or compare every column that tells its rows apart.
WITH x AS (SELECT region, plan, COUNT(*) AS n FROM orders JOIN people ON customer = person GROUP BY region, plan) SELECT SUM(n), (SELECT n FROM x WHERE region = 'north') AS one FROM x

-- policy: linked
-- a subquery that stands for one value can have several rows. Aggregate without GROUP BY, add LIMIT 1, or compare every column that tells its rows apart.
SELECT (SELECT region FROM orders GROUP BY 1) AS one

-- line 1, column 97: the distance of a frame in RANGE does not fit its order. Write a whole number for whole numbers, a number for doubles, and INTERVAL 30 DAY for dates.
SELECT COUNT(*) FROM (SELECT COUNT(*) OVER (PARTITION BY customer ORDER BY placed RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND CURRENT ROW) AS n FROM orders) o WHERE n = 1

-- policy: shop
-- line 1, column 41: MAKE_DATE takes a year from 1 to 9999, a month of it, and a day of that month
SELECT COUNT(*) FROM orders WHERE day > make_date(2025, 13, 1)

-- policy: shop
-- line 1, column 41: integer is needed here, not double; write CAST(... AS BIGINT)
SELECT COUNT(*) FROM orders WHERE day > make_date(2025, amount, 1)

-- policy: linked
-- line 1, column 53: a LATERAL query beside private rows is a SELECT of rows, of the first rows, or of aggregates without GROUP BY. Write a derived table, with what it is compared with in its SELECT list, and join it.
SELECT COUNT(*) AS n FROM people p, LATERAL (SELECT * FROM orders o WHERE o.customer = p.person UNION ALL SELECT * FROM orders o WHERE o.customer = p.person) x

-- policy: linked
-- line 1, column 53: a LATERAL query beside private rows with aggregates has nothing else. Leave GROUP BY, DISTINCT, HAVING and LIMIT out; GROUP BY may stand where columns of both are compared by = alone, each with its table's name.
SELECT COUNT(*) AS n FROM people p, LATERAL (SELECT region, COUNT(*) AS c FROM orders o WHERE o.customer = p.person AND o.quantity > p.age GROUP BY region) x

-- policy: linked
-- line 1, column 53: a LATERAL query beside private rows aggregates rows of the unit that owns the row around it. Compare the key of the unit; or aggregate by what is compared in a derived table, and join it.
SELECT COUNT(*) AS n FROM people p, LATERAL (SELECT COUNT(*) AS c FROM orders o WHERE o.quantity > p.age) x

-- policy: linked
-- line 1, column 57: a LATERAL query with LIMIT finds rows of the unit that owns the row around it, by equalities alone. Compare the key of the unit, and test all else in a derived table.
SELECT COUNT(*) AS n FROM orders p JOIN LATERAL (SELECT * FROM orders o WHERE o.region = p.region ORDER BY day LIMIT 1) x ON x.customer = p.customer

-- policy: linked
-- line 1, column 53: a LATERAL query beside private rows cannot test for other rows by the row around it. Test that in the WHERE around it.
SELECT COUNT(*) AS n FROM people p, LATERAL (SELECT * FROM orders o WHERE o.customer = p.person AND EXISTS (SELECT 1 FROM trips t WHERE t.person = p.person)) x

-- policy: linked
-- line 1, column 62: a LATERAL query beside private rows can be joined with JOIN, LEFT JOIN or a comma alone. Use JOIN or LEFT JOIN.
SELECT COUNT(*) AS n FROM people p SEMI JOIN LATERAL (SELECT * FROM orders o WHERE o.customer = p.person) x ON true

-- policy: linked
-- line 1, column 62: a LATERAL query beside private rows behind LEFT JOIN gives plain columns of its own rows. Compute the others around it.
SELECT COUNT(z) AS n FROM orders o LEFT JOIN LATERAL (SELECT zone + 1 AS z FROM regions r WHERE r.region = o.region) x ON true

-- policy: linked
-- line 1, column 57: a LATERAL query beside private rows that gives one row is joined ON TRUE. Write the condition in WHERE.
SELECT COUNT(*) AS n FROM people p JOIN LATERAL (SELECT COUNT(*) AS c FROM orders o WHERE o.customer = p.person) x ON c > 1

-- line 1, column 14: date does not convert to integer
SELECT COUNT(CAST(day AS BIGINT)) FROM orders

-- line 1, column 14: NULLIF would change integer to double; write CAST(... AS ...) first
SELECT COUNT(NULLIF(quantity, 0.5)) FROM orders

-- line 1, column 35: boolean is needed here, not text; write CAST(... AS BOOLEAN)
SELECT COUNT(*) FROM orders WHERE region AND paid

-- line 1, column 35: a date or timestamp is needed here, not text; write CAST(... AS DATE)
SELECT COUNT(*) FROM orders WHERE last_day(region) > day

-- line 1, column 35: the unit must be a constant, one of year, quarter, month, day, dow, isodow, doy, week, isoyear, yearweek, decade, century, millennium, hour, minute, second, millisecond, microsecond, epoch
SELECT COUNT(*) FROM orders WHERE date_part(region, day) = 1

-- line 1, column 35: dates or timestamps are needed here, not integer; write CAST(... AS DATE)
SELECT COUNT(*) FROM orders WHERE date_diff('day', 1, 2) > 1

-- line 1, column 13: a $ stands here without a name behind it. Write a parameter as ? or $name.
SELECT 1 AS $

-- the text cannot be split into words and symbols
SELECT {# x

-- line 1, column 35: the difference of timestamps is an interval; use date_diff('second', x, y)
SELECT COUNT(*) FROM orders WHERE placed - '2025-01-31' > INTERVAL '1 day'

-- line 1, column 35: the time between two moments is compared with INTERVAL '1 day', or with another such time
SELECT COUNT(*) FROM orders WHERE placed - day > 1

-- line 1, column 8: SUM needs a number. Take one from it with EXTRACT(EPOCH FROM x - y), which are seconds.
SELECT SUM(placed - day) FROM orders

-- line 1, column 8: QUANTILE_CONT needs a number, a date or a moment on private rows. EXTRACT(EPOCH FROM x - y) is one, in seconds.
SELECT QUANTILE_CONT(placed - day, 0.9) FROM orders

-- line 1, column 35: the interval is longer than 10000 years
SELECT COUNT(*) FROM orders WHERE day + INTERVAL '99999' YEAR > day

-- line 1, column 35: a timestamp is moved by an interval, not by a number; write + INTERVAL '1' DAY
SELECT COUNT(*) FROM orders WHERE placed + 1 > placed

-- line 1, column 35: a number is needed here, not text; write CAST(... AS DOUBLE)
SELECT COUNT(*) FROM orders WHERE ABS(region) > 2

-- line 1, column 35: // divides integers only; use FLOOR(x / y) for doubles
SELECT COUNT(*) FROM orders WHERE amount // 0.5 > 2

-- line 1, column 12: ROUND takes a constant number of digits from -15 to 15
SELECT SUM(ROUND(amount, 99)) FROM orders

-- an integer result can be too large; bound the column in the policy or use LEAST and GREATEST
SELECT COUNT(product * product * product) FROM orders

-- line 1, column 35: the pattern cannot be read at its character 3. REGEXP_MATCHES, _FULL_MATCH, _EXTRACT and _REPLACE take a constant pattern of letters, ., classes such as [a-z], \d \w \s \b, ( ), |, ^, $, and *, +, ?, {n,m} up to 100, at most 200 bytes
SELECT COUNT(*) FROM orders WHERE regexp_matches(region, '(a')

-- line 1, column 35: a text is split at a constant separator of at least one character, and the number of the part is a constant, 1 to 1000 from the start or -1 to -1000 from the end
SELECT COUNT(*) FROM orders WHERE SPLIT_PART(region, coupon, 1) = 'a'

-- line 1, column 35: REPLACE takes constants for what is searched and for what replaces it
SELECT COUNT(*) FROM orders WHERE REPLACE(region, coupon, 'x') = 'a'

-- line 1, column 43: the text could become more than 100 times as long as a row's; join fewer parts
SELECT COUNT(*) FROM orders WHERE REPLACE(REPLACE(REPLACE(region, 'a', 'xxxxxxxxxxxxxxxxxxxxxx'), 'x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyy'), 'y', 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzz') = 'a'

-- line 1, column 35: text is needed here, not date; write CAST(... AS VARCHAR)
SELECT COUNT(*) FROM orders WHERE UPPER(day) = 'a'

-- line 1, column 8: the joins can match one private row with 1048576 rows, more than 100000. Join on a key of the other table.
SELECT COUNT(*) FROM orders, regions a, regions b, regions c, regions d, regions e, regions f, regions g, regions h, regions i, regions j

-- line 1, column 8: COVAR_POP needs two numbers. CAST the values to BIGINT or DOUBLE.
SELECT COVAR_POP(region, quantity) FROM orders

-- line 1, column 8: DP_INTERVAL_LOW stands in the SELECT that aggregates private rows. Write DP_INTERVAL_LOW(COUNT(*)) beside COUNT(*), or give it the name of such a column.
SELECT DP_INTERVAL_LOW(n) FROM (SELECT 1 AS n)

-- line 1, column 11: DP_INTERVAL_LOW of a subquery's column needs every column by its name. Write the columns in the place of * and the condition in that of NATURAL.
SELECT *, DP_INTERVAL_LOW(n) FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region)

-- line 1, column 26: DP_INTERVAL_LOW takes an aggregate of private rows, or arithmetic on such aggregates. A key has no noise; windows, texts and dates have no interval.
SELECT region, COUNT(*), DP_INTERVAL_LOW(region) FROM orders GROUP BY region

-- line 1, column 16: an aggregate of private rows can be tied to plain columns of the public row around it alone. Compute what it is compared with in a subquery.
SELECT (SELECT AVG(amount) FROM orders o WHERE o.region = upper(r.region)) FROM regions r

-- line 1, column 1: a query does not begin with COUNT. Only SELECT is answered.
COUNT

-- WITH DIFFERENTIAL_PRIVACY is not supported in a query made of several SELECTs
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM orders UNION ALL SELECT 1

-- there is nothing to run. Write a SELECT statement.
;

-- line 1, column 8: LPAD and RPAD take a constant length of at most 10000
SELECT LPAD(r.region, 9999999, 'x') FROM regions r

-- line 1, column 41: the INTERVAL unit "century" is not supported
SELECT COUNT(*) FROM orders WHERE day + INTERVAL '1' CENTURY > day

-- the number 1e400 is too large
SELECT COUNT(*) FROM orders WHERE amount = 1e400

-- line 1, column 38: a whole number has at most 38 digits. Write it as a double, such as 1e40.
SELECT 1 FROM regions WHERE region = 99999999999999999999999999999999999999999999999

-- line 1, column 8: an interval cannot be read the way it is written. Write INTERVAL 1 DAY, or INTERVAL '1 day 2 hours' with a unit behind each number.
SELECT INTERVAL 'nonsense' DAY

-- line 1, column 37: QUALIFY needs groups: without GROUP BY there is always exactly one row. Add GROUP BY, or leave QUALIFY out.
SELECT COUNT(*) FROM orders QUALIFY row_number() OVER () = 1

-- line 1, column 8: a private SUM is never NULL: over no rows it is 0 with noise. Compare a COUNT with a threshold instead.
SELECT SUM(amount) IS NULL FROM orders

-- line 1, column 8: a column may be qualified by its table, and by the schema that the table has in FROM, only. Give the table an alias.
SELECT a.b.c.region FROM orders

-- line 1, column 30: more column aliases than columns
SELECT COUNT(*) FROM (SELECT region FROM orders) AS v(a, b)

-- line 1, column 35: a subquery that is compared has exactly one column. Select only what is compared.
SELECT COUNT(*) FROM orders WHERE region IN (SELECT 1, 2)

-- line 1, column 52: a subquery has a value that cannot be compared with private rows. Cast it to BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP.
SELECT COUNT(*) FROM orders WHERE placed > (SELECT INTERVAL 1 DAY)

-- line 1, column 52: a subquery that stands for one value has several rows. Write IN (...) to compare with all of them, or take one: MAX(...).
SELECT COUNT(*) FROM orders WHERE region = (SELECT region FROM regions)

-- line 1, column 22: a table may not be qualified by a catalog. Write orders.
SELECT COUNT(*) FROM cat.sch.orders

-- line 1, column 22: a table may not be qualified by a catalog
SELECT COUNT(*) FROM cat.sch.unknown

-- line 1, column 29: UNNEST takes one list of constants here, as in UNNEST([1, 2]) or UNNEST(GENERATE_SERIES(1, 9))
SELECT COUNT(*) FROM UNNEST(SEQUENCE(5, 1)) AS t(h), orders

-- line 1, column 8: this form of LAST_DAY is not supported. Write LAST_DAY(x, 'month'), or 'quarter' or 'year'.
SELECT LAST_DAY(day, 'week') AS m, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1

-- line 1, column 14: SPLIT_PART takes 3 arguments, not 1
SELECT COUNT(SPLIT_PART(region)) FROM orders

-- line 1, column 14: MAKE_DATE takes 3 arguments, not 2
SELECT COUNT(MAKE_DATE(quantity, 1)) FROM orders

-- line 1, column 14: SUBSTRING takes 2 to 3 arguments, not 1
SELECT COUNT(SUBSTR(region)) FROM orders

-- line 1, column 8: REGR_SLOPE takes 2 arguments, not 1
SELECT REGR_SLOPE(quantity) FROM orders

-- line 1, column 67: inside of rows in parentheses integer would be compared with text as text. CAST the text, as in DATE '2025-01-31', or compare each value on its own.
SELECT COUNT(*) FROM orders WHERE (region, quantity) <> ('north', '1')

-- line 1, column 35: a row of several values in parentheses stands only in a comparison with rows of as many
SELECT COUNT(*) FROM orders WHERE (region, quantity) = ('north', 1, 2)

-- line 1, column 40: IN over a subquery compares one value that may be NULL at most. Leave NULLs out with IS NOT NULL, or write EXISTS (... WHERE a = b AND c = d).
SELECT COUNT(*) FROM orders AS o WHERE (o.customer, o.rating, o.coupon) NOT IN (SELECT customer, rating, coupon FROM orders WHERE paid)

-- line 1, column 40: a subquery has as many columns as the row in parentheses that is compared with it. Select only what is compared.
SELECT COUNT(*) FROM orders AS o WHERE (o.customer, o.day) IN (SELECT customer FROM orders)

-- line 1, column 44: a text behind ANY or ALL is an array as in '{a,b}': an array stands in braces
SELECT COUNT(*) FROM orders WHERE region = ANY('north')

-- line 1, column 44: a text behind ANY or ALL is an array as in '{a,b}': arrays of arrays are not supported
SELECT COUNT(*) FROM orders WHERE region = ANY('{{north}}'::text[])

-- line 1, column 44: NULL in an array is not supported
SELECT COUNT(*) FROM orders WHERE region = ANY('{north,NULL}')

-- line 1, column 48: this type is not supported; use a number, text, BOOLEAN, DATE or TIMESTAMP type
SELECT COUNT(*) FROM orders WHERE region = ANY('{north}'::text[][])

-- line 1, column 44: this type is not supported; use a number, text, BOOLEAN, DATE or TIMESTAMP type
SELECT COUNT(*) FROM orders WHERE region = '{north}'::text[]

-- line 1, column 46: a subquery is not supported on private rows. Join the public table, or compare released values in HAVING or in an outer query.
SELECT COUNT(*) FROM orders WHERE quantity > ALL (SELECT zone FROM regions)

-- line 1, column 19: ANY, SOME and ALL stand behind a comparison, in parentheses with a query, a list or a parameter
SELECT quantity + ANY (SELECT 41) FROM orders

-- line 1, column 48: a list without values is not supported
SELECT COUNT(*) FROM orders WHERE region = ANY ([])

-- line 1, column 45: a list behind IN is not supported. Write IN ('a', 'b').
SELECT COUNT(*) FROM orders WHERE region IN ['north', 'south']

-- line 1, column 30: EXCLUDE and RENAME behind * take names of columns
SELECT COUNT(*) FROM (SELECT * EXCLUDE (o.day) FROM orders AS o)

-- line 1, column 19: there is no column "nothing". There is: region, n.
SELECT * EXCLUDE (nothing) FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region)

-- line 1, column 8: a star cannot stand in an aggregating SELECT over private rows. Name the columns to group by.
SELECT * EXCLUDE (region), COUNT(*) FROM orders GROUP BY ALL

-- line 1, column 23: a join in parentheses has no alias; write (SELECT * FROM a JOIN b ...) AS alias
SELECT COUNT(*) FROM (orders AS o JOIN regions AS r USING (region)) AS z

-- line 1, column 34: a join in parentheses stands first in FROM, behind a comma, or first behind JOIN ... ON without SELECT *
SELECT * FROM regions LEFT JOIN (tags JOIN products ON true) ON tags.region = regions.region

-- line 1, column 8: pieces of months begin with a month; leave the third argument of TIME_BUCKET out
SELECT time_bucket(INTERVAL '2 months', placed, TIMESTAMP '2025-01-15') AS m, COUNT(*) FROM orders GROUP BY m

-- line 1, column 8: the third argument of TIME_BUCKET is a constant date, timestamp or interval without months
SELECT time_bucket(INTERVAL '1 day', placed, INTERVAL '1 month') AS m, COUNT(*) FROM orders GROUP BY m

-- line 1, column 8: this form of TO_CHAR is not supported. Write STRFTIME(x, '%Y-%m-%d'), or CAST(x AS VARCHAR) of a number.
SELECT TO_CHAR(day, 'Qth "of" YYYY') AS q, COUNT(*) FROM orders GROUP BY q

-- line 1, column 8: this form of TO_CHAR is not supported. Write STRFTIME(x, '%Y-%m-%d'), or CAST(x AS VARCHAR) of a number.
SELECT TO_CHAR(day, 'YYYY "100%" Q') AS q, COUNT(*) FROM orders GROUP BY q

-- line 1, column 35: the only option of REGEXP_MATCHES is 'i', for letters in any case
SELECT COUNT(*) FROM orders WHERE REGEXP_MATCHES(region, 'a', 'g')

-- line 1, column 35: the third argument of TIME_BUCKET is a constant date, timestamp or interval without months
SELECT COUNT(*) FROM orders WHERE time_bucket(INTERVAL '1 day', placed, day) IS NULL

-- line 1, column 8: pieces of months begin with a month; leave the third argument of TIME_BUCKET out
SELECT DATE_BIN('1 month', placed, '2025-01-01') AS m, COUNT(*) FROM orders GROUP BY m

-- line 1, column 8: this form of DATE_BIN is not supported. Write TIME_BUCKET(INTERVAL '15 minutes', x).
SELECT DATE_BIN('1 day', placed) AS m, COUNT(*) FROM orders GROUP BY m

-- line 1, column 8: TIME_BUCKET takes a constant width above 0 of months, or of days and less, such as INTERVAL '15 minutes'
SELECT time_bucket(INTERVAL '0 days', day), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: pieces of a date are whole days; write CAST(x AS TIMESTAMP) for shorter ones
SELECT time_bucket(INTERVAL '6 hours', day), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 35: a date or timestamp is needed here, not integer; name a date or timestamp
SELECT COUNT(*) FROM orders WHERE time_bucket(INTERVAL '6 hours', quantity) IS NULL

-- line 1, column 46: a subquery is not supported on private rows. Join the public table, or compare released values in HAVING or in an outer query.
SELECT COUNT(*) FROM orders WHERE quantity = ALL (SELECT 1)

-- the lists of a query have more than 10000 values together. Send several queries.
SELECT COUNT(*) FROM orders WHERE (quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity + quantity) <> SOME(ARRAY[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89])

-- this statement about the system cannot be answered. Check the names of the columns in it, and the types of what is compared or joined.
SELECT relname + 1 FROM pg_catalog.pg_class

-- line 1, column 22: there is no column "nosuch"
SELECT current_user, nosuch

-- line 1, column 34: SIMILAR TO takes a constant pattern here
SELECT oid FROM pg_class c WHERE relname SIMILAR TO relkind

-- line 1, column 8: this setting cannot be changed
SELECT set_config('search_path', 'nosuch', false)

-- line 1, column 8: this setting cannot be changed
SELECT set_config('intervalstyle', 'iso_8601', false)

-- line 1, column 8: regexp_match takes a text and a constant pattern here
SELECT regexp_match(relname, 'a', 'g') FROM pg_class

-- line 1, column 30: a pattern is a constant regular expression here
SELECT regexp_match(relname, '(') FROM pg_class

-- line 1, column 8: encode takes a column and a format here
SELECT encode('abc', 'hex') FROM pg_class

-- line 1, column 8: format takes a constant text with %s, %I and %L here
SELECT format(relname) FROM pg_class

-- line 1, column 8: format has more fields than values
SELECT format('%s %s', relname) FROM pg_class

-- line 1, column 25: the function _pg_expandarray is not supported behind FROM
SELECT 1 FROM pg_class, _pg_expandarray(array[1])

-- line 1, column 8: MODE needs values to choose from. Name a column whose values are listed.
SELECT MODE(NULL) FROM orders

-- line 1, column 8: MODE needs an argument. Name a column.
SELECT MODE() FROM orders

-- line 1, column 41: an interval can only be added to or subtracted from a date or timestamp
SELECT COUNT(*) FROM orders WHERE day + CASE WHEN paid THEN INTERVAL 1 DAY ELSE INTERVAL 2 DAY END > day

-- line 1, column 28: LAG needs a value that is more than NULL, and no interval. Name a column.
SELECT SUM(n) FROM (SELECT LAG(NULL) OVER (PARTITION BY customer ORDER BY day) AS n FROM orders)

-- line 1, column 30: there is no table "x" in FROM. There is: o.
SELECT COUNT(*) FROM (SELECT x.* FROM orders AS o)

-- line 1, column 42: a query has no column that private rows can be joined with. CAST its columns to BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP.
SELECT COUNT(*) FROM orders JOIN (SELECT INTERVAL 1 DAY AS z) ON true

-- a public query beside private rows has 589824 rows, more than 10000. Join the public table itself.
SELECT COUNT(*) FROM orders JOIN (SELECT a.zone FROM regions a, regions b, regions c, regions d, regions e, regions f, regions g, products h, products i) x ON x.zone = quantity

-- line 1, column 35: a subquery of IN has 46656 values, more than 10000. Join the public table instead.
SELECT COUNT(*) FROM orders WHERE region IN (SELECT a.label || b.label || c.label || d.label || e.label || f.label FROM products a, products b, products c, products d, products e, products f)

-- line 1, column 24: the text could become longer than 100000 characters. Join fewer parts, or replace by shorter ones.
SELECT REPLACE(REPLACE(REPLACE(REPLACE(region, 'o', 'xxxxxxxxxxxxxxxxxxxxxxxxx'), 'x', 'yyyyyyyyyyyyyyyyyyyyyyyyy'), 'y', 'zzzzzzzzzzzzzzzzzzzzzzzzz'), 'z', 'yyyyyyyyyyyyyyyyyyyyyyyyy') FROM regions

-- an error of at most 1 needs more than epsilon 1, which gives 300. Ask for less accuracy, for fewer columns, or with a larger epsilon.
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(accuracy = 1) COUNT(*) FROM orders

-- no column of the query has an error that is known before it runs, so that none can be asked for. An accuracy is one of counts and sums. Leave it out, and look at the intervals of the answer.
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(accuracy = 1) AVG(amount) FROM orders

-- line 1, column 48: a condition must be true or false. Compare the value with something.
SELECT COUNT(*) FROM (SELECT customer, BOOL_OR(quantity) AS m FROM orders GROUP BY customer) WHERE m

-- line 1, column 45: this moment cannot be read. Write it as in TIMESTAMPTZ '2025-01-31 13:00:00+02:00'.
SELECT COUNT(*) FROM orders WHERE placed >= CAST('2025-02-01 00:00:00 Europe/Berlin' AS TIMESTAMPTZ)

-- line 1, column 26: a moment of another time zone than UTC is not supported. Write x AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' for the clocks there, of moments in UTC, and x AT TIME ZONE 'Asia/Tokyo' AT TIME ZONE 'UTC' for moments in UTC, of those clocks.
SELECT date_trunc('day', placed AT TIME ZONE 'Asia/Tokyo') AS d, COUNT(*) FROM orders GROUP BY d

-- line 1, column 35: AT TIME ZONE of a text is not supported. Write TIMESTAMP '2025-01-31'.
SELECT COUNT(*) FROM orders WHERE '2025-02-01' AT TIME ZONE 'Asia/Tokyo' < placed

-- line 1, column 35: AT TIME ZONE takes a constant name such as 'Europe/Berlin'
SELECT COUNT(*) FROM orders WHERE placed AT TIME ZONE region < placed

-- a subquery over public tables cannot be evaluated. Run it by itself, and give each of its columns a type such as BIGINT, VARCHAR, DATE or TIMESTAMP.
SELECT COUNT(*) FROM orders WHERE region IN (SELECT CAST(region AS BIGINT) FROM regions)

-- line 1, column 35: AT TIME ZONE takes a constant name such as 'Europe/Berlin'
SELECT COUNT(*) FROM orders WHERE TIMEZONE(region, placed) < placed

-- line 1, column 27: the time zone Asia/Atlantis is not known; write its name as in 'Europe/Berlin'
SELECT COUNT(*), MAX(HOUR(placed AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Atlantis')) FROM orders

-- policy: shop
-- line 1, column 35: a computed number of steps goes by weeks, days, hours or less; months and years need a constant number, as in INTERVAL 3 MONTH
SELECT COUNT(*) FROM orders WHERE day + quantity * INTERVAL '1 month' > '2025-02-01'

-- line 1, column 35: an interval is multiplied by a whole number, not by double; CAST(x AS BIGINT) is one
SELECT COUNT(*) FROM orders WHERE day + FLOOR(amount) / 2 * INTERVAL '1 day' > '2025-02-01'

-- line 1, column 35: an interval is multiplied by a whole number, not by double; CAST(x AS BIGINT) is one
SELECT COUNT(*) FROM orders WHERE day + amount * INTERVAL '1 day' > '2025-02-01'

-- line 1, column 35: a date or timestamp is moved by an interval, not integer
SELECT COUNT(*) FROM orders WHERE quantity + quantity * INTERVAL '1 day' > '2025-02-01'

-- line 1, column 35: an interval can only be added to or subtracted from a date or timestamp
SELECT COUNT(*) FROM orders WHERE quantity * INTERVAL '1 day' > INTERVAL '3 days'

-- line 1, column 60: a private SUM is never NULL: over no rows it is 0 with noise. Compare a COUNT with a threshold instead.
SELECT region, COUNT(*) FROM orders GROUP BY region HAVING SUM(amount) IS NULL

-- line 1, column 8: a private SUM is never NULL: over no rows it is 0 with noise. Compare a COUNT with a threshold instead.
SELECT SUM(amount) IS NOT DISTINCT FROM NULL FROM orders

-- line 1, column 8: a private SUM is never NULL: over no rows it is 0 with noise. Compare a COUNT with a threshold instead.
SELECT (2 * SUM(amount) FILTER (WHERE quantity > 1) + 1) IS NULL FROM orders

-- line 1, column 72: a private SUM is never NULL: over no rows it is 0 with noise. Compare a COUNT with a threshold instead.
SELECT region, SUM(amount) AS total FROM orders GROUP BY region HAVING NULL IS NOT DISTINCT FROM (total)

-- line 1, column 35: this form of DATE_TRUNC is not supported. Write DATE_TRUNC('month', x). The unit is a constant: year, quarter, month, week (from Monday), day, hour, minute or second.
SELECT COUNT(*) FROM orders WHERE DATE_TRUNC(placed, WEEK(TUESDAY)) = '2025-01-01'

-- line 1, column 8: this form of TO_CHAR is not supported. Write STRFTIME(x, '%Y-%m-%d'), or CAST(x AS VARCHAR) of a number.
SELECT TO_CHAR(day, 'Month YYYY'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: this form of TO_CHAR is not supported. Write STRFTIME(x, '%Y-%m-%d'), or CAST(x AS VARCHAR) of a number.
SELECT TO_CHAR(day, 'SSSS'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: this form of TO_CHAR is not supported. Write STRFTIME(x, '%Y-%m-%d'), or CAST(x AS VARCHAR) of a number.
SELECT TO_CHAR(day, 'HH12 am'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: this form of TO_CHAR is not supported. Write STRFTIME(x, '%Y-%m-%d'), or CAST(x AS VARCHAR) of a number.
SELECT TO_CHAR(day, 'DDth'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: this form of DATE_FORMAT is not supported. Write STRFTIME(x, '%Y-%m-%d').
SELECT DATE_FORMAT(day, '%Y %'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: this form of DATE_FORMAT is not supported. Write STRFTIME(x, '%Y-%m-%d').
SELECT DATE_FORMAT(day, 'yyyyww'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 23: TOP is not supported here. Write LIMIT at the end of that SELECT.
SELECT * FROM (SELECT TOP 3 region, COUNT(*) FROM orders GROUP BY region UNION ALL SELECT 'all', COUNT(*) FROM orders) AS t

-- line 1, column 111: LIMIT on private rows depends on their order. Aggregate the rows; to take fewer of them, filter with WHERE.
SELECT (SELECT TOP 1 region FROM regions ORDER BY region) AS r, COUNT(*), (SELECT COUNT(*) FROM (SELECT TOP 5 region FROM orders) t) FROM orders

-- line 1, column 8: TOP is not supported here. Write LIMIT at the end of that SELECT.
SELECT TOP 3 region, COUNT(*) FROM orders GROUP BY region OFFSET 1

-- line 1, column 44: a string between dollars touches a word or another dollar. Put a space between them.
SELECT COUNT(*) FROM orders WHERE region = $$north$$AND paid

-- line 1, column 44: a string between dollars holds many single quotes. Write 'text', each quote in it twice.
SELECT COUNT(*) FROM orders WHERE coupon = $$''''$$

-- line 1, column 44: a string between dollars is opened here and never closed
SELECT COUNT(*) FROM orders WHERE region = $a$north$$

-- line 1, column 44: no string between dollars begins so. Write 'text'.
SELECT COUNT(*) FROM orders WHERE region = $1$north$1$

-- line 1, column 86: OFFSET is not supported where the groups are chosen privately, without their values. Select the aggregate of ORDER BY as well: all groups are then released and sorted.
SELECT region FROM orders GROUP BY region ORDER BY SUM(quantity) DESC LIMIT 1 OFFSET 1

-- line 1, column 43: DISTINCT ON needs an ORDER BY that says which row is the first one. Write QUALIFY ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...) = 1.
SELECT COUNT(*) FROM (SELECT DISTINCT ON (customer) * FROM orders) o

-- line 1, column 43: DISTINCT ON cannot stand beside QUALIFY. Write QUALIFY ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...) = 1.
SELECT COUNT(*) FROM (SELECT DISTINCT ON (customer) * FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY customer ORDER BY day) < 3 ORDER BY customer, day) o

-- line 1, column 21: a window over private rows must stay inside one unit. PARTITION BY the key of the unit, or aggregate first: windows work on released results.
SELECT DISTINCT ON (region) region, amount FROM orders ORDER BY region, amount

-- DuckDB cannot compute the query from what is public. A value in it does not convert (TRY_CAST gives NULL for it), or it takes too much time or memory.
SELECT CAST('pen' AS BIGINT)

-- line 1, column 10: a name is expected here. SHOW TABLES, SHOW SCHEMAS, SHOW DATABASES, SHOW COLUMNS FROM t, DESCRIBE t and PRAGMA table_info('t') are answered; so are queries on information_schema.tables and information_schema.columns.
DESCRIBE 5

-- line 1, column 8: a part of an array is written as x[1:2], with numbers from 1, of no vector
SELECT indkey[0:1] FROM pg_index

-- line 1, column 8: an interval with months has no fixed length, and cannot be given as one. CAST it to VARCHAR.
SELECT INTERVAL '1 month', COUNT(*) FROM orders

-- line 1, column 8: an interval with months has no fixed length, and cannot be given as one. CAST it to VARCHAR.
SELECT to_years(n) FROM (SELECT COUNT(*) AS n FROM orders) AS t

-- line 1, column 36: an infinite day or moment cannot be given. CAST it to VARCHAR, or compare with it alone.
SELECT coalesce(CAST(NULL AS DATE),'infinity'), COUNT(*) FROM orders

-- line 1, column 9: an infinite day or moment cannot be given. CAST it to VARCHAR, or compare with it alone.
SELECT ('infinity'::DATE)::TIMESTAMP, COUNT(*) FROM orders

-- line 1, column 46: a date of private rows lies in the years 1 to 9999; write DATE '9999-12-31' for after all of them, DATE '0001-01-01' for before
SELECT COUNT(*) FROM orders WHERE day < DATE 'infinity'

-- line 1, column 35: a timestamp of private rows lies in the years 1 to 9999; write DATE '9999-12-31' for after all of them, DATE '0001-01-01' for before
SELECT COUNT(*) FROM orders WHERE placed < 'infinity'

-- line 1, column 1: VALUES is not supported as a statement. Write SELECT * FROM (VALUES (1), (2)) AS v(x).
VALUES (1) WHERE FALSE

-- line 1, column 18: an infinite day or moment cannot be given. CAST it to VARCHAR, or compare with it alone.
SELECT TIMESTAMP 'infinity', COUNT(*) FROM orders

-- line 1, column 8: there is no setting "no.such"
SELECT current_setting('no.such'), relname FROM pg_class

-- line 1, column 13: this text is not an array. An array is a text such as '{a,b}'.
SELECT CAST('{1,2' AS INTEGER[]) FROM pg_class

-- line 1, column 8: pg_typeof takes a value of the SELECT list whose type is known here
SELECT pg_typeof(count(*)) FROM pg_class

-- line 1, column 52: ANY and ALL stand behind =, <>, <, > and LIKE with a short array that is written out, ANY behind = and ALL behind <> with any array, in a statement about the system
SELECT * FROM pg_class WHERE relname > ANY (SELECT 'a')

-- line 1, column 52: a part of the query cannot be read the way it is written
-- before sqlglot 30: line 1, column 52: the text cannot be read as SQL near regions. Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
SELECT COUNT(*) FROM orders WHERE region IN (TABLE regions)

-- line 1, column 42: accuracy must be a plain number such as 50. Signs, texts and sums are not read.
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(accuracy = x) COUNT(*) FROM orders

-- line 1, column 42: accuracy must be above 0, and finite
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(accuracy = 0) COUNT(*) FROM orders

-- line 1, column 42: a comparison with NULL is true of no row. Write IS NULL or IS NOT NULL. With connect(empty_conditions=True) or OPTIONS(empty_conditions = true) it is compared all the same.
SELECT COUNT(*) FROM orders WHERE region = NULL

-- line 1, column 44: 'North' is not in the list of region. Did you mean 'north'? With connect(empty_conditions=True) or OPTIONS(empty_conditions = true) it is compared all the same.
SELECT COUNT(*) FROM orders WHERE region = 'North'

-- line 1, column 8: 9 is not in the list of rating. It has 1, 2, 3, 4, 5. With connect(empty_conditions=True) or OPTIONS(empty_conditions = true) it is compared all the same.
SELECT COUNT(*) FROM orders WHERE rating <> 9

-- line 1, column 42: empty_conditions must be true or false
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(empty_conditions = 1) COUNT(*) FROM orders

-- line 1, column 42: clipping must be 'auto', 'fixed' or 'private'
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(clipping = 'none') COUNT(*) FROM orders

-- line 1, column 42: fresh must be true or false
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(fresh = maybe) COUNT(*) FROM orders

-- line 1, column 42: max_groups_contributed must be a whole number above 0
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 0) COUNT(*) FROM orders

-- line 1, column 42: the policy takes at most 100 rows of a unit, and a query may name fewer but not more. Leave max_rows_contributed out.
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 101) COUNT(*) FROM orders

-- line 1, column 42: every row of orders is a unit of its own, which leaves nothing to limit. Leave max_rows_contributed out.
-- policy: rows
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 1) COUNT(*) FROM orders

-- line 1, column 8: moments are in UTC here: another time zone is not supported
SELECT now() AT TIME ZONE 'Europe/Berlin' FROM pg_class

-- line 1, column 8: the type foo is not supported
SELECT 1::foo FROM pg_class

-- line 1, column 27: this function takes the rows of pg_attribute and pg_type here
SELECT information_schema._pg_truetypid(1, 2) FROM pg_type

-- line 1, column 34: unnest of several arrays needs a name for each of its columns
SELECT u FROM pg_index i, unnest(i.indkey, i.indoption) AS u

-- line 1, column 15: PIVOT is not supported
SELECT * FROM pg_class UNPIVOT (v FOR n IN (relname))

-- line 1, column 8: this type is not supported in a statement about the system
SELECT '1'::point FROM pg_class

-- line 1, column 8: the name of a function has plain letters only
SELECT sümm(quantity) FROM orders

-- line 1, column 8: a dot stands only between names, and behind a value in parentheses
SELECT 'a'.n FROM pg_class

-- line 1, column 38: the query is nested deeper than 30 levels here. Name inner queries in a WITH clause.
SELECT ((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))

-- policy: table_cap
-- line 1, column 8: the policy does not limit how many rows one unit may own once a join has multiplied them. The policy needs max_rows_per_unit under privacy; that of the table is heeded before the join.
SELECT COUNT(*) FROM orders JOIN (SELECT region, product, COUNT(*) AS c FROM orders GROUP BY region, product) v USING (region)

-- line 1, column 8: REGEXP_REPLACE takes a constant that replaces, with \1 for a group of its pattern, and 'g' for every match
SELECT REGEXP_REPLACE(region, 'o', '\3') AS r, COUNT(*) FROM orders GROUP BY r

-- line 1, column 8: REGEXP_EXTRACT takes the number of a group of its pattern, or 0 for all that it matches
SELECT REGEXP_EXTRACT(region, '(o)', 2) AS r, COUNT(*) FROM orders GROUP BY r

-- line 1, column 8: CONCAT_WS takes first a constant separator of at most 100 bytes
SELECT CONCAT_WS(region, 'a', 'b') AS r, COUNT(*) FROM orders GROUP BY r

-- line 1, column 8: LPAD and RPAD take a constant length of at most 100 here, and a constant that fills
SELECT LPAD(region, 101, 'x') AS r, COUNT(*) FROM orders GROUP BY r

-- line 1, column 38: a list is not supported on private rows. Write one call for each of its values.
SELECT AVG(x) FROM (SELECT customer, QUANTILE_CONT(amount, [0.5]) AS x FROM orders GROUP BY customer)

-- line 1, column 8: MODE() WITHIN GROUP takes no DESC
SELECT MODE() WITHIN GROUP (ORDER BY region DESC) FROM orders

-- line 1, column 8: a list of more than 100 quantiles, or of a long expression, is not supported
SELECT QUANTILE_CONT(amount, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]) FROM orders

-- line 1, column 75: the column "coupon" is neither grouped nor aggregated. Add it to GROUP BY, or aggregate it.
SELECT region, COUNT(*), (SELECT COUNT(*) FROM regions r WHERE r.region = o.coupon) FROM orders o GROUP BY region

-- line 1, column 124: a subquery over the same results cannot name a group of the query around it. Join two derived tables, each with the results.
SELECT region, COUNT(*), (SELECT MAX(n) FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) x WHERE x.region = o.region) FROM orders o GROUP BY region

-- line 1, column 101: the query cannot name the row of "o" around it. One aggregate of private rows can, by equalities in WHERE; EXISTS and IN can where both rows are of one unit. Else join.
SELECT COUNT(*) FROM orders o WHERE quantity IN (SELECT p.quantity FROM orders p WHERE p.customer = o.customer LIMIT 2)

-- line 1, column 98: the query cannot name the row of "o" around it. One aggregate of private rows can, by equalities in WHERE; EXISTS and IN can where both rows are of one unit. Else join.
SELECT COUNT(*) FROM orders o WHERE o.region IN (SELECT r.region FROM regions r WHERE r.region = o.region GROUP BY r.region)

-- line 1, column 17: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count a column of the private table.
SELECT p.label, COUNT(DISTINCT p.product) AS n FROM products AS p LEFT JOIN orders AS o ON p.product = o.customer GROUP BY p.label

-- line 1, column 12: text does not convert to a decimal here; write CAST(... AS DOUBLE) first
SELECT SUM(CAST(region AS DECIMAL(18, 2))) FROM orders

-- line 1, column 12: a DECIMAL on private rows has at most 38 digits, 9 of them behind the point
SELECT SUM(CAST(amount AS DECIMAL(18, 10))) FROM orders

-- line 1, column 35: a cast of arithmetic with decimal constants rounds otherwise in doubles than in DuckDB's decimals; scale to whole numbers, or divide
SELECT COUNT(*) FROM orders WHERE CAST(amount AS DECIMAL(9, 2))::VARCHAR = '5.00'

-- line 1, column 35: arithmetic with decimal constants is done in doubles here, where DuckDB's decimals can compare or round otherwise; scale to whole numbers, or divide
SELECT COUNT(*) FROM orders WHERE CAST(amount AS DECIMAL(9, 2)) * 1.1 > 5

-- line 1, column 35: IN needs a list of values. Write one or more of them in parentheses, or join the public table.
SELECT COUNT(*) FROM orders WHERE region IN ()

-- line 1, column 35: the integer is too large; write it with a decimal point for a double
SELECT COUNT(*) FROM orders WHERE quantity > '999999999999999999999999999999999999999'

-- line 1, column 74: IS NULL of an interval is not supported; test the date that it is added to
SELECT COUNT(*) FROM (SELECT INTERVAL 1 DAY AS i FROM orders) AS v WHERE i IS NULL

-- line 1, column 128: the interval must be written as a constant, such as INTERVAL '1' DAY
SELECT COUNT(*) FROM (SELECT day, INTERVAL 1 DAY AS i FROM orders UNION ALL SELECT day, INTERVAL 2 DAY FROM orders) AS v WHERE day + i > DATE '2025-01-01'

-- line 1, column 39: boolean is needed here, not interval; an interval can only be added to or subtracted from a date or timestamp
SELECT COUNT(*) FROM orders WHERE NOT INTERVAL 1 DAY

-- line 1, column 39: boolean is needed here, not date; compare it with a date, or take a number from it with EXTRACT
SELECT COUNT(*) FROM orders WHERE NOT day

-- line 1, column 35: a date or timestamp is needed here, not integer; name a date or timestamp
SELECT COUNT(*) FROM orders WHERE last_day(quantity) > day

-- line 1, column 8: the groups that this outer join lists come from a query that has not been answered yet. Write JOIN, or take the groups from a public table.
SELECT n.product, COUNT(o.customer) FROM (SELECT product FROM orders GROUP BY product) AS n LEFT JOIN orders AS o ON n.product = o.product GROUP BY 1

-- line 1, column 8: an outer join that lists a public table's rows can have one private table. Join the private tables first, in a derived table, or write JOIN for each of them.
SELECT r.country, COUNT(o.customer) FROM orders AS o RIGHT JOIN regions AS r ON r.region = o.region LEFT JOIN orders AS p ON p.region = r.region WHERE p.customer = o.customer GROUP BY 1

-- a query beside private rows is not accepted by DuckDB on the released results. Give every computed column of a subquery an alias, and refer to it by that; check its GROUP BY, and the types of its functions' arguments.
SELECT COUNT(*) FROM orders WHERE region IN (SELECT region FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS v GROUP BY n)

-- line 1, column 1: the statement is not a query. Only SELECT is answered.
(orders)

-- the text can be split into words and symbols in more than one way. Write comments as -- or /* */; braces as in {# #} are not supported.
SELECT COUNT(*) FROM orders {# of all #}

-- the query is nested in a way that takes too long to read. Write CAST(x AS DATE) where types stand as functions around each other, as in date(date(x)).
SELECT date(date(date(date(date(date(date(date(date(date(date(date(day)))))))))))) FROM orders

-- line 1, column 8: a regular expression has at most 1000 characters and is matched with at most 2000. Match a part of the text, as SUBSTR(x, 1, 100) is, with a shorter pattern.
SELECT regexp_matches(region, (SELECT string_agg(country) FROM regions)) FROM regions

-- line 1, column 8: STDDEV_SAMP(DISTINCT ...) is not supported on private rows. Use STDDEV_SAMP of all rows, or COUNT(DISTINCT ...) and SUM(DISTINCT ...).
SELECT STDDEV(DISTINCT quantity) FROM orders

-- line 1, column 38: SUM(DISTINCT ...) is not supported on private rows. Take DISTINCT rows in a subquery first: FROM (SELECT DISTINCT unit, x FROM t).
SELECT AVG(s) FROM (SELECT customer, SUM(DISTINCT quantity) AS s FROM orders GROUP BY customer) AS v

-- line 1, column 8: COUNT of several columns is not supported. Count one column; COUNT(DISTINCT (a, b)) counts different pairs.
SELECT COUNT(quantity, amount) FROM orders

-- line 1, column 63: a NATURAL JOIN behind a comma is not supported beside private rows. A comma binds looser than a join: write the joined tables first, and the others behind commas.
SELECT COUNT(*) FROM regions AS r, products AS p NATURAL JOIN orders AS o

-- line 1, column 79: a RIGHT JOIN behind a comma is not supported beside private rows. A comma binds looser than a join: write the joined tables first, and the others behind commas.
SELECT r.region, COUNT(o.customer) FROM products AS p, orders AS o RIGHT JOIN regions AS r ON o.region = r.region GROUP BY 1

-- line 1, column 78: a FULL JOIN behind a comma is not supported beside private rows. A comma binds looser than a join: write the joined tables first, and the others behind commas.
SELECT r.region, COUNT(o.customer) FROM products AS p, orders AS o FULL JOIN regions AS r ON o.region = r.region GROUP BY 1

-- line 1, column 8: INITCAP is not supported. Write UPPER(LEFT(x, 1)) || LOWER(SUBSTRING(x, 2)) for a single word.
SELECT INITCAP(region), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: STRING_SPLIT gives a list; take one of its parts, as in STRING_SPLIT(x, ',')[1]
SELECT STRING_SPLIT(region, 'o'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: a text is split at a constant separator of at least one character, and the number of the part is a constant, 1 to 1000 from the start or -1 to -1000 from the end
SELECT STRING_SPLIT(region, 'o')[quantity], COUNT(*) FROM orders GROUP BY 1

-- line 1, column 12: SPLIT gives a list; take one of its parts, as in STRING_SPLIT(x, ',')[1]
SELECT LEN(SPLIT(region, 'o')), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: a subscript is one number, as in STRING_SPLIT(x, ',')[1]; LIST_SLICE(x, 1, 2) is a part of a released list
SELECT region['n'], COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: the function list_extract is not supported on private rows. It is one of released results: aggregate the rows, and use it in the SELECT list or around the query.
SELECT region[1], COUNT(*) FROM orders GROUP BY 1

-- line 1, column 35: the function make_timestamp is not supported on private rows. It is one of released results: aggregate the rows, and use it in the SELECT list or around the query.
SELECT COUNT(*) FROM orders WHERE MAKE_TIMESTAMP(quantity) > placed

-- line 1, column 56: a subquery would return rows of a private table. Compare a count, which has noise, with more than the noise: (SELECT COUNT(*) FROM t) > 20.
SELECT COUNT(*) FROM regions AS r WHERE EXISTS (SELECT * FROM orders WHERE quantity > 5)

-- line 1, column 19: a list is not supported on private rows. Write one call for each of its values.
SELECT DATE_PART(['month', 'year'], day), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 29: PIVOT needs GROUP BY, or a query in parentheses that lists the columns to group by
SELECT * FROM orders PIVOT (SUM(amount) FOR paid IN (true, false))

-- line 1, column 45: PIVOT needs GROUP BY, or a query in parentheses that lists the columns to group by
SELECT * FROM (SELECT * FROM orders) PIVOT (SUM(amount) FOR paid IN (true, false))

-- line 1, column 103: UNPIVOT takes a name for the values, one for their columns, and columns: (value FOR name IN (a, b))
SELECT * FROM (SELECT region, COUNT(*) AS n, SUM(quantity) AS s FROM orders GROUP BY region) UNPIVOT ((v, w) FOR k IN ((n, s)))

-- line 1, column 52: LATERAL of several rows stands behind another table, with a name, and beside no *
SELECT * FROM orders o CROSS JOIN LATERAL (VALUES (o.quantity), (o.rating)) AS v(x)

-- line 1, column 59: LATERAL of several rows needs a name for each column, as in AS v(x, y), and at most 100 rows
SELECT COUNT(*) FROM orders o CROSS JOIN LATERAL (VALUES (o.quantity, 1), (o.rating, 2)) AS v(x)

-- line 1, column 7: PIVOT needs aggregates, as in USING SUM(amount)
PIVOT orders ON region IN ('north') GROUP BY paid

-- line 1, column 7: PIVOT with several aggregates needs a name for each, as in SUM(amount) AS total
PIVOT orders ON region IN ('north') USING COUNT(*), SUM(quantity) GROUP BY paid

-- line 1, column 7: PIVOT makes too many columns. It makes at most 300.
PIVOT orders ON rating IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17), quantity IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) USING COUNT(*) GROUP BY paid

-- line 1, column 7: PIVOT takes each value, and each name, once
PIVOT orders ON region IN ('north', 'north') USING COUNT(*) GROUP BY paid

-- line 1, column 7: PIVOT makes columns of the values of a column: compute it in a query in parentheses
PIVOT orders ON upper(region) IN ('NORTH') USING COUNT(*) GROUP BY paid

-- line 1, column 29: PIVOT takes constants, and needs a name for one like -1, 0.5 or DATE '2025-01-01', as in -1 AS below
SELECT * FROM orders PIVOT (COUNT(*) FOR rating IN ((SELECT 2)) GROUP BY paid)

-- line 1, column 29: PIVOT takes one table, or one query in parentheses
SELECT * FROM orders PIVOT (COUNT(*) FOR region IN ('north') GROUP BY paid) PIVOT (COUNT(*) FOR paid IN (true))

-- line 1, column 7: GROUP BY of PIVOT takes names of columns
PIVOT orders ON region IN ('north') USING COUNT(*) GROUP BY ALL

-- line 1, column 7: the query would return rows of a private table. Aggregate them: COUNT, SUM, AVG, with or without GROUP BY.
PIVOT orders ON region IN ('north') USING COUNT(*) GROUP BY customer

-- line 1, column 17: PIVOT needs the values to make columns of, as in region IN ('north', 'south'), or a column of a table of which the policy lists them
PIVOT orders ON product USING COUNT(*) GROUP BY paid

-- line 1, column 94: PIVOT needs the values to make columns of, as in region IN ('north', 'south'), or a column of a table of which the policy lists them
WITH orders AS (SELECT region, paid FROM main.orders LIMIT 5) SELECT * FROM (PIVOT orders ON region USING COUNT(*) GROUP BY paid)

-- line 1, column 17: DISTINCT beside a window function over private rows is not supported. Compute the window in a subquery, and take DISTINCT around it.
SELECT DISTINCT region, RANK() OVER (ORDER BY region) AS r FROM orders

-- line 1, column 17: DISTINCT beside a window function over private rows is not supported. Compute the window in a subquery, and take DISTINCT around it.
SELECT DISTINCT region, RANK() OVER (PARTITION BY region) AS r FROM orders

-- line 1, column 17: DISTINCT beside a window function over private rows is not supported. Compute the window in a subquery, and take DISTINCT around it.
SELECT DISTINCT region, SUM(amount) OVER (PARTITION BY region ORDER BY day) AS r FROM orders

-- line 1, column 17: DISTINCT beside a window function over private rows is not supported. Compute the window in a subquery, and take DISTINCT around it.
SELECT DISTINCT region, paid, AVG(amount) OVER (PARTITION BY region) AS r FROM orders

-- line 1, column 17: DISTINCT beside a window function over private rows is not supported. Compute the window in a subquery, and take DISTINCT around it.
SELECT DISTINCT region, COUNT(DISTINCT product) OVER () AS r FROM orders

-- line 1, column 17: DISTINCT beside a window function over private rows is not supported. Compute the window in a subquery, and take DISTINCT around it.
SELECT DISTINCT region, SUM(amount) OVER w AS r FROM orders WINDOW w AS (PARTITION BY region)

-- line 1, column 17: DISTINCT beside a window function over private rows is not supported. Compute the window in a subquery, and take DISTINCT around it.
SELECT DISTINCT *, COUNT(*) OVER () AS r FROM orders

-- line 1, column 30: both sides of UNION ALL need the same number of columns, of the same types. Cast the columns that differ.
SELECT COUNT(*) FROM (SELECT customer, region AS x FROM orders UNION ALL SELECT customer, quantity FROM orders) AS v

-- line 1, column 35: ESCAPE takes one constant character of ASCII that is no letter
SELECT COUNT(*) FROM orders WHERE region LIKE 'n%' ESCAPE '!!'

-- line 1, column 35: ESCAPE takes one constant character of ASCII that is no letter
SELECT COUNT(*) FROM orders WHERE region ILIKE 'Nxx' ESCAPE 'x'

-- line 1, column 35: the pattern of LIKE ends in its escape character
SELECT COUNT(*) FROM orders WHERE region LIKE 'n%!' ESCAPE '!'

-- line 1, column 16: WITH RECURSIVE is read where it counts from one constant to another, in at most 2000 steps. As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.
WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x) SELECT x.n, COUNT(*) FROM orders JOIN x ON x.n = quantity GROUP BY x.n

-- line 1, column 35: the function strptime is not supported on private rows. CAST(x AS DATE) reads 2025-12-31; put parts of another order together: CAST(RIGHT(x, 4) || '-' || SUBSTRING(x, 4, 2) || '-' || LEFT(x, 2) AS DATE) reads 31.12.2025.
SELECT COUNT(*) FROM orders WHERE STRPTIME(region, '%d.%m.%Y') > DATE '2025-01-01'

-- line 1, column 35: the function try_strptime is not supported on private rows. CAST(x AS DATE) reads 2025-12-31; put parts of another order together: CAST(RIGHT(x, 4) || '-' || SUBSTRING(x, 4, 2) || '-' || LEFT(x, 2) AS DATE) reads 31.12.2025.
SELECT COUNT(*) FROM orders WHERE TRY_STRPTIME(region, '%d.%m.%Y') > DATE '2025-01-01'

-- policy: signals
-- line 1, column 36: the policy declares no field pl->>'secret'. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT COUNT(*) FROM signals WHERE pl->>'secret' = 'x'

-- policy: signals
-- line 1, column 36: the policy declares no field pl->>'Note'. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT COUNT(*) FROM signals WHERE pl->>'Note' = 'ok'

-- policy: signals
-- line 1, column 36: the policy declares no field pl->>'sensor'. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT COUNT(*) FROM signals WHERE pl->>'sensor' IS NULL

-- policy: signals
-- line 1, column 36: the policy declares no field day->>'x'. The admin declares fields of JSON under `fields`.
SELECT COUNT(*) FROM signals WHERE day->>'x' = 'y'

-- policy: signals
-- line 1, column 34: the policy declares no field facts->>'owner'. There is: facts->>'floor', facts->'about'->>'colour'.
SELECT COUNT(*) FROM rooms WHERE facts->>'owner' = 'y'

-- policy: signals
-- line 1, column 14: "pl" is JSON, of which a query reads declared fields alone. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT COUNT(pl) FROM signals

-- policy: signals
-- line 1, column 8: "pl" is JSON, of which a query reads declared fields alone. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT pl, COUNT(*) FROM signals GROUP BY pl

-- policy: signals
-- line 1, column 12: -> gives JSON, which no answer holds. Write pl->>'sensor'.
SELECT pl->'sensor', COUNT(*) FROM signals GROUP BY 1

-- policy: signals
-- line 1, column 41: the path of a field is made of names alone, without elements of lists and patterns. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE pl->>'$.*' = 'x'

-- policy: signals
-- line 1, column 41: the path of a field is made of names alone, without elements of lists and patterns. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE pl->>'$..name' = 'x'

-- policy: signals
-- line 1, column 41: the path of a field is made of names alone, without elements of lists and patterns. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE pl->>'$.sensor.name[0]' = 'x'

-- policy: signals
-- line 1, column 51: the path of a field is made of names alone, without elements of lists and patterns. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE pl->'sensor'->>0 = 'x'

-- policy: signals
-- line 1, column 41: the path of a field is made of names alone, without elements of lists and patterns. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE pl->>'$' = 'x'

-- policy: signals
-- line 1, column 41: the path of a field is made of names alone, without elements of lists and patterns. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE pl->>'$.note"]' = 'x'

-- policy: signals
-- line 1, column 41: the name of a field is a constant text, and no parameter. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
-- params: ["note"]
SELECT COUNT(*) FROM signals WHERE pl->>? = 'x'

-- policy: signals
-- line 1, column 41: lambdas are not supported; behind an arrow stands the name of a field in quotes
SELECT COUNT(*) FROM signals WHERE pl->>note = 'x'

-- policy: signals
-- line 1, column 49: an arrow stands directly behind the name of a column. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE (pl->>'note')->>'x' = 'x'

-- policy: signals
-- line 1, column 48: operators stand here in an order that can be read in two ways. Put parentheses around the field, as in (pl->>'humidity')::DOUBLE.
SELECT COUNT(*) FROM signals WHERE 'a' || pl->>'note' = 'x'

-- policy: signals
-- line 1, column 17: operators stand here in an order that can be read in two ways. Put parentheses around the field, as in (pl->>'humidity')::DOUBLE.
SELECT SUM(pl->>'n'::INTEGER) FROM signals

-- policy: signals
-- line 1, column 36: JSON_EXTRACT_STRING takes the name of a column and the constant path of a field. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE JSON_EXTRACT_STRING(pl, ['$.note']) = 'x'

-- policy: signals
-- line 1, column 36: JSON_EXTRACT_STRING takes the name of a column and the constant path of a field. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE JSON_EXTRACT_STRING(LOWER(pl), '$.note') = 'x'

-- policy: signals
-- line 1, column 36: JSON_VALUE takes the name of a column and the constant path of a field. Write pl->>'humidity', pl->'sensor'->>'name' or JSON_EXTRACT_STRING(pl, '$.sensor.name').
SELECT COUNT(*) FROM signals WHERE JSON_VALUE(pl, '$.note', '$.n') = 'x'

-- policy: signals
-- line 1, column 36: JSON_EXTRACT gives JSON, which no answer holds. Write pl->>'note'.
SELECT COUNT(*) FROM signals WHERE JSON_EXTRACT(pl, '$.note') = 'x'

-- policy: signals
-- line 1, column 19: -> gives JSON, which no answer holds. Write pl->>'note'.
SELECT LENGTH(pl->'note')::INTEGER, COUNT(*) FROM signals GROUP BY 1

-- policy: signals
-- line 1, column 17: -> gives JSON, which no answer holds. Write pl->>'note'.
SELECT CAST(pl->'note' AS VARCHAR), COUNT(*) FROM signals GROUP BY 1

-- policy: signals
-- line 1, column 8: JSON_EXTRACT gives JSON, which no answer holds. Write pl->'sensor'->>'name'.
SELECT JSON_EXTRACT(pl, '$.sensor.name')::VARCHAR, COUNT(*) FROM signals GROUP BY 1

-- policy: signals
-- line 1, column 8: JSON_KEYS is not supported
SELECT JSON_KEYS(pl) FROM signals

-- policy: signals
-- line 1, column 36: JSON_TYPE is not supported
SELECT COUNT(*) FROM signals WHERE JSON_TYPE(pl, '$.note') = 'VARCHAR'

-- policy: signals
-- line 1, column 23: "pl" is JSON, of which a query reads declared fields alone. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT JSON_STRUCTURE(pl) FROM signals

-- policy: signals
-- line 1, column 8: the function to_json is not supported on private rows. It is one of released results: aggregate the rows, and use it in the SELECT list or around the query.
SELECT TO_JSON(signals) FROM signals

-- policy: signals
-- line 1, column 31: a table function is not supported; tables, queries, UNNEST and GENERATE_SERIES stand behind FROM
SELECT COUNT(*) FROM signals, JSON_EACH(signals.pl)

-- policy: signals
-- line 1, column 41: "pl" is JSON, of which a query reads declared fields alone. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT COUNT(*) FROM signals WHERE CAST(pl AS VARCHAR) LIKE '%x%'

-- policy: signals
-- line 1, column 48: "pl" is JSON, of which a query reads declared fields alone. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT COUNT(*) FROM signals s JOIN rooms r ON s.pl = r.facts

-- policy: signals
-- line 1, column 30: "pl" is JSON, of which a query reads declared fields alone. There is: pl->>'humidity', pl->>'n', pl->'sensor'->>'name', pl->'sensor'->>'on', pl->>'note', pl->>'day', pl->>'a.b'.
SELECT COUNT(*) FROM (SELECT pl AS note FROM signals) WHERE note = 'x'

-- policy: signals
-- line 1, column 8: AVG needs a number. CAST the value to BIGINT or DOUBLE.
SELECT AVG(pl->>'note') FROM signals

-- policy: signals
-- line 1, column 36: text is needed here, not integer; write CAST(... AS VARCHAR)
SELECT COUNT(*) FROM signals WHERE LENGTH(pl->>'n') > 1

-- policy: signals
-- line 1, column 33: lambdas are not supported; behind an arrow stands the name of a field in quotes
SELECT list_transform([1], x -> x + 1) FROM rooms

-- policy: signals
-- line 1, column 12: behind pl. stands a column, and no field of JSON. Write pl->>'humidity'.
SELECT AVG(pl.humidity) FROM signals

-- line 1, column 35: a date is moved by an INTEGER, and this number is a BIGINT. Write CAST(n AS INTEGER), or n * INTERVAL '1 day'.
SELECT COUNT(*) FROM orders WHERE day + quantity > DATE '2025-02-01'

-- line 1, column 35: a date is moved by an INTEGER, and this number is a BIGINT. Write CAST(n AS INTEGER), or n * INTERVAL '1 day'.
SELECT COUNT(*) FROM orders WHERE (quantity * 7 + 1) + CAST(day AS DATE) > DATE '2025-02-01'

-- line 1, column 8: a private SUM is never NULL: over no rows it is 0 with noise. Compare a COUNT with a threshold instead.
SELECT COALESCE(SUM(amount), -1) FROM orders

-- line 1, column 90: a private SUM is never NULL: over no rows it is 0 with noise. Compare a COUNT with a threshold instead.
SELECT region FROM (SELECT region, SUM(amount) AS s FROM orders GROUP BY region) t WHERE s IS NULL

-- line 1, column 108: a private SUM is never NULL: over no rows it is 0 with noise. Compare a COUNT with a threshold instead.
WITH t AS (SELECT region, SUM(amount) FROM orders GROUP BY region), u(r, s) AS (SELECT * FROM t) SELECT r, COALESCE(u.s + 2, 7) FROM u

-- line 1, column 6: there is no setting "crdb_version". SHOW TABLES, SHOW SCHEMAS, SHOW DATABASES, SHOW COLUMNS FROM t, DESCRIBE t and PRAGMA table_info('t') are answered; so are queries on information_schema.tables and information_schema.columns.
SHOW crdb_version

-- line 1, column 1: LISTEN is not supported as a statement. Only SELECT is answered.
LISTEN channel

-- line 1, column 41: there is no table "q" in FROM. There is: p.
SELECT product FROM products AS p WHERE q.product = 1

-- line 1, column 54: a row of VALUES behind IN has as many values as what stands before it
SELECT COUNT(*) FROM orders WHERE region IN (VALUES ('north', 'a'))

-- line 1, column 39: a TIMESTAMP of fewer than six digits is rounded; use TIMESTAMP, and DATE_TRUNC where it has to be cut
SELECT COUNT(CAST(placed AS TIMESTAMP(3))) FROM orders

-- line 1, column 8: this form of TO_CHAR is not supported. Write STRFTIME(x, '%Y-%m-%d'), or CAST(x AS VARCHAR) of a number.
SELECT TO_CHAR(COUNT(*), '999,999') FROM orders

-- line 1, column 8: this form of DATE_PART is not supported. Write EXTRACT(MONTH FROM x); 'dow' counts from 0 for Sunday.
SELECT DATE_PART(weekday, day), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 24: an interval is multiplied by a whole number, not by double; CAST(x AS BIGINT) is one
SELECT DATEADD(minute, DATEDIFF(minute, 0, placed) / 7 * 7, 0), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: an interval is multiplied by a whole number, not by double; CAST(x AS BIGINT) is one
SELECT placed + FLOOR(quantity / 5) * 2.5 * INTERVAL '1 minute', COUNT(*) FROM orders GROUP BY 1

-- line 1, column 25: the function age is not supported on private rows. Write CURRENT_DATE - x for days, or EXTRACT(YEAR FROM AGE(x)) for whole years.
SELECT EXTRACT(DAY FROM AGE(day)), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 53: the function age is not supported on private rows. Write CURRENT_DATE - x for days, or EXTRACT(YEAR FROM AGE(x)) for whole years.
SELECT COUNT(*) FROM orders WHERE EXTRACT(YEAR FROM AGE(day + CAST(EXTRACT(YEAR FROM AGE(day)) AS INT))) > 1

-- line 1, column 35: the text names a time zone, and moments here have none; write the moment in UTC
SELECT COUNT(*) FROM orders WHERE placed >= '2025-06-02T00:00:00+02:00'

-- line 1, column 35: the text names a time zone, and moments here have none; write the moment in UTC
SELECT COUNT(*) FROM orders WHERE day = '2025-06-02 00:00:00 Europe/Berlin'

-- line 1, column 35: the function repeat is not supported on private rows. It is one of released results: aggregate the rows, and use it in the SELECT list or around the query.
SELECT COUNT(*) FROM orders WHERE REPEAT(region, 2) = 'northnorth'

-- line 1, column 35: the operator & is not supported on private rows. It is one of released results: aggregate the rows, and use it in the SELECT list or around the query.
SELECT COUNT(*) FROM orders WHERE quantity & 1 = 1

-- line 1, column 8: REPEAT takes a constant number of at most 10000
SELECT REPEAT(region, COUNT(*)) FROM orders GROUP BY region

-- line 1, column 8: FORMAT and PRINTF take a constant text first, with at most three digits side by side. Write FORMAT('{:,} of {}', n, region).
SELECT FORMAT('{:>9999}', COUNT(*)) FROM orders

-- line 1, column 8: FORMAT and PRINTF take a constant text first, with at most three digits side by side. Write FORMAT('{:,} of {}', n, region).
SELECT PRINTF(region, COUNT(*)) FROM orders GROUP BY region

-- line 1, column 8: numbers are needed here, not text; write CAST(... AS DOUBLE), and || between texts to join
SELECT region + '-' + coupon AS k, COUNT(*) FROM orders GROUP BY 1

-- line 1, column 67: ORDER BY 3 is not a position of the SELECT list. Its positions are 1 to 2.
SELECT region, COUNT(*) AS n FROM orders GROUP BY region ORDER BY 3

-- line 1, column 8: CONVERT is not supported. Write CAST(x AS DATE), and LEFT(CAST(x AS VARCHAR), 7) for VARCHAR(7).
SELECT CONVERT(placed, date), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: CONVERT is not supported. Write CAST(x AS DATE), and LEFT(CAST(x AS VARCHAR), 7) for VARCHAR(7).
SELECT CONVERT(varchar(7), placed), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: MAP is not supported. Structs and maps are supported nowhere: a row for each key, or a list, is.
SELECT MAP(LIST(region), LIST(n)) FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY 1)

-- line 1, column 45: the bounds of a series cannot be computed. Check the types in them, and write dates and timestamps as in DATE '2025-01-31'.
SELECT * FROM range(DATE '2025-01-01', DATE '2025-02-30', INTERVAL 1 DAY)

-- line 1, column 15: GENERATE_SERIES and RANGE take whole numbers, or dates and timestamps with an INTERVAL. Write constants, or what is computed of constants and of the present moment as in CURRENT_DATE - 30, with a step that is not 0; of the first and the last day of the rows ask in a query of its own.
SELECT * FROM generate_series((SELECT MIN(day) FROM orders), CURRENT_DATE, INTERVAL 1 DAY)

-- line 1, column 15: a query has at most 2000 constants in lists. Put long lists of values into a public table.
SELECT * FROM generate_series(NOW() - INTERVAL '2 years', NOW(), INTERVAL '1 hour')

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, AVG(CASE WHEN o.paid THEN o.quantity ELSE 0 END) FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, COUNT(CASE WHEN o.paid THEN 1 ELSE 0 END) FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, SUM(CASE WHEN o.paid THEN 0 ELSE 1 END) FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, COUNT(*) FILTER (WHERE o.paid OR r.country = 'x') FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, COUNT(*) FILTER (WHERE o.paid IS NULL) FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, COUNT(*) FILTER (WHERE o.paid IS NOT TRUE) FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region

-- line 1, column 8: an outer join that keeps rows of the public table has rows without an owner. Use JOIN, or count or sum a column of the private table.
SELECT r.region, SUM(CASE WHEN COALESCE(o.paid, TRUE) THEN 1 ELSE 0 END) FROM regions AS r LEFT JOIN orders AS o ON o.region = r.region GROUP BY r.region

-- line 1, column 19: an aggregate of private rows can depend on the row around it by equalities in WHERE alone. Aggregate by that column first, and join the result.
SELECT d, (SELECT COUNT(*) FROM orders WHERE day <= d) AS n FROM generate_series(DATE '2025-01-05', DATE '2025-01-08', INTERVAL 1 DAY) AS t(d)

-- line 1, column 19: an aggregate for each person cannot stand beside public rows. Compare something that many people share with the public table.
SELECT n, (SELECT COUNT(*) FROM orders WHERE customer = n) AS c FROM generate_series(1, 4) AS t(n)

-- line 1, column 21: an INTERVAL needs a whole number and a unit. Write INTERVAL 3 MONTH; weeks and less may be a fraction in one text, as in INTERVAL '1.5 hours'.
SELECT MIN(placed + INTERVAL '1.5 months') FROM orders

-- line 1, column 8: this form of DATE_TRUNC is not supported. Write DATE_TRUNC('month', x). The unit is a constant: year, quarter, month, week (from Monday), day, hour, minute or second.
SELECT DATE_TRUNC('fortnight', day), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 75: there is no column "s". There is: region, sum(amount).
WITH t AS (SELECT region, SUM(amount) FROM orders GROUP BY region) SELECT s FROM t

-- line 1, column 94: there is no table "total". Did you mean "totals"? There is: totals, orders, products, regions, tags.
WITH totals AS (SELECT region, SUM(amount) s FROM orders GROUP BY region) SELECT AVG(s) FROM total

-- line 1, column 22: there is no table "dpsql.budgt". Did you mean "dpsql.budget"? There is: dpsql.budget, dpsql.columns, dpsql.history, dpsql.parts.
SELECT COUNT(*) FROM dpsql.budgt

-- line 1, column 79: there is no column "Number of order". Did you mean "Number of orders"? Its quotes are needed.
SELECT region, COUNT(*) AS "Number of orders" FROM orders GROUP BY 1 ORDER BY "Number of order"

-- line 1, column 44: the character '‘' is not allowed in an unquoted name. Write straight quotes: 'text' or "name".
SELECT COUNT(*) FROM orders WHERE region = ‘north’

-- line 1, column 8: the function regexp_match is not supported on private rows. Did you mean REGEXP_MATCHES? Those on private rows are listed in docs/functions.md.
SELECT REGEXP_MATCH(region, 'n'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 8: the text 'none' does not read as integer; write a whole number without quotes, or CAST what it stands beside to VARCHAR
SELECT COALESCE(rating, 'none'), COUNT(*) FROM orders GROUP BY 1

-- line 1, column 35: cannot compare date with integer; write DATE '2025-12-31', or take a number as EXTRACT(YEAR FROM x)
SELECT COUNT(*) FROM orders WHERE day > 2025

-- line 1, column 35: cannot add date and date; a length of time is written INTERVAL '1 day'
SELECT COUNT(*) FROM orders WHERE day + '1 day' > DATE '2025-02-01'

-- line 1, column 63: a LATERAL query beside private rows is a SELECT of rows, of the first rows, or of aggregates without GROUP BY. Write UNION ALL of a SELECT for each column, over a name of WITH.
SELECT s.k, SUM(s.v) FROM orders o CROSS JOIN LATERAL (SELECT 'q' AS k, o.quantity AS v UNION SELECT 'r', o.rating) s GROUP BY 1

-- line 1, column 56: a subquery would return rows of a private table. Aggregate them in the subquery, or write SELECT DISTINCT there.
SELECT region FROM regions WHERE region NOT IN (SELECT region FROM orders)

-- line 1, column 35: the text 'south' does not read as boolean; write true or false, or a whole comparison on each side, as in x = 'a' OR x = 'b'
SELECT COUNT(*) FROM orders WHERE region = 'north' OR 'south'

-- line 1, column 35: a time of day is compared with a constant such as '09:00', or with another CAST(x AS TIME)
SELECT COUNT(*) FROM orders WHERE placed::time > day

-- line 1, column 35: the text does not read as a time of day; write TIME 'HH:MM:SS'
SELECT COUNT(*) FROM orders WHERE placed::time > 'noon'

-- line 1, column 35: TRANSLATE takes constants of at most 1000 bytes for the characters
SELECT COUNT(*) FROM orders WHERE TRANSLATE(region, coupon, 'x') = 'a'
