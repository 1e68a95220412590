SELECT DISTINCT region FROM orders

SELECT DISTINCT "main"."orders"."region" AS "region" FROM "main"."orders" ORDER BY "main"."orders"."region" ASC LIMIT 1000

SELECT "main"."orders"."region" FROM "main"."orders" GROUP BY "main"."orders"."region" ORDER BY "main"."orders"."region" ASC LIMIT 1001

SELECT "orders"."status" AS "status" FROM "main"."orders" "orders" GROUP BY 1 ORDER BY 1 ASC

SELECT DISTINCT country FROM orders WHERE country IS NOT NULL ORDER BY 1

SELECT DISTINCT country FROM orders

SELECT region FROM orders WHERE region ILIKE '%o%' GROUP BY region ORDER BY region LIMIT 50

SELECT DISTINCT region AS __text, region AS __value FROM orders ORDER BY 1

SELECT DISTINCT region, status FROM orders ORDER BY 1, 2

SELECT region AS "value" FROM orders GROUP BY region HAVING region IS NOT NULL ORDER BY region

SELECT segment FROM customers GROUP BY segment

SELECT DISTINCT is_paid FROM orders

select "_"."region" from "main"."orders" "_" group by "_"."region" order by "_"."region" limit 501

select distinct "t0"."region" as "c1" from "main"."orders" as "t0" order by "c1" asc

SELECT 'all' AS region UNION ALL SELECT DISTINCT region FROM orders
