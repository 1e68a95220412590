-- policy: signals

-- A number by PostgreSQL's arrow, clamped to its bounds: what is no JSON number is NULL.
SELECT COUNT(pl->>'humidity') AS n, SUM(pl->>'humidity') AS total, AVG(pl->>'humidity') AS mean FROM signals
-- n BIGINT | total DOUBLE | mean DOUBLE
-- 5 | 235.5 | 47.1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- With the casts that other databases need.
SELECT SUM((pl->>'humidity')::DOUBLE) AS a, SUM(CAST(pl->>'n' AS INTEGER)) AS b FROM signals
-- a DOUBLE | b HUGEINT
-- 235.5 | 29
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- JSON that is cast to a number or a truth value is the value of the field.
SELECT SUM((pl->'humidity')::DOUBLE) AS a, SUM(CAST(pl->'n' AS INTEGER)) AS b, SUM(JSON_EXTRACT(pl, '$.n')::INT) AS c, SUM(TRY_CAST(json_extract_path(pl, 'n') AS BIGINT)) AS d, SUM((JSON_EXTRACT(pl, '$.humidity'))::FLOAT) AS e FROM signals
-- a DOUBLE | b HUGEINT | c HUGEINT | d HUGEINT | e DOUBLE
-- 235.5 | 29 | 29 | 29 | 235.5
-- epsilon 1, delta 0, releases 1, mechanisms 1

SELECT COUNT(*) FILTER (WHERE (pl->'sensor'->'on')::BOOLEAN) AS n, COUNT(*) FILTER (WHERE pl->'sensor'->>'on') AS same, COUNT(*) FILTER (WHERE (pl->'n')::INT > 1) AS m FROM signals
-- n BIGINT | same BIGINT | m BIGINT
-- 3 | 3 | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name that is not given is that of what is written.
SELECT SUM(pl->>'n') FROM signals s
-- sum(pl->>'n') HUGEINT
-- 29
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Whole numbers alone are integers.
SELECT pl->>'n' AS n, COUNT(*) AS c FROM signals WHERE pl->>'n' IS NOT NULL GROUP BY 1 ORDER BY 1
-- n BIGINT | c BIGINT
-- 0 | 0
-- 1 | 0
-- 2 | 1
-- 3 | 1
-- 4 | 1
-- 5 | 0
-- 6 | 0
-- 7 | 0
-- 8 | 0
-- 9 | 0
-- 10 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A field of an object, from a list, in all spellings.
SELECT pl->'sensor'->>'name', COUNT(*) AS c FROM signals GROUP BY ALL ORDER BY 1
-- pl->'sensor'->>'name' VARCHAR | c BIGINT
-- cellar | 3
-- roof | 2
-- NULL | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

SELECT (s.pl->'sensor')->>'name' AS name, COUNT(*) AS c FROM signals AS s GROUP BY name ORDER BY name
-- name VARCHAR | c BIGINT
-- cellar | 3
-- roof | 2
-- NULL | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

SELECT json_extract_string(s.pl, '$.sensor.name') AS name, COUNT(*) AS c FROM signals s GROUP BY 1 ORDER BY 1
-- name VARCHAR | c BIGINT
-- cellar | 3
-- roof | 2
-- NULL | 5
-- epsilon 1, delta 0, releases 1, mechanisms 1

SELECT COUNT(*) FILTER (WHERE pl->>'$.sensor.name' = 'roof') AS a, COUNT(*) FILTER (WHERE pl->>'/sensor/name' = 'roof') AS b, COUNT(*) FILTER (WHERE JSON_EXTRACT_PATH_TEXT(pl, 'sensor', 'name') = 'roof') AS c, COUNT(*) FILTER (WHERE JSON_VALUE("PL", '$."sensor"."name"') = 'roof') AS d FROM signals
-- a BIGINT | b BIGINT | c BIGINT | d BIGINT
-- 2 | 2 | 2 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A name with a dot in it is no path.
SELECT COUNT(*) AS n FROM signals WHERE pl->>'a.b' = 'x'
-- n BIGINT
-- 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Truth values.
SELECT COUNT(*) AS n FROM signals WHERE pl->'sensor'->>'on'
-- n BIGINT
-- 3
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Private keys of text, of which only those of three persons are shown here.
SELECT pl->>'note' AS note, COUNT(*) AS n FROM signals GROUP BY note ORDER BY note
-- note VARCHAR | n BIGINT
-- NULL | 7
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- A date in a text, beside a column of the same name.
SELECT MIN(pl->>'day') AS first, COUNT(*) FILTER (WHERE pl->>'day' >= '2025-01-15') AS late, COUNT(*) FILTER (WHERE day >= '2025-01-15') AS none FROM signals
-- first DATE | late BIGINT | none BIGINT
-- 2025-01-01 | 1 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 2

-- As the text that it is elsewhere, a number is compared with a text.
SELECT COUNT(*) AS n FROM signals WHERE pl->>'humidity' = '60'
-- n BIGINT
-- 1
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Behind a star, in WITH, in CASE and in arithmetic.
WITH s AS (SELECT * FROM signals) SELECT SUM(CASE WHEN pl->'sensor'->>'on' THEN (pl->>'n') + 1 END) AS x FROM s
-- x HUGEINT
-- 26
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- The name of the column may be written as it is listed.
SELECT SUM("pl->>'n'") AS n FROM signals
-- n HUGEINT
-- 29
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Public rows have fields as well, and private ones are joined with them.
SELECT name, facts->>'floor' AS floor, facts->'about'->>'colour' AS colour FROM rooms ORDER BY name
-- name VARCHAR | floor BIGINT | colour VARCHAR
-- attic | NULL | NULL
-- cellar | 0 | NULL
-- roof | 4 | red
-- epsilon 0, delta 0, releases 0, mechanisms 0

SELECT r.facts->>'floor' AS floor, COUNT(*) AS n FROM signals s JOIN rooms r ON r.name = s.pl->'sensor'->>'name' GROUP BY 1 ORDER BY 1
-- floor BIGINT | n BIGINT
-- 0 | 3
-- 4 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A subquery names the row around it.
SELECT COUNT(*) AS n FROM signals s WHERE EXISTS (SELECT 1 FROM rooms r WHERE r.name = s.pl->'sensor'->>'name' AND r.facts->>'floor' > 1)
-- n BIGINT
-- 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A field in a window and in a rollup.
SELECT pl->'sensor'->>'name' AS name, pl->'sensor'->>'on' AS live, COUNT(*) AS n FROM signals GROUP BY ROLLUP (1, 2) ORDER BY 1, 2, 3
-- name VARCHAR | live BOOLEAN | n BIGINT
-- cellar | false | 0
-- cellar | true | 2
-- cellar | NULL | 1
-- cellar | NULL | 3
-- roof | false | 1
-- roof | true | 1
-- roof | NULL | 0
-- roof | NULL | 2
-- NULL | false | 0
-- NULL | true | 0
-- NULL | NULL | 5
-- NULL | NULL | 5
-- NULL | NULL | 10
-- epsilon 1, delta 0, releases 1, mechanisms 1
