-- policy: linked_caps

-- Two orders of a person exist, also beside another table.
SELECT COUNT(*) AS n FROM orders JOIN trips ON customer = person
-- n BIGINT
-- 14
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- And inside of an aggregate of one person's rows.
SELECT SUM(n) AS n FROM (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) x
-- n HUGEINT
-- 17
-- epsilon 1, delta 0, releases 1, mechanisms 1
