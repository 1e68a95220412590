-- Comparisons, join keys, lists and branches of two types: an implicit cast would raise on a value

SELECT count(*) FROM visits WHERE ward = DATE '2025-01-01'
-- refused: line 1, column 35: cannot compare text with date; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits WHERE age IN ('x', 1)
-- refused: line 1, column 35: the text 'x' does not read as integer; write a whole number without quotes, or CAST what it stands beside to VARCHAR

SELECT count(*) FROM visits WHERE day IN ('2025-01-01', 'x')
-- refused: line 1, column 35: the text 'x' does not read as date; write DATE 'YYYY-MM-DD', or TIMESTAMP '...' for a time of day

SELECT count(*) FROM visits WHERE CASE age WHEN 'x' THEN TRUE ELSE FALSE END
-- refused: line 1, column 35: the text 'x' does not read as integer; write a whole number without quotes, or CAST what it stands beside to VARCHAR

SELECT count(*) FROM visits WHERE CASE WHEN age = 1 THEN 'a' ELSE 1 END = 'a'
-- refused: line 1, column 35: the text 'a' does not read as integer; write a whole number without quotes, or CAST what it stands beside to VARCHAR

SELECT count(*) FROM visits WHERE coalesce(age, ward) = 'a'
-- refused: line 1, column 35: cannot compare integer with text; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits WHERE greatest(age, ward) > 1
-- refused: line 1, column 35: cannot compare integer with text; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits WHERE nullif(ward, age) IS NULL
-- refused: line 1, column 35: cannot compare text with integer; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits WHERE ward BETWEEN 1 AND 2
-- refused: line 1, column 35: cannot compare text with integer; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits JOIN wards ON visits.age = wards.ward
-- refused: line 1, column 43: cannot compare integer with text; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits JOIN wards ON visits.day = wards.wing
-- refused: line 1, column 43: cannot compare date with text; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits WHERE age IS DISTINCT FROM ward
-- refused: line 1, column 35: cannot compare integer with text; write CAST(... AS ...) or quote the value

SELECT count(*) FROM visits WHERE NOT age
-- refused: line 1, column 39: boolean is needed here, not integer; write CAST(... AS BOOLEAN)

SELECT count(*) FROM visits WHERE 1
-- refused: line 1, column 35: a condition must be true or false

SELECT if(age, 1, 2), count(*) FROM visits GROUP BY 1
-- refused: line 1, column 8: boolean is needed here, not integer; write CAST(... AS BOOLEAN)

SELECT count(*) FROM visits WHERE concat(note, NULL, 5) = '1'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE note || 5 = '1'
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT sum(age > 41) FROM visits
-- answered: sum((age > 41)) HUGEINT | 1 row | epsilon 1

SELECT avg(day) FROM visits
-- refused: line 1, column 8: AVG needs a number

SELECT sum(note::DOUBLE) FROM visits
-- refused: line 1, column 8: SUM needs a bounded argument, and the expression has no finite range

SELECT count(*) FROM visits WHERE age = CURRENT_DATE
-- refused: line 1, column 35: cannot compare integer with date; write DATE '2025-12-31', or take a number as EXTRACT(YEAR FROM x)
