SELECT c.oid::regclass AS "Table", CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' END AS "Kind",
  pg_get_userbyid(c.relowner), c.relhastriggers, c.relhasrules, c.relpersistence, c.relreplident, c.relnatts, c.reltuples
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'main' AND c.relkind IN ('r', 'v', 'm') ORDER BY 1

SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attalign,
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid),
  (SELECT c.collname FROM pg_collation c, pg_type t WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation),
  col_description(a.attrelid, a.attnum), a.attlen, a.attbyval, a.attstorage, a.attcompression
FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'main.orders'::regclass AND NOT a.attisdropped ORDER BY a.attnum

SELECT c2.relname, i.indisprimary, i.indisunique, i.indkey, i.indkey[0], i.indkey::text, pg_get_indexdef(i.indexrelid, 0, true),
  pg_get_indexdef(i.indexrelid), pg_get_indexdef(i.indexrelid, 1, false), pg_get_constraintdef(con.oid, true), contype, i.indoption
FROM pg_class c, pg_class c2, pg_index i
  LEFT JOIN pg_constraint con ON (conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p', 'u', 'x'))
WHERE c.relname = 'customers' AND c.oid = i.indrelid AND i.indexrelid = c2.oid ORDER BY 1

SELECT conname, conrelid::pg_catalog.regclass AS ontable, confrelid::regclass, pg_get_constraintdef(oid, true) AS condef,
  contype, confupdtype, confdeltype, confmatchtype, conkey, confkey, conkey[1], array_upper(conkey, 1), condeferrable
FROM pg_constraint WHERE contype = 'f' AND connamespace = 'main'::regnamespace ORDER BY conname

SELECT r.rolname, r.rolcanlogin, r.rolsuper, ARRAY(SELECT b.rolname FROM pg_auth_members m JOIN pg_roles b ON (m.roleid = b.oid)
  WHERE m.member = r.oid) AS memberof FROM pg_roles r WHERE r.rolname = current_user

SELECT n.nspname AS "Schema", c.relname AS "Name", array_to_string(c.relacl, E'\n') AS "Access privileges", c.relacl::text[],
  array_to_string(ARRAY(SELECT attname || E':\n  ' || array_to_string(attacl, E'\n  ') FROM pg_attribute a
    WHERE attrelid = c.oid AND NOT attisdropped AND attacl IS NOT NULL), E'\n') AS "Column privileges"
FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = ANY ('{r,v}') AND n.nspname = 'main' AND c.relname OPERATOR(pg_catalog.~) '^(ord.*)$' COLLATE pg_catalog.default

SELECT t.typname, t.typlen, t.typbyval, t.typtype, t.typcategory, t.typispreferred, t.typdelim, t.typelem, t.typarray, t.typinput,
  t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout, t.typalign, t.typstorage, t.typcollation, t.typsubscript, t.typanalyze, t.oid
FROM pg_type t WHERE t.typtype <> 'c' AND t.typnamespace = 'pg_catalog'::regnamespace
  AND NOT EXISTS (SELECT 1 FROM pg_type e WHERE e.oid = t.typelem AND e.typtype = 'c')

SELECT t.* FROM pg_type t WHERE t.typname IN ('bool', '_varchar', 'jsonb', 'int4range')

SELECT * FROM pg_range r JOIN pg_namespace n ON n.nspname = 'pg_catalog' WHERE r.rngsubdiff = 0 AND n.nspname = 'x'

SELECT t.typname, t.typreceive::regproc::text, t.typreceive::text, r.proname FROM pg_type t JOIN pg_proc r ON r.oid = t.typreceive
WHERE t.typreceive <> 0 AND t.typreceive::text <> 'array_recv' AND t.typtype = 'b' AND t.typname IN ('bool', 'int8', 'name', 'date')

SELECT typinput = 'pg_catalog.array_in'::regproc AS is_array, typtype, typname, pg_type.oid FROM pg_catalog.pg_type
  LEFT JOIN (SELECT ns.oid AS nspoid, ns.nspname, r.r FROM pg_namespace AS ns JOIN (SELECT s.r, (current_schemas(false))[s.r] AS nspname
    FROM generate_series(1, array_upper(current_schemas(false), 1)) AS s(r)) AS r USING (nspname)) AS sp ON sp.nspoid = typnamespace
WHERE typname = '_int4' ORDER BY sp.r, pg_type.oid DESC

SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, ct.relname AS "TABLE_NAME", NOT i.indisunique AS NON_UNIQUE, ci.relname AS index_name,
  CASE am.amname WHEN 'hash' THEN 2 ELSE 3 END AS kind, (information_schema._pg_expandarray(i.indkey)).n AS ORDINAL_POSITION,
  ci.reltuples AS cardinality, ci.relpages AS pages
FROM pg_class ct JOIN pg_namespace n ON ct.relnamespace = n.oid JOIN pg_index i ON ct.oid = i.indrelid
  JOIN pg_class ci ON ci.oid = i.indexrelid JOIN pg_am am ON ci.relam = am.oid WHERE n.nspname LIKE 'ma\_n' OR n.nspname = 'main'

SELECT result.TABLE_NAME, result.COLUMN_NAME, result.KEY_SEQ FROM (SELECT ct.relname AS TABLE_NAME, a.attname AS COLUMN_NAME,
  (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM
  FROM pg_class ct JOIN pg_attribute a ON (ct.oid = a.attrelid) JOIN pg_index i ON (a.attrelid = i.indrelid) WHERE i.indisprimary
    AND ct.relnamespace = 'main'::regnamespace) result
WHERE result.A_ATTNUM = (result.KEYS).x ORDER BY result.TABLE_NAME

SELECT ns.nspname, t.typname, t.kind, e.typname AS of_type FROM (SELECT y.typname, y.typnamespace, y.typelem,
    CASE WHEN p.proname = 'array_recv' THEN 'a' ELSE y.typtype END AS kind,
    CASE WHEN p.proname = 'array_recv' THEN y.typelem WHEN y.typtype = 'r' THEN rngsubtype WHEN y.typtype = 'd' THEN y.typbasetype
      WHEN y.typtype = 'm' THEN (SELECT rngtypid FROM pg_range WHERE rngmultitypid = y.oid) END AS element
  FROM pg_type y LEFT JOIN pg_class c ON c.oid = y.typrelid LEFT JOIN pg_proc p ON p.oid = y.typreceive
    LEFT JOIN pg_range ON pg_range.rngtypid = y.oid WHERE y.typtype IN ('b', 'r', 'm', 'e')) t
  JOIN pg_namespace ns ON ns.oid = t.typnamespace LEFT JOIN pg_type e ON e.oid = t.element AND e.typtype <> 'c'
WHERE ns.nspname = 'pg_catalog' AND (t.kind <> 'a' OR e.oid IS NOT NULL)

WITH RECURSIVE tree(oid, name, element, depth) AS (
  SELECT t.oid, t.typname, t.typelem, 0 FROM pg_type t WHERE t.oid = any('{1016,1231}'::oid[])
  UNION ALL SELECT t.oid, t.typname, t.typelem, tree.depth + 1 FROM pg_type t, tree WHERE t.oid = tree.element)
SELECT DISTINCT *, element::regtype::text AS element_name FROM tree ORDER BY depth DESC, oid

SELECT t.typname AS name, t.oid::regtype::text AS regtype, coalesce(a.fnames, '{}') AS field_names, coalesce(a.ftypes, '{}') AS field_types
FROM pg_type t LEFT JOIN (SELECT attrelid, array_agg(attname) AS fnames, array_agg(atttypid) AS ftypes FROM (
    SELECT a.attrelid, a.attname, a.atttypid FROM pg_attribute a JOIN pg_type t ON t.typrelid = a.attrelid
    WHERE t.oid = to_regtype('main.products') AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) x GROUP BY attrelid) a
  ON a.attrelid = t.typrelid
WHERE t.oid IN (to_regtype('products'), 'int4range'::regtype)

SELECT con.conname, array_agg(CAST(attr.attname AS TEXT) ORDER BY con.ord) AS cols, min(con.description) AS comment, bool_and(con.n) AS n
FROM pg_attribute attr JOIN (SELECT c.conrelid, c.conname, unnest(i.indkey) AS attnum, generate_subscripts(i.indkey, 1) AS ord,
    d.description, i.indnullsnotdistinct AS n FROM pg_constraint c JOIN pg_index i ON c.conindid = i.indexrelid
    LEFT JOIN pg_description d ON d.objoid = c.oid AND d.classoid = CAST('pg_catalog.pg_constraint' AS REGCLASS)
  WHERE c.contype = 'p' AND c.connamespace = 'main'::regnamespace) con ON attr.attnum = con.attnum AND attr.attrelid = con.conrelid GROUP BY con.conrelid, con.conname

SELECT array(SELECT unnest FROM unnest(c.relacl::text[]) WHERE unnest LIKE 'tool=%') AS own, x AS one
FROM pg_class c CROSS JOIN LATERAL unnest(c.relacl) AS x WHERE c.relname = 'products'

SELECT tt.name, tt.object, d.description FROM (SELECT c.oid AS oid, c.tableoid AS tableoid, CAST(c.conname AS text) AS name,
    CAST('table constraint' AS text) AS object FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid WHERE r.relname = 'orders') tt
  LEFT JOIN pg_description d ON d.objoid = tt.oid AND d.classoid = tt.tableoid AND d.objsubid = 0

SELECT l.lanname AS "Name", d.description FROM pg_language l LEFT JOIN pg_description d ON d.classoid = l.tableoid AND d.objoid = l.oid
WHERE l.lanplcallfoid <> 0 AND l.lanname = 'nosuch'

SELECT information_schema._pg_truetypid(a.*, t.*) AS kind, information_schema._pg_truetypmod(a, t),
  information_schema._pg_numeric_precision(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) AS p,
  information_schema._pg_char_max_length(a.atttypid, a.atttypmod) AS length
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = 'customers'::regclass AND a.attnum > 0 ORDER BY a.attnum

SELECT parse_ident('main."My Table".x') AS parts, (parse_ident('main.orders'))[1], quote_ident('My Table'), quote_literal('o''clock')

SELECT catcode, barelabel, count(*), catdesc, baredesc, min(word) FROM pg_get_keywords() GROUP BY catcode, barelabel, catdesc, baredesc

SELECT string_agg(word, ',' ORDER BY word) FROM pg_catalog.pg_get_keywords() WHERE word <> ALL ('{select,from,where}'::text[])

SELECT * FROM information_schema.columns WHERE table_schema = 'main' AND table_name = 'orders' ORDER BY ordinal_position

SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, is_insertable_into, is_typed FROM INFORMATION_SCHEMA.tables
WHERE TABLE_SCHEMA NOT IN ('information_schema', 'pg_catalog', 'dpsql') ORDER BY TABLE_SCHEMA, TABLE_NAME

SELECT c.table_name, c.table_type FROM information_schema.tables c WHERE c.table_schema = 'information_schema'

SELECT schema_name AS "name", catalog_name FROM information_schema.schemata WHERE schema_name IN ('main', 'pg_catalog') ORDER BY 1

SELECT grantor, grantee, privilege_type FROM information_schema.table_privileges WHERE table_name = 'orders' AND grantee = current_user

SELECT quote_ident(table_name) AS "table" FROM information_schema.tables WHERE quote_ident(table_schema) IN (
  SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END FROM generate_series(
    array_lower(string_to_array(current_setting('search_path'), ','), 1), array_upper(string_to_array(current_setting('search_path'), ','), 1)
  ) AS i, string_to_array(current_setting('search_path'), ',') s) ORDER BY "table"

SELECT n.nspname, r.relname, has_table_privilege(r.oid, 'select') AS s, has_table_privilege(current_user, r.oid, 'INSERT') AS i,
  pg_table_is_visible(r.oid), has_any_column_privilege(r.oid, 'select') FROM pg_class r, pg_namespace n
WHERE r.relnamespace = n.oid AND n.nspname = 'main' AND r.relkind = 'r'

SELECT max(a.attnum), min(a.attname), count(*), sum(a.attnum), array_agg(a.attname ORDER BY a.attnum),
  string_agg(a.attname, ',' ORDER BY a.attnum), bool_and(a.attislocal), max(a.atttypid::text)
FROM pg_attribute a WHERE a.attrelid = 'products'::regclass AND a.attnum > 0

SELECT 1 AS one, 'x' AS two, NULL AS three, 1.5, true, 2147483648, -1, 7 / 2, 7 % 4, 'a' || 'b', array[1, 2], coalesce(NULL, 1),
  CASE WHEN true THEN 1 END, 'x'::name, 1::oid, '1 2'::int2vector, '{a,b}'::text[], 'r'::"char", 5::int2, nullif(1, 2)

SELECT CASE WHEN true THEN relname ELSE 'x' END, coalesce(relkind, 'r') AS k, coalesce(relname, 'x') AS n, greatest(relnatts, 1) AS g,
  coalesce(2147483648, relnatts) AS b, coalesce(relname, 'x'::varchar) AS v, coalesce(reltuples, relnatts) AS f, coalesce(relam, 1) AS o,
  relname || 'x', relkind::text, relname::varchar, relname::varchar(3), reltuples::bigint, (relnatts + 1) * 2 AS a, relname = 'orders',
  relname AS Folded, relname AS "Kept", "relname", RELNAME, relname IS NOT NULL, upper(relname), relnatts::numeric
FROM pg_class WHERE oid = 'orders'::regclass

SELECT u.nspname FROM pg_namespace u WHERE u.nspname = 'main' UNION ALL SELECT 'text' UNION ALL SELECT current_user

SELECT current_database(), current_schema(), current_user, session_user, current_schemas(true), current_catalog, user

SELECT to_regclass('nosuch'), to_regclass('orders'), to_regclass('orders')::text, to_regtype('int4'), 'int4'::regtype, 25::regtype,
  'pg_class'::regclass::oid, 'customers'::regclass, 0::oid::regclass::text, 'boolin'::regproc, to_regnamespace('main')

SELECT s.relname, s.n FROM (SELECT relname, (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) AS n
  FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 11) s WHERE s.n > 10

SELECT format('%I.%I', n.nspname, c.relname), c.oid::regclass::text, obj_description(n.oid, 'pg_namespace'), n.nspacl
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid IN ('main.orders'::regclass, 'products'::regclass) ORDER BY 1

SELECT name, setting FROM pg_settings WHERE name IN ('max_index_keys', 'standard_conforming_strings', 'server_encoding') ORDER BY name

SELECT t.name, t.is_dst FROM pg_timezone_names t WHERE t.name = 'UTC'

SELECT count(*) FROM pg_policy UNION ALL SELECT count(*) FROM pg_inherits UNION ALL SELECT count(*) FROM pg_event_trigger

SELECT pg_encoding_max_length(6), pg_index_column_has_property('customers_pkey'::regclass, 1, 'asc') AS is_ascending,
  pg_index_column_has_property('customers_pkey'::regclass, 1, 'desc') AS is_descending, pg_indexam_has_property(403, 'can_order'),
  pg_index_has_property('customers_pkey'::regclass, 'clusterable'), every(true), ascii('a'),
  regexp_split_to_array('a1b2c', '[0-9]'), pg_last_wal_receive_lsn(), has_schema_privilege('main', 'create'), 6::int2 >> 1

SELECT pg_typeof(1), pg_typeof('x'), pg_typeof(now()), pg_typeof(c.relname), pg_typeof(c.oid), pg_typeof(c.relkind), pg_typeof(1.5),
  pg_typeof(ARRAY['a']), pg_typeof('{1}'::int8[]), pg_typeof((ARRAY[1, 2])[1:1]), pg_typeof(NULL) FROM pg_class c WHERE c.relname = 'orders'

SELECT (ARRAY[1, 2, 3])[1:2], (string_to_array('a,b,c', ','))[2:], (ARRAY['x', 'y'])[:1], (ARRAY[1, 2])[2:9], con.conkey[1:1]
FROM pg_constraint con WHERE con.conname = 'customers_pkey'
