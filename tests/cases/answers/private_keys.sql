-- policy: shop

-- Groups of a column without listed values are those of enough customers; here three are enough.
SELECT product, COUNT(*) AS n FROM orders GROUP BY product ORDER BY product
-- product BIGINT | n BIGINT
-- 101 | 11
-- 102 | 7
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- Customers are counted to keep a group, not rows: product 104 has two rows of one customer.
SELECT product, COUNT(DISTINCT customer) AS customers FROM orders WHERE product > 102 GROUP BY product ORDER BY product
-- product BIGINT | customers BIGINT
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- The list alone costs the whole epsilon.
SELECT DISTINCT product FROM orders ORDER BY product
-- product BIGINT
-- 101
-- 102
-- epsilon 1, delta 1e-06, releases 1, mechanisms 2

-- The same by GROUP BY.
SELECT product FROM orders GROUP BY product ORDER BY product
-- product BIGINT
-- 101
-- 102
-- epsilon 1, delta 1e-06, releases 1, mechanisms 2

-- A private key beside a public one makes private groups.
SELECT product, paid, COUNT(*) AS n FROM orders GROUP BY product, paid ORDER BY ALL
-- product BIGINT | paid BOOLEAN | n BIGINT
-- 101 | false | 3
-- 101 | true | 8
-- 102 | true | 5
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- Expressions of a private key are private keys.
SELECT product % 2 = 0 AS even, product + 1 AS next, COUNT(*) AS n FROM orders GROUP BY ALL ORDER BY ALL
-- even BOOLEAN | next BIGINT | n BIGINT
-- false | 102 | 11
-- true | 103 | 7
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- A filter that lists the values makes the key public.
SELECT product, COUNT(*) AS n FROM orders WHERE product BETWEEN 101 AND 104 GROUP BY product ORDER BY product
-- product BIGINT | n BIGINT
-- 101 | 11
-- 102 | 7
-- 103 | 3
-- 104 | 2
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Values of kept groups share what is left of the epsilon.
SELECT product, COUNT(*) AS n, AVG(amount) AS mean FROM orders GROUP BY product HAVING COUNT(*) > 8
-- product BIGINT | n BIGINT | mean DOUBLE
-- 101 | 11 | 41.34090909
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- First the list is released, then the best of its groups is chosen.
SELECT product FROM orders GROUP BY product ORDER BY COUNT(*) DESC LIMIT 1
-- product BIGINT
-- 101
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- No group may be left.
SELECT product, COUNT(*) AS n FROM orders WHERE customer = 1 GROUP BY product
-- product BIGINT | n BIGINT
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- Values that WHERE lists are the groups, where no list of the policy has them: nothing is selected, and none is hidden.
SELECT product, COUNT(*) AS n FROM orders WHERE product IN (101, 102, 900000000) GROUP BY product ORDER BY product
-- product BIGINT | n BIGINT
-- 101 | 11
-- 102 | 7
-- 900000000 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So are those of a continuous column, which has groups for no other values.
SELECT amount, COUNT(*) AS n, SUM(quantity) AS q FROM orders WHERE amount = 10 OR amount IN (20, 20.5) GROUP BY amount ORDER BY amount
-- amount DOUBLE | n BIGINT | q HUGEINT
-- 10 | 1 | 1
-- 20 | 1 | 2
-- 20.5 | 0 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Tableau: the latitude of a mark that was chosen, as a text that is cast.
SELECT "orders"."amount" AS "amount", "orders"."region" AS "region", SUM(1) AS "n" FROM "orders" WHERE (("orders"."amount" = '10.000000000000000'::double) AND ("orders"."region" IN ('north', 'south'))) GROUP BY 1, 2 ORDER BY 2
-- amount DOUBLE | region VARCHAR | n HUGEINT
-- 10 | north | 1
-- 10 | south | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- So are those of an expression.
SELECT CAST(product AS VARCHAR) || '!' AS p, COUNT(*) AS n FROM orders WHERE CAST(product AS VARCHAR) || '!' IN ('101!', 'none!') GROUP BY 1 ORDER BY 1
-- p VARCHAR | n BIGINT
-- 101! | 11
-- none! | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- No row has a NULL where the policy says that there is none.
SELECT amount, COUNT(*) AS n FROM orders WHERE amount IS NULL GROUP BY amount
-- amount DOUBLE | n BIGINT
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- Other conditions on the same column leave fewer of them.
SELECT product, COUNT(*) AS n FROM orders WHERE product IN (101, 102) AND product <> 102 GROUP BY product
-- product BIGINT | n BIGINT
-- 101 | 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A number that the column cannot hold is in no row: it is no group, and does not end the query after its charge.
SELECT product, COUNT(*) AS n FROM orders WHERE product IN (101, 9223372036854775808) OR product = -9223372036854775809 GROUP BY product
-- product BIGINT | n BIGINT
-- 101 | 11
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A wider one holds it.
SELECT product * 1000000 AS p, COUNT(*) AS n FROM orders WHERE product * 1000000 IN (101000000, 9223372036854775808) GROUP BY 1 ORDER BY 1
-- p BIGINT | n BIGINT
-- 101000000 | 11
-- 9223372036854775808 | 0
-- epsilon 1, delta 0, releases 1, mechanisms 1

-- A list with the column itself names no groups: every product is in it.
SELECT product, COUNT(*) AS n FROM orders WHERE product IN (103, product) GROUP BY product ORDER BY product
-- product BIGINT | n BIGINT
-- 101 | 11
-- 102 | 7
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3

-- Where nothing is counted they are no answer: that a row has one of them is told where enough customers have.
SELECT DISTINCT product FROM orders WHERE product IN (101, 900000000)
-- product BIGINT
-- 101
-- epsilon 1, delta 1e-06, releases 1, mechanisms 2

-- What WHERE says of another column names no groups.
SELECT product, COUNT(*) AS n FROM orders WHERE coupon IS NULL GROUP BY product ORDER BY product
-- product BIGINT | n BIGINT
-- 101 | 6
-- 102 | 4
-- epsilon 1, delta 1e-06, releases 1, mechanisms 3
