SELECT * FROM orders LIMIT 0

SELECT * FROM "main"."orders" WHERE 1 = 0

SELECT * FROM (SELECT region, SUM(amount) AS s FROM orders GROUP BY region) AS "custom_sql_query" LIMIT 0

SELECT 1 AS one FROM (SELECT * FROM orders) AS t LIMIT 0

SELECT * FROM (SELECT * FROM orders) AS virtual_table WHERE 1=2

SELECT * FROM (SELECT region, amount FROM orders) T WHERE 0=1

SELECT * FROM orders WHERE false

SELECT * FROM orders WHERE FALSE LIMIT 1

select * from orders fetch first 0 rows only

WITH x AS (SELECT * FROM orders) SELECT * FROM x LIMIT 0

SELECT "orders"."region" AS "region", "orders"."amount" AS "amount" FROM "main"."orders" LIMIT 0;

SELECT * FROM orders o LEFT JOIN products p ON o.product_id=p.product_id LIMIT 0

select * from ( select region, count(*) as n from orders group by 1 ) as __dbt_sbq where false limit 0

select * from (SELECT * FROM orders) as __dbt_sbq where false and current_timestamp = current_timestamp limit 0

SELECT region, max(amount) FROM orders GROUP BY region HAVING 1=0

SELECT * FROM orders WHERE 1 <> 1

SELECT * FROM orders WHERE 1 > 2

SELECT * FROM orders WHERE NOT TRUE

SELECT * FROM orders WHERE NULL

SELECT * FROM (SELECT * FROM orders LIMIT 0) t

SELECT * FROM (SELECT * FROM orders WHERE 1=0) t LIMIT 100

SELECT region, amount, created_at, is_paid, country FROM orders LIMIT 0 OFFSET 0

SELECT * FROM orders ORDER BY 1 LIMIT 0

SELECT COUNT(*) FROM orders WHERE 1=0 LIMIT 0

SELECT 1 FROM orders LIMIT 0

select 1 from "main"."orders" where 0 = 1

SELECT t.* FROM orders t WHERE 1=0

SELECT * FROM orders WHERE 1 = 0 AND region = 'x'

SELECT * FROM "orders" "t" WHERE '1' = '0'

SELECT * FROM orders LIMIT 100

SELECT * FROM "main"."orders" AS "orders" LIMIT 1000

SELECT "main"."orders"."user_id" AS "user_id", "main"."orders"."amount" AS "amount" FROM "main"."orders" LIMIT 2000

SELECT TRUE AS "_" FROM "main"."orders" WHERE 1 <> 1 LIMIT 0

SELECT SUBSTRING("main"."orders"."product_name", 1, 1234) AS "substring1" FROM "main"."orders" LIMIT 10000

select * from orders where region = 'north' order by created_at desc limit 200 offset 0

SELECT o.*, c.* FROM orders o JOIN customers c USING (user_id) LIMIT 10

SELECT x.* FROM (SELECT *, row_number() OVER (ORDER BY created_at) AS rn FROM orders) x WHERE rn BETWEEN 1 AND 100

SELECT region, amount FROM orders UNION ALL SELECT region, amount FROM orders LIMIT 5

FROM orders

SELECT created_at, amount FROM orders WHERE amount = (SELECT max(amount) FROM orders)

SELECT * FROM orders WHERE user_id IN (SELECT user_id FROM customers WHERE age > 60) LIMIT 10
