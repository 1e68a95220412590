-- Hidden columns are never used and never shown

SELECT email FROM visits
-- refused: line 1, column 8: the column "email" may not be used in a query

SELECT count(email) FROM visits
-- refused: line 1, column 14: the column "email" may not be used in a query

SELECT count(*) FROM visits WHERE email = 'x'
-- refused: line 1, column 35: the column "email" may not be used in a query

SELECT count(*) FROM visits GROUP BY email
-- refused: line 1, column 38: the column "email" may not be used in a query

SELECT count(*) FROM visits JOIN wards ON visits.email = wards.ward
-- refused: line 1, column 43: the column "email" may not be used in a query

SELECT count(*) FROM visits JOIN (SELECT ward AS email, wing FROM wards) r USING (email)
-- refused: line 1, column 83: USING: "email" must be a column on both sides

SELECT email FROM visits LIMIT 0
-- refused: DuckDB does not accept the query...

SELECT * FROM (VALUES ((SELECT email FROM visits))) v(a)
-- refused: line 1, column 32: the column "email" may not be used in a query
