-- What the gate lets through; every statement is also read by DuckDB and compared

SELECT count(DISTINCT user_id) AS "COUNT_DISTINCT(user_id)"
FROM shop.orders
WHERE region IN ('north', 'south')

SELECT COUNT(*) AS rowcount
FROM (SELECT region AS region, sum(amount) AS "SUM(amount)"
FROM shop.orders GROUP BY region) AS rowcount_qry

SELECT date_trunc('day', CAST(date_ AS TIMESTAMP)) AS d, sum(a) AS "Active Sessions", CASE WHEN SUM(a) = 0 THEN NULL
ELSE SUM(b) * 100 / SUM(a)
END AS "Share %"
FROM (SELECT * FROM "hive"."product"."sessions" ORDER BY 1, 2 DESC
) AS virtual_table GROUP BY date_trunc('day', CAST(date_ AS TIMESTAMP))
ORDER BY max(date_) DESC
LIMIT 1000

SELECT CAST("Census_3"."REGION" AS BIGINT) AS "REGION",   COUNT(DISTINCT "Census_3"."SERIALNO1") AS "ctd:SERIALNO:ok",   SUM(CAST("Census_3"."Number of Records" AS BIGINT)) AS "sum:ok" FROM "Census_3" GROUP BY "Census_3"."REGION",   "Census_3"."REGION";

SELECT (CASE WHEN ("G_13"."piid" IS NULL) THEN null WHEN ("G_13"."piid" = ' ') THEN null ELSE "G_13"."piid" END) AS "Piid (group)", SUM("G_13"."amount") FROM "G_13" GROUP BY "Piid (group)"

SELECT SUM(a) FROM "public"."v" "v" WHERE (("v"."d" >= (DATE '2023-01-01')) AND ("v"."d" <= (DATE '2023-02-01'))) GROUP BY 1 HAVING ((SUM("v"."r") >= 999999.99999998999) AND (SUM("v"."r") <= 2000000.00000002))

select "_"."n", "_"."a0" from (select "rows"."n" as "n", sum("rows"."p") as "a0" from (select "_"."p" as "p", lower("_"."n") as "n" from (select "p", "n" from "public"."v" "$Table") "_" where ("_"."d" < date '2024-01-01' and "_"."d" >= date '2023-01-01')) "rows" group by "n") "_" where not "_"."a0" is null or not "_"."n" is null limit 1000001

SELECT x."ENTITY" AS "x.entity", COUNT(DISTINCT ( x."URN" )) AS "n" FROM "PUBLIC"."ALL" AS x GROUP BY 1 ORDER BY 1 FETCH NEXT 50 ROWS ONLY
-- Query Context '{"user_id":7}'

SELECT floor(extract(epoch from created_at)/300)*300 AS "time", count(*) FROM tasks WHERE created_at BETWEEN '2018-04-12T18:00:00Z' AND '2018-04-12T18:05:00Z' GROUP BY 1 ORDER BY 1

SELECT "p", COUNT(*) AS "n" FROM (SELECT "v".* FROM "v" WHERE ("d" >= '2023-01-01' AND "d" < '2024-01-01')) AS "q01" GROUP BY "p" ORDER BY "n" DESC LIMIT 5

SELECT count(*) FROM t /* a /* b */ WHERE user_id=1 */

SELECT /* one */ count(*) -- two
FROM t -- three
WHERE age > 30

EXPLAIN SELECT count(*) FROM t;

SELECT naïve, größe FROM übersicht WHERE "straße" = 'Ω – “x”'

WITH a AS (SELECT region, count(*) AS n FROM t GROUP BY ALL), b (region, n) AS (SELECT * FROM a WHERE n > 5) SELECT a.n, b.n FROM a LEFT JOIN b USING (region) ORDER BY ALL

SELECT count(*) FILTER (WHERE age > 30 AND NOT (region = 'a' OR region IS NULL)) FROM t

SELECT (a NOT IN (1, 2)) = b, (a IS NOT NULL) = b, (NOT a) = b, (a NOT BETWEEN 1 AND 2) = b, (a NOT LIKE 'x') = b FROM t

SELECT sum(n) OVER (PARTITION BY a ORDER BY b DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM t

SELECT ?, a + ? FROM t WHERE b IN (?, ?) LIMIT ?

SELECT $low, $high FROM t WHERE b BETWEEN $low AND $high

SELECT $2, a + $1 FROM t WHERE b IN ($1,$3) AND c = $2

select count(*)

select count(x)

select count(distinct x)

select sum(x)

select sum(distinct x)

select avg(x)

select mean(x)

select min(x)

select max(x)

select median(x)

select mode(x)

select stddev(x)

select stddev_samp(x)

select stddev_pop(x)

select variance(x)

select var_samp(x)

select var_pop(x)

select covar_pop(x,y)

select covar_samp(x,y)

select corr(x,y)

select regr_slope(y,x)

select regr_intercept(y,x)

select regr_r2(y,x)

select regr_count(y,x)

select regr_avgx(y,x)

select regr_sxx(y,x)

select quantile_cont(x,0.5)

select quantile_disc(x,0.5)

select quantile(x,0.5)

select approx_quantile(x,0.5)

select bool_and(x), bool_or(y > 1)

select percentile_cont(0.25) within group (order by x), percentile_disc(0.25) within group (order by x desc) filter (where y > 1), percentile_disc(0) within group (order by x desc) from t

select approx_count_distinct(x)

select count_if(x)

select countif(x)

select arbitrary(x)

select histogram(x)

select entropy(x)

select product(x)

select fsum(x)

select kahan_sum(x)

select sumkahan(x)

select favg(x)

select mad(x)

select geomean(x)

select sum(x) filter (where y)

select sum(x) filter (y)

select count(*) filter (where y > 1)

select row_number() over ()

select rank() over (order by x)

select dense_rank() over (order by x)

select percent_rank() over (order by x)

select cume_dist() over (order by x)

select ntile(4) over (order by x)

select lag(x) over (order by y)

select lag(x,1,0) over (order by y)

select lead(x,2) over (order by y)

select first_value(x) over (order by y)

select last_value(x) over (order by y)

select nth_value(x,2) over (order by y)

select sum(x) over (partition by y order by z rows between unbounded preceding and 1 following)

select sum(x) over (order by z range between interval 1 day preceding and current row)

-- refused before 30: line 1, column 32: the text cannot be read as SQL near groups | Is a comma missing before groups? A name with a space is written in quotes: "z groups".
select sum(x) over (order by z groups 2 preceding)

select sum(x) over (order by z rows between 1 preceding and current row exclude ties)

select lag(x ignore nulls) over (order by y)

select first_value(x ignore nulls) over ()

select sum(x) filter (where y) over ()

select sum(sum(x)) over ()

select count(distinct x) over ()

select abs(x)

select ceil(x)

select ceiling(x)

select floor(x)

select round(x)

select round(x,2)

select trunc(x)

select trunc(x,2)

select sign(x)

select sqrt(x)

select cbrt(x)

select exp(x)

select ln(x)

select log(x)

select log(2,x)

select pow(x,2)

select power(x,2)

select mod(x,3)

select greatest(x,y)

select greatest(x)

select greatest(x,y,z)

select least(x,y)

select coalesce(x,y,0)

select coalesce(x)

select ifnull(x,0)

select nullif(x,0)

select if(x,1,2)

select isnan(x)

select isinf(x)

select isfinite(x)

select pi()

select sin(x)

select cos(x)

select tan(x)

select asin(x)

select acos(x)

select atan(x)

select atan2(y,x)

select degrees(x)

select radians(x)

select even(x)

select gcd(x,y)

select lcm(x,y)

select gamma(x)

select hash(x)

select divide(x,y)

select fdiv(x,y)

select add(x,y)

select multiply(x,y)

select subtract(x,y)

select bit_count(x)

select round_even(x,1)

select nextafter(x,y)

select e()

select signbit(x)

select equi_width_bins(x,1,2,true)

select lower(x)

select lcase(x)

select upper(x)

select ucase(x)

select length(x)

select len(x)

select char_length(x)

select character_length(x)

select strlen(x)

select octet_length(x)

select trim(x)

select trim(x,'a')

select ltrim(x)

select rtrim(x)

select ltrim(x,'a')

select rtrim(x,'ab')

select trim(both 'a' from x)

select trim(leading from x)

select trim(leading 'a' from x)

select substring(x,1,2)

select substr(x,1,2)

select substr(x,2)

select substring(x from 2 for 3)

select substring(x from 2)

select left(x,2)

select right(x,2)

select concat(x,y)

select concat(x)

select concat(x,y,'a')

select concat_ws(',',x,y)

select replace(x,'a','b')

select contains(x,'a')

select starts_with(x,'a')

select prefix(x,'a')

select ends_with(x,'a')

select suffix(x,'a')

select position('a' in x)

select strpos(x,'a')

select instr(x,'a')

select lpad(x,3,'0')

select rpad(x,3,'0')

select reverse(x)

select split_part(x,',',1)

select count(), count() filter (where x), count() over ()

select split(x,',')[1], (string_to_array(x,','))[-1], str_split(x, y)[n + 1]

select list_extract(string_split(x,','),1), array_extract((split(x,',')),2), list_element(split(x,','),?)

select regexp_matches(x,'a')

select regexp_full_match(x,'a')

select x ~ 'a', x !~ 'a', not x ~ 'a', x||y ~ 'a', x ~ ?

select x similar to 'a', x not similar to 'a|b', (x similar to 'a') is null

select max_by(x,y), min_by(x,y), argmax(x,y), argmin(x,y)

select like_escape(x,'a','b')

select translate(x,'a','b')

select printf('%d',x)

select strip_accents(x)

select left_grapheme(x,1)

select ord(x)

select nfc_normalize(x)

select current_setting('a')

select getvariable('a')

select enum_range(x)

select nextval('s')

select error(x)

select date_trunc('month',d)

select datetrunc('month',d)

select date_trunc('MONTH',d)

select date_trunc('week',d)

select date_trunc('quarter',d)

select date_trunc('months',d)

select date_trunc('decade',d)

select date_part('year',d)

select datepart('year',d)

select date_part('dow',d)

select date_part('isodow',d)

select date_part('epoch',d)

select date_part('week',d)

select extract(year from d)

select extract(dow from d)

select extract(isodow from d)

select extract(epoch from d)

select extract(week from d)

select extract('year' from d)

select extract(doy from d)

select extract(quarter from d)

select extract(hour from d)

select extract(years from d)

select extract(dayofweek from d)

select extract(weekday from d)

select extract(yearweek from d)

select extract(century from d)

select extract(millisecond from d)

select year(d)

select month(d)

select day(d)

select dayofmonth(d)

select hour(d)

select minute(d)

select second(d)

select quarter(d)

select week(d)

select weekofyear(d)

select dayofweek(d)

select weekday(d)

select isodow(d)

select dayofyear(d)

select yearweek(d)

select isoyear(d)

select decade(d)

select century(d)

select millennium(d)

select epoch(d)

select dayname(d)

select monthname(d)

select last_day(d)

select date_diff('day',d,f)

select datediff('day',d,f)

select datediff('week',d,f)

select date_sub('day',d,f)

select datesub('day',d,f)

select make_date(2020,1,1)

select strftime(d,'%Y-%m')

select strftime(d,'%Y-%m-%d %H:%M:%S')

select to_months(3)

select to_years(1)

select to_hours(x)

select age(d)

select age(d,f)

select current_date

select current_date()

select today()

select now()

select current_timestamp

select current_time

select localtimestamp

select get_current_timestamp()

select transaction_timestamp()

select date(x)

select d + interval 1 day

select d - interval '1' month

select d + interval '1 month'

select d + interval 3 days

select d + interval '1 month 2 days'

select d + interval (x) day

select d + 1

select d - f

select date '2020-01-01'

select timestamp '2020-01-01 00:00:00'

select time '10:00:00'

select d::date

select cast(d as date)

select try_cast(d as integer)

select d::timestamp

select cast(x as double)

select cast(x as float)

select cast(x as real)

select cast(x as decimal(10,2))

select cast(x as decimal)

select cast(x as numeric)

select cast(x as varchar)

select cast(x as varchar(10))

select cast(x as text)

select cast(x as string)

select cast(x as bigint)

select cast(x as int)

select cast(x as int8)

select cast(x as int4)

select cast(x as integer)

select cast(x as smallint)

select cast(x as tinyint)

select cast(x as hugeint)

select cast(x as ubigint)

select cast(x as uinteger)

select cast(x as boolean)

select cast(x as bool)

select cast(x as time)

select cast(x as datetime)

select cast(x as long)

select cast(x as signed)

select cast(x as char)

select cast(x as double precision)

select cast(x as float4)

select cast(x as float8)

select cast(x as dec(5,1))

select 1

select distinct a from t

select all a from t

select a x from t

select a as x from t

from t

from t select a

from t select count(*) where a

select * from t

select t.* from t

select count(*), from t

select a from t u

select a from t as u(b)

select a from s.t

select a from c.s.t

select a from t, u

select a from t join u on t.a=u.a

select a from t inner join u using (a, b)

select a from t left join u on true

select a from t left outer join u on true

select a from t right join u on true

select a from t full join u on true

select a from t full outer join u using (a)

select a from t cross join u

select a from t join u on t.a = u.a join v on u.b=v.b

select a from (select 1 as a)

select a from (select 1 as a) x

select a from (select 1) x(a)

select a from ((select 1 as a))

select a from (values (1),(2)) v(a)

select a from t where a

select a, count(*) from t group by a

select a from t group by 1

select a from t group by all

select a from t group by a, (b)

select a from t group by a having count(*) > 1

select a from t having count(*)>1

select a from t qualify row_number() over () = 1

select sum(a) over w from t window w as (order by a)

select sum(a) over (w order by b) from t window w as (partition by a)

select sum(a) over (w) from t window w as (partition by a)

select a from t order by a

select a from t order by a desc nulls last, b asc nulls first

select a from t order by a nulls first

select a from t order by a desc

select a from t order by 1

select a from t order by all

select a from t order by all desc

select a from t limit 5

select a from t limit 5 offset 2

select a from t offset 2

select a from t offset 2 rows

select a from t offset 2 limit 3

select a from t limit (5)

select a from t limit 2+3

select a from t limit ?

select a from t fetch first 5 rows only

select a from t fetch next 5 rows only

select a from t fetch first row only

select a from t offset 3 rows fetch next 5 rows only

with x as (select 1 as a) select a from x

with x(b) as (select 1) select b from x

with x as materialized (select 1) select * from x

with x as not materialized (select 1) select * from x

with x as (select 1), y as (select 2) select * from x, y

select a from (with x as (select 1 as a) select a from x)

select 1 union select 2

select 1 union all select 2

select 1 union distinct select 2

select 1 intersect select 2

select 1 except select 2

select 1 except all select 2

select 1 intersect all select 2

select 1 union all select 2 order by 1 limit 3

(select 1) union all (select 2 limit 1)

-- refused before 30.26: line 1, column 8: operators stand here in an order that can be read in two ways | Put parentheses around what belongs together.
select 1 union select 2 intersect select 3

select 1 except select 2 union select 3

select 1 union all (select 2 union select 3)

(select 1)

((select 1))

select (select 1)

select exists (select 1)

select not exists(select 1)

select a in (select 1)

select a not in (select 1)

select row(a,b)

select a from "t.csv"

select a.b.c from t

select count(*) filter (a) from t

select case when a then b end

select case when a then b else c end

select case a when 1 then b when 2 then c else d end

select a like 'x' escape '!'

select a not like 'x' escape '!'

select a ilike 'x' escape '!'

select a is null

select a is distinct from b

select $x

select ?

select "a""b"

select 'a''b'

select 1e5

select 1_000

select .5

select 5.

select 1.5e-3

select 'a\b'

select 'a\nb'

select 12345678901234567890123

select a::int::varchar

select -a::int

select -5::int

select a <> b

select a != b

select a == b

select count(*) from t group by region,

select 1 "x y"

select straight_join a from t

select /*+ x */ a from t

select interval '1' year

select interval '1 year'

select interval 1 years

select interval (a) days

select interval '1' minutes

select date '2020-01-01' + interval 1 month

select date'2020-01-01'

select timestamp'2020-01-01'

select a from t final

select a from t group by a order by count(*) desc limit 1

select a from t where rowid = 1

select a as "b" from t

select count(distinct (a)) from t

-- refused before 30.8: line 1, column 16: the text cannot be read as SQL near a | Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'.
select sum(all a)

from (select 1) select *

select a from t where a in (1,)

select a from t where a in (?)

select coalesce(a, ?)

select a from (select 1 as a) as x where x.a=1

select a from t where exists (from u)

select (from t)

select true and not false

select null

select a is true

select a is not unknown

select cast(? as int)

select cast('x' as int) from t

select sum(a) from t where a = (1)

select ((a))

select (((a)) + (1))

select a, a from t

select * from t1 as t(a, b)

select t from t

select a from t where (a) in ((1))

select a from t window w as ()

select sum(a) over (partition by b order by c desc nulls first rows between 2 preceding and 1 preceding)

select sum(a) over (rows unbounded preceding)

select sum(a) over (rows current row)

select sum(a) over (order by a range between '1 day' preceding and current row)

select a from t limit 0

select * from t limit 0

select a from t where false

select a."b" from t a

select 1 where 1=0

select position('a' in b)

select substring(a from 1 for 2)

select cast(a as decimal(10))

select integer '1'

select double '1'

select bool 't'

select varchar 'x'

select int '1'

select time '10:00'

select interval '1' day * 3

select 3 * interval '1' day

select count(*)::double

select sum(a)::decimal(38,10)

select regr_avgy(y,x)

select regr_sxy(y,x)

select regr_syy(y,x)

select a from t fetch first 1 rows only

select a from t fetch first 1 row only

select 1 union (select 2 intersect select 3)

select 1 intersect select 2 union select 3

select a % b * c, a * b % c, a + b % c, (a + b) % c, -a % b

select c * mod(a, b), c / mod(a, b), -mod(a, b), mod(a, b) % c, mod(a, b) * c, mod(a, mod(b, c)), c % mod(a, b)

select (a = b) is null, a = (b is null), (a < b) is not null, a is null = b, not a is null, a is not null and b

-- refused before 30.24: line 1, column 8: operators stand here in an order that can be read in two ways | Put parentheses around what belongs together.
select a = b is null

-- refused before 30.24: line 1, column 8: operators stand here in an order that can be read in two ways | Put parentheses around what belongs together.
select a is distinct from b = c

select a not like 'x' or b not ilike 'y' and not c like 'z', a = b and c not like 'x' escape '!'

select trunc(x), trunc(x) + trunc(y, 2)

select a from t fetch first rows only

select mod(a between 1 and 2, b not in (1)), mod(a is not null, b) * 2, -mod(not a, b)

select power(a, b not between 1 and c is not false), (a not in (1) is not null)::int

select jaro_winkler_similarity(a, 'x')

-- refused before 30.15: line 1, column 17: isnull cannot be a name
select a like b isnull

SELECT 1 AS "Straße", größe AS é FROM t

SELECT a, b, count(*), GROUPING(a), GROUPING_ID(a, b) FROM t GROUP BY ROLLUP (a, b)

SELECT a, b, c FROM t GROUP BY a, CUBE (b, (c, d))

SELECT a, count(*) FROM t GROUP BY GROUPING SETS ((a, b), a, ROLLUP (c), ())

SELECT count(*) FROM t GROUP BY ()

select arg_max(a, b), arg_min(a, b) from t

SELECT a FROM t NATURAL JOIN u NATURAL LEFT JOIN v

SELECT a FROM t SEMI JOIN u USING (a) ANTI JOIN v ON t.a = v.b

SELECT a, x.b FROM t, LATERAL (SELECT u.b FROM u WHERE u.a = t.a) x LEFT JOIN LATERAL (SELECT 1) y(c) ON true

SELECT string_agg(region, ', ' ORDER BY n DESC), list(region ORDER BY n), array_agg(DISTINCT region), any_value(n) FILTER (WHERE n > 1), group_concat(region, ','), listagg(region, '-') FROM t

select date_trunc('month', d::date), date_trunc('year', date '2024-05-06'), datetrunc('day', cast(d as date))

SELECT age = ANY (SELECT 41) FROM t

SELECT a FROM (t JOIN u USING (a))

FROM t JOIN u USING (a) SELECT a

SELECT * EXCLUDE (a) FROM t

SELECT * REPLACE (1 AS a) FROM t

SELECT * RENAME (a AS b) FROM t

SELECT o.* EXCLUDE (a, "b c") REPLACE (d + 1 AS d) FROM t AS o

SELECT a, b FROM t WHERE (a, b) IN ((1, 2), (3, 4)) AND (a, b) <> (1, 'x') AND (a, b) NOT IN (SELECT c, d FROM u)

SELECT a FROM t WHERE a = SOME (SELECT b FROM u) AND a + 1 <> ALL (SELECT b FROM u)

SELECT t.a FROM ((t JOIN u ON t.a = u.a) LEFT JOIN v ON u.b = v.b) JOIN w ON v.c = w.c

SELECT a FROM t WHERE a = ANY(['x', b]) AND c = SOME(ARRAY['y']) AND c <> ALL(ARRAY[1])

select regexp_extract(a, 'b'), regexp_extract(a, '(b)', 1), regexp_replace(a, 'b', 'c'), regexp_replace(a, 'b', 'c', 'g') from t

SELECT count(*) FROM t WHERE d >= ?::date AND a > ?::DOUBLE

select log2(a), log10(a), log(a), log(2, a) from t

SELECT a, (SELECT b FROM u LIMIT ALL) FROM (SELECT a FROM t ORDER BY a OFFSET 2 LIMIT ALL) LIMIT ALL OFFSET 1

SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT ROW ONLY

SELECT region ~* 'a' AS a, region !~* '^N' AS b, NOT region ~* 'x' AS c, REGEXP_MATCHES(region, 'A', 'i') AS d FROM t

SELECT a AS 'The Region', COUNT(*) AS 'it''s "n"' FROM t GROUP BY "The Region"

SELECT 2 ^ 3

SELECT 2 ** 3

SELECT age & 1 FROM t

SELECT 1 << age FROM t

SELECT [1, 2]

SELECT first(region) FROM t

SELECT bit_xor(user_id) FROM t

SELECT -2 ^ 2 ** 3 * a, a & 1 | b << 2 >> c, a + 1 & b - 1 = c, (a || b) || (c | 1) FROM t

SELECT format('{:,}', a), md5(b), strptime(c, '%Y'), first(a ORDER BY b), list_value(a, 2), [a, b] FROM t

WITH x AS (SELECT * FROM (VALUES (1, ')'), (2, 'b')) AS v LIMIT 1) SELECT * FROM x

SELECT a[1], (b)[-1], [c, 2][d], SPLIT(a, ',')[1][1] FROM t

SELECT age > ALL (SELECT 41), age <> SOME (SELECT 1), age = ALL (SELECT 1), age < ANY ((SELECT 2)) FROM t

SELECT a FROM t WHERE b LIKE ANY ('n%', 's%') AND c ILIKE ANY (ARRAY['x%']::TEXT[]) AND NOT (d LIKE ALL ('{a%,b%}'))
