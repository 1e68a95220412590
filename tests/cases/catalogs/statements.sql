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

SELECT 'session_stats' AS chart_name, pg_catalog.row_to_json(t) AS chart_data FROM (SELECT (SELECT count(*)
  FROM pg_catalog.pg_stat_activity WHERE state = 'nothing') AS "Total") t

SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n
  LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass
  WHERE n.nspname = 'none' ORDER BY nspname

SELECT c.relname, a.attname, a.attnum, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description, dep.objid
  FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid = c.oid)
  LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid = ad.adrelid AND a.attnum = ad.adnum)
  LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid)
  LEFT OUTER JOIN pg_depend dep ON dep.refobjid = a.attrelid AND dep.deptype = 'i' AND dep.refobjsubid = a.attnum AND dep.classid = dep.refclassid
  WHERE NOT a.attisdropped AND c.relnamespace = 'main'::regnamespace AND a.attnum > 0 ORDER BY c.relname, a.attnum

SELECT i.indexrelid IS NOT NULL AS there, i.indkey::text AS keys, c.relname AS "INDEX_NAME", am.amname, c.relnamespace::regnamespace::text AS tablespace, obj_description(c.oid)
  FROM pg_catalog.pg_index i INNER JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  LEFT OUTER JOIN pg_catalog.pg_am am ON am.oid = c.relam WHERE i.indrelid = 'main.customers'::regclass ORDER BY c.relname

SELECT typ.oid, att.attname, att.atttypid
  FROM pg_type AS typ JOIN pg_namespace AS ns ON (ns.oid = typ.typnamespace) JOIN pg_class AS cls ON (cls.oid = typ.typrelid) JOIN pg_attribute AS att ON (att.attrelid = typ.typrelid)
  WHERE (typ.typtype = 'c' AND cls.relkind = 'c') AND attnum > 0 AND NOT attisdropped ORDER BY typ.oid, att.attnum

SELECT pg_type.oid, enumlabel FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid ORDER BY oid, enumsortorder

SELECT a.attname, format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid), a.attnotnull, a.atttypid, a.atttypmod, (SELECT c.collname
  FROM pg_collation c, pg_type t
  WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation), col_description(a.attrelid, a.attnum) AS comment, attidentity AS identity, attgenerated AS attgenerated
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON a.attrelid = d.adrelid AND a.attnum = d.adnum
  WHERE a.attrelid = '"orders"'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum

SELECT a.attname FROM (SELECT indrelid, indkey, generate_subscripts(indkey, 1) idx FROM pg_index
  WHERE indrelid = '"customers"'::regclass AND indisprimary) i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[i.idx]
  ORDER BY i.idx

SELECT distinct i.relname, d.indisunique, d.indkey, pg_get_indexdef(d.indexrelid), pg_catalog.obj_description(i.oid, 'pg_class') AS comment, d.indisvalid
  FROM pg_class t INNER JOIN pg_index d ON t.oid = d.indrelid INNER JOIN pg_class i ON d.indexrelid = i.oid
  LEFT JOIN pg_namespace n ON n.oid = t.relnamespace
  WHERE i.relkind IN ('i', 'I') AND d.indisprimary = 'f' AND t.relname = 'customers' AND n.nspname = ANY (current_schemas(false))
  ORDER BY i.relname

SELECT t2.oid::regclass::text AS to_table, a1.attname AS column, a2.attname AS primary_key, c.conname AS name, c.confupdtype AS on_update, c.confdeltype AS on_delete, c.convalidated AS valid, c.condeferrable AS deferrable, c.condeferred AS deferred, c.conkey, c.confkey, c.conrelid > 0, c.confrelid > 0
  FROM pg_constraint c JOIN pg_class t1 ON c.conrelid = t1.oid JOIN pg_class t2 ON c.confrelid = t2.oid JOIN pg_attribute a1 ON a1.attnum = c.conkey[1] AND a1.attrelid = t1.oid JOIN pg_attribute a2 ON a2.attnum = c.confkey[1] AND a2.attrelid = t2.oid JOIN pg_namespace t3 ON c.connamespace = t3.oid
  WHERE c.contype = 'f' AND t1.relname = 'orders' AND t3.nspname = ANY (current_schemas(false)) ORDER BY c.conname

SELECT c.relname, CASE WHEN c.relispartition THEN 'p' WHEN c.relkind IN ('m', 'v') THEN 'v' ELSE 't' END, obj_description(c.oid, 'pg_class')
  FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('f', 'm', 'p', 'r', 'v') AND n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema') AND pg_catalog.pg_table_is_visible(c.oid)
  ORDER BY 1

SELECT a.attname AS column_name, NOT (a.attnotnull OR (t.typtype = 'd' AND t.typnotnull)) AS is_nullable, pg_get_expr(ad.adbin, ad.adrelid) AS column_default, CASE WHEN collname = 'default' THEN NULL ELSE collname END AS collation, a.attidentity != '' AS is_autofield, col_description(a.attrelid, a.attnum) AS column_comment
  FROM pg_attribute a LEFT JOIN pg_attrdef ad ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
  LEFT JOIN pg_collation co ON a.attcollation = co.oid JOIN pg_type t ON a.atttypid = t.oid JOIN pg_class c ON a.attrelid = c.oid JOIN pg_namespace n ON c.relnamespace = n.oid
  WHERE c.relkind IN ('f', 'm', 'p', 'r', 'v') AND c.relname = 'orders' AND n.nspname NOT IN ('pg_catalog', 'pg_toast') AND pg_catalog.pg_table_is_visible(c.oid)
  ORDER BY 1

SELECT c.conname, array(SELECT attname
  FROM unnest(c.conkey) WITH ORDINALITY cols(colid, arridx) JOIN pg_attribute AS ca ON cols.colid = ca.attnum
  WHERE ca.attrelid = c.conrelid ORDER BY cols.arridx), c.contype, (SELECT fkc.relname || '.' || fka.attname
  FROM pg_attribute AS fka JOIN pg_class AS fkc ON fka.attrelid = fkc.oid
  WHERE fka.attrelid = c.confrelid AND fka.attnum = c.confkey[1]), cl.reloptions
  FROM pg_constraint AS c JOIN pg_class AS cl ON c.conrelid = cl.oid
  WHERE cl.relname = 'orders' AND pg_catalog.pg_table_is_visible(cl.oid) ORDER BY 1

SELECT indexname, array_agg(attname ORDER BY arridx), indisunique, indisprimary, array_agg(ordering
  ORDER BY arridx), amname, exprdef, s2.attoptions
  FROM (SELECT c2.relname AS indexname, idx.*, attr.attname, am.amname, CASE WHEN idx.indexprs IS NOT NULL THEN pg_get_indexdef(idx.indexrelid) END AS exprdef, CASE am.amname WHEN 'btree' THEN CASE (option & 1) WHEN 1 THEN 'DESC' ELSE 'ASC' END END AS ordering, c2.reloptions AS attoptions
  FROM (SELECT * FROM pg_index i, unnest(i.indkey, i.indoption) WITH ORDINALITY koi(key, option, arridx)) idx
  LEFT JOIN pg_class c ON idx.indrelid = c.oid LEFT JOIN pg_class c2 ON idx.indexrelid = c2.oid
  LEFT JOIN pg_am am ON c2.relam = am.oid LEFT JOIN pg_attribute attr ON attr.attrelid = c.oid AND attr.attnum = idx.key
  WHERE c.relname = 'customers' AND pg_catalog.pg_table_is_visible(c.oid)) s2
  GROUP BY indexname, indisunique, indisprimary, amname, exprdef, attoptions

SELECT table_name FROM information_schema.tables
  WHERE table_schema = 'main' AND table_type LIKE '%TABLE' AND table_name != 'spatial_ref_sys' ORDER BY 1

SELECT info.table_name AS table_name, info.column_name AS column_name, format_type(att.atttypid, att.atttypmod) AS formatted_type, info.numeric_precision, info.numeric_scale, info.numeric_precision_radix, info.datetime_precision, info.data_type, info.udt_schema AS type_schema_name, info.udt_name AS full_data_type, pg_get_expr(attdef.adbin, attdef.adrelid) AS column_default, info.is_nullable, info.is_identity, info.character_maximum_length, col_description(att.attrelid, ordinal_position) AS description
  FROM information_schema.columns info JOIN pg_attribute att ON att.attname = info.column_name JOIN (SELECT pg_class.oid, relname, pg_namespace.nspname AS namespace
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace AND pg_namespace.nspname = ANY (ARRAY['main'])
  WHERE reltype > 0) AS oid ON oid.oid = att.attrelid AND relname = info.table_name AND namespace = info.table_schema
  LEFT OUTER JOIN pg_attrdef attdef ON attdef.adrelid = att.attrelid AND attdef.adnum = att.attnum AND table_schema = namespace
  WHERE table_schema = ANY (ARRAY['main']) ORDER BY namespace, table_name, ordinal_position

SELECT tbl.relname AS table_name, namespace.nspname AS namespace, (tbl.relhassubclass AND tbl.relkind = 'p') AS is_partition, (tbl.relhassubclass AND tbl.relkind = 'r') AS has_subclass, tbl.relrowsecurity AS has_row_level_security, reloptions, obj_description(tbl.oid, 'pg_class') AS description
  FROM pg_class AS tbl INNER JOIN pg_namespace AS namespace ON namespace.oid = tbl.relnamespace
  WHERE ((tbl.relkind = 'r' AND NOT tbl.relispartition) OR tbl.relkind = 'p') AND namespace.nspname = ANY (ARRAY['main']::text[])
  ORDER BY namespace, table_name

SELECT EXISTS (SELECT 1 FROM pg_namespace
  WHERE nspname = 'main'), version() LIKE 'PostgreSQL%', current_setting('server_version_num')::integer >= 160000 AS numeric_version

SELECT n.nspname AS schemaname, c.relname AS name, pg_get_userbyid(c.relowner) = current_user AS owned, c.relkind = 'v'
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname IN ('main') AND c.relkind IN ('r', 'v', 'm', 'f', 'p')

SELECT table_catalog = current_database() AS here, table_name AS name, table_schema AS schema, 'table' AS type
  FROM information_schema.tables WHERE table_schema ILIKE 'main'
  UNION ALL SELECT table_catalog = current_database(), matviewname, schemaname, 'materialized_view'
  FROM pg_matviews, (SELECT current_database() AS table_catalog) x WHERE schemaname ILIKE 'main' ORDER BY 2

SELECT current_database() = current_catalog AS same, nc.nspname, c.relname, a.attname, a.attnum, information_schema._pg_char_max_length(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t)) AS len
  FROM pg_namespace nc, pg_class c, pg_attribute a, pg_type t
  WHERE nc.oid = c.relnamespace AND a.attrelid = c.oid AND t.oid = a.atttypid AND nc.nspname = 'main' AND a.attnum > 0

SELECT f.proname, l.lanname, p.prosecdef FROM pg_proc p, pg_language l, pg_proc f
  WHERE p.prolang = l.oid AND f.oid = p.oid AND p.proname = 'no_such_function'

SELECT n.nspname AS "Schema", p.proname AS "Name", pg_catalog.pg_get_function_result(p.oid) AS "Result data type", pg_catalog.pg_get_function_arguments(p.oid) AS "Argument data types", CASE p.prokind WHEN 'a' THEN 'agg' WHEN 'w' THEN 'window' WHEN 'p' THEN 'proc' ELSE 'func' END AS "Type"
  FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE pg_catalog.pg_function_is_visible(p.oid) AND n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema'
  ORDER BY 1, 2, 4

SELECT e.extname AS "Name", e.extversion AS "Version", n.nspname AS "Schema", c.description AS "Description"
  FROM pg_catalog.pg_extension e LEFT JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
  LEFT JOIN pg_catalog.pg_description c ON c.objoid = e.oid AND c.classoid = 'pg_catalog.pg_extension'::pg_catalog.regclass
  WHERE e.extname = 'postgis' ORDER BY 1

SELECT pol.polname, pol.polpermissive, CASE WHEN pol.polroles = '{0}' THEN NULL ELSE pg_catalog.array_to_string(array(SELECT rolname
  FROM pg_catalog.pg_roles WHERE oid = ANY (pol.polroles)
  ORDER BY 1), ',') END, pg_catalog.pg_get_expr(pol.polqual, pol.polrelid), CASE pol.polcmd WHEN 'r' THEN 'SELECT' WHEN '*' THEN NULL END AS cmd
  FROM pg_catalog.pg_policy pol WHERE pol.polrelid = 'orders'::regclass ORDER BY 1

SELECT s.subname FROM pg_catalog.pg_publication p, (SELECT 'none' AS subname) s WHERE p.puballtables

SELECT pubname, NULL, NULL
  FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_namespace pn ON p.oid = pn.pnpubid JOIN pg_catalog.pg_class pc ON pc.relnamespace = pn.pnnspid
  WHERE pc.oid = 'orders'::regclass AND pg_catalog.pg_relation_is_publishable('orders'::regclass) ORDER BY 1

SELECT stxname, stxnamespace::pg_catalog.regnamespace::pg_catalog.text AS nsp, 'd' = ANY (stxkind) AS ndist_enabled, stxstattarget
  FROM pg_catalog.pg_statistic_ext WHERE stxrelid = 'orders'::regclass ORDER BY nsp, stxname

SELECT c.oid::pg_catalog.regclass FROM pg_catalog.pg_class c, pg_catalog.pg_inherits i
  WHERE c.oid = i.inhparent AND i.inhrelid = 'orders'::regclass AND c.relkind != 'p' AND c.relkind != 'I' ORDER BY inhseqno

SELECT TRUE AS sametable, conname, pg_catalog.pg_get_constraintdef(r.oid, true) AS condef, conrelid::pg_catalog.regclass AS ontable
  FROM pg_catalog.pg_constraint r WHERE r.conrelid = 'orders'::regclass AND r.contype = 'f' AND conparentid = 0
  ORDER BY conname

SELECT conname, conrelid::pg_catalog.regclass AS ontable, pg_catalog.pg_get_constraintdef(oid, true) AS condef
  FROM pg_catalog.pg_constraint c WHERE confrelid IN (SELECT pg_catalog.pg_partition_ancestors('customers'::regclass)
  UNION ALL VALUES ('customers'::regclass)) AND contype = 'f' AND conparentid = 0 ORDER BY conname

SELECT relname, n_live_tup FROM pg_stat_user_tables WHERE relname = 'none' ORDER BY n_live_tup DESC

SELECT cols.column_name, cols.data_type, (SELECT pg_catalog.col_description(c.oid, cols.ordinal_position::int)
  FROM pg_catalog.pg_class c
  WHERE c.oid = (SELECT ('"' || cols.table_name || '"')::regclass::oid) AND c.relname = cols.table_name) AS comment
  FROM information_schema.columns cols WHERE cols.table_schema = 'main' AND cols.table_name = 'customers'
  ORDER BY cols.ordinal_position

SELECT t.relname, array_to_string(array_agg(a.attname ORDER BY k.n), ', ') AS column_names
  FROM pg_class t, pg_class i, pg_index ix, pg_attribute a, LATERAL unnest(ix.indkey) WITH ORDINALITY AS k(attnum, n)
  WHERE t.oid = ix.indrelid AND i.oid = ix.indexrelid AND a.attrelid = t.oid AND a.attnum = k.attnum AND t.relkind = 'r' AND t.relname LIKE 'cust%'
  GROUP BY t.relname, i.relname

SELECT gs.i, (current_schemas(true))[gs.i] IS NOT NULL
  FROM generate_series(1, array_upper(current_schemas(true), 1)) AS gs(i)

SELECT 'session_stats' AS chart_name, pg_catalog.row_to_json(t) AS chart_data FROM (SELECT (SELECT count(*)
  FROM pg_catalog.pg_stat_activity
  WHERE state = 'nothing') AS "Total", 'a"b' AS text, NULL AS none, true AS yes, 1.5 AS half) t

SELECT row_to_json(n) FROM (SELECT nspname, nspname = 'main' AS own FROM pg_namespace
  WHERE nspname IN ('main', 'pg_catalog')) AS n

SELECT to_json(c), c.relname FROM (SELECT c.relname, a.attname, a.attnum
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'main'::regnamespace AND a.attnum > 0) c

SELECT json_agg(t) FROM (SELECT table_name FROM information_schema.tables
  WHERE table_schema = 'main' AND table_name = 'orders') t

SELECT row_to_json(T), "t".a FROM (SELECT relname AS a, relkind AS "B" FROM pg_class WHERE relname = 'orders') "t"

SELECT row_to_json(k) FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k(a, b)
  WHERE c.contype = 'f' AND c.connamespace = 'main'::regnamespace

SELECT i.indkey[k], k FROM pg_index i, generate_subscripts(i.indkey, 1) AS k WHERE i.indrelid = 'main.customers'::regclass

SELECT array_lower(indkey, 1), array_upper(indkey, 1), array_length(indkey, 1), array_upper(ARRAY[1, 2], 1), array_lower(conkey, 1), generate_subscripts(conkey, 1)
  FROM pg_index JOIN pg_constraint ON conindid = indexrelid AND contype = 'p' WHERE indrelid = 'main.customers'::regclass

SELECT g.n, i.indkey[g.n] FROM pg_index i, generate_series(array_lower(i.indkey, 1), array_upper(i.indkey, 1)) AS g(n)
  WHERE i.indrelid = 'main.customers'::regclass

SELECT n.nspname, u.a, u.b FROM pg_namespace n, unnest(ARRAY[1, 2, 3], ARRAY['x', 'y']) AS u(a, b) WHERE n.nspname = 'main'

SELECT u.a, u.b, u.n FROM pg_namespace s, unnest(ARRAY[1], ARRAY['x', 'y']) WITH ORDINALITY AS u(a, b, n)
  WHERE s.nspname = 'main'

SELECT c.conname, k.* FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(a, b, n)
  WHERE c.contype = 'f' AND c.connamespace = 'main'::regnamespace

SELECT c.conname, k.* FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k(a, n)
  WHERE c.contype = 'f' AND c.connamespace = 'main'::regnamespace

SELECT u.n, u.a FROM pg_namespace s, unnest(ARRAY[NULL::int], '{}'::text[]) WITH ORDINALITY u(a, b, n)
  WHERE s.nspname = 'main'

SELECT c.conname, k.a, k.b FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k(a, b)
  WHERE c.contype = 'f' AND c.connamespace = 'main'::regnamespace

SELECT r.rulename, trim(trailing ';' from pg_catalog.pg_get_ruledef(r.oid, true)), ev_enabled
FROM pg_catalog.pg_rewrite r
WHERE r.ev_class = '16385'
ORDER BY 1

SELECT conrelid = 'main.orders'::pg_catalog.regclass AS sametable,
       conname,
       pg_catalog.pg_get_constraintdef(oid, true) AS condef,
       conrelid::pg_catalog.regclass AS ontable
  FROM pg_catalog.pg_constraint,
       pg_catalog.pg_partition_ancestors('main.orders') WITH ORDINALITY AS x(relid, depth)
 WHERE conrelid = relid AND contype = 'f' AND conparentid = 0
ORDER BY depth DESC, conname

SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)
   FROM pg_catalog.pg_attrdef d
   WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
  a.attnotnull,
  (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
   WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
  a.attidentity,
  a.attgenerated,
  CASE WHEN a.attstorage = 'x' THEN 'extended' WHEN a.attstorage='p' THEN 'plain' WHEN a.attstorage='m' THEN 'main' ELSE '???' END AS st,
  a.attcompression AS attcompression,
  CASE WHEN a.attstattarget=-1 THEN NULL ELSE a.attstattarget END AS attstattarget,
  pg_catalog.col_description(a.attrelid, a.attnum)
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = 'main.orders'::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum

SELECT n.nspname as "Schema",
  c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' END as "Type",
  pg_catalog.array_to_string(ARRAY(
    SELECT attname || E':\n  ' || pg_catalog.array_to_string(attacl, E'\n  ')
    FROM pg_catalog.pg_attribute a
    WHERE attrelid = c.oid AND NOT attisdropped AND attacl IS NOT NULL
  ), E'\n') AS "Column privileges",
  pg_catalog.array_to_string(ARRAY(
    SELECT polname
    || CASE WHEN NOT polpermissive THEN
       E' (RESTRICTIVE)'
       ELSE '' END
    || CASE WHEN polcmd != '*' THEN
           E' (' || polcmd::pg_catalog.text || E'):'
       ELSE E':'
       END
    || CASE WHEN polqual IS NOT NULL THEN
           E'\n  (u): ' || pg_catalog.pg_get_expr(polqual, polrelid)
       ELSE E''
       END
    || CASE WHEN polwithcheck IS NOT NULL THEN
           E'\n  (c): ' || pg_catalog.pg_get_expr(polwithcheck, polrelid)
       ELSE E''
       END    || CASE WHEN polroles <> '{0}' THEN
           E'\n  to: ' || pg_catalog.array_to_string(
               ARRAY(
                   SELECT rolname
                   FROM pg_catalog.pg_roles
                   WHERE oid = ANY (polroles)
                   ORDER BY 1
               ), E', ')
       ELSE E''
       END
    FROM pg_catalog.pg_policy pol
    WHERE polrelid = c.oid), E'\n')
    AS "Policies"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r','v','m','S','f','p')
  AND n.nspname !~ '^pg_' AND pg_catalog.pg_table_is_visible(c.oid)
 AND n.nspname = 'main'
ORDER BY 1, 2

SELECT n.nspname as "Schema",
  pg_catalog.format_type(t.oid, NULL) AS "Name",
  t.typname AS "Internal name",
  CASE WHEN t.typrelid != 0
      THEN CAST('tuple' AS pg_catalog.text)
    WHEN t.typlen < 0
      THEN CAST('var' AS pg_catalog.text)
    ELSE CAST(t.typlen AS pg_catalog.text)
  END AS "Size",
  pg_catalog.array_to_string(
      ARRAY(
          SELECT e.enumlabel
          FROM pg_catalog.pg_enum e
          WHERE e.enumtypid = t.oid
          ORDER BY e.enumsortorder
      ),
      E'\n'
  ) AS "Elements",
  pg_catalog.pg_get_userbyid(t.typowner) AS "Owner",
  pg_catalog.array_to_string(t.typacl, E'\n') AS "Access privileges",
    pg_catalog.obj_description(t.oid, 'pg_type') as "Description"
FROM pg_catalog.pg_type t
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE (t.typrelid = 0 OR (SELECT c.relkind = 'c' FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid))
  AND NOT EXISTS(SELECT 1 FROM pg_catalog.pg_type el WHERE el.oid = t.typelem AND el.typarray = t.oid)
      AND n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_type_is_visible(t.oid)
ORDER BY 1, 2

SELECT m.rolname AS "Role name", r.rolname AS "Member of",
  pg_catalog.concat_ws(', ',
    CASE WHEN pam.admin_option THEN 'ADMIN' END,
    CASE WHEN pam.inherit_option THEN 'INHERIT' END,
    CASE WHEN pam.set_option THEN 'SET' END
  ) AS "Options",
  g.rolname AS "Grantor"
FROM pg_catalog.pg_roles m
     JOIN pg_catalog.pg_auth_members pam ON (pam.member = m.oid)
     LEFT JOIN pg_catalog.pg_roles r ON (pam.roleid = r.oid)
     LEFT JOIN pg_catalog.pg_roles g ON (pam.grantor = g.oid)
WHERE m.rolname !~ '^pg_'
ORDER BY 1, 2, 4

SELECT a.attname FROM pg_catalog.pg_attribute a, pg_catalog.pg_class c WHERE c.oid = a.attrelid AND a.attnum > 0 AND NOT a.attisdropped AND (a.attname) LIKE '%' AND (c.relname) = ('orders') AND pg_catalog.pg_table_is_visible(c.oid)
LIMIT 1000

SELECT pg_catalog.quote_ident(c.relname) FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND substring(pg_catalog.quote_ident(c.relname),1,2)='or' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION
SELECT pg_catalog.quote_ident(n.nspname) || '.' FROM pg_catalog.pg_namespace n WHERE substring(pg_catalog.quote_ident(n.nspname) || '.',1,2)='or' AND (SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace WHERE substring(pg_catalog.quote_ident(nspname) || '.',1,2) = substring('or',1,pg_catalog.length(pg_catalog.quote_ident(nspname))+1)) > 1
UNION
SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND substring(pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname),1,2)='or' AND substring(pg_catalog.quote_ident(n.nspname) || '.',1,2) = substring('or',1,pg_catalog.length(pg_catalog.quote_ident(n.nspname))+1) AND (SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace WHERE substring(pg_catalog.quote_ident(nspname) || '.',1,2) = substring('or',1,pg_catalog.length(pg_catalog.quote_ident(nspname))+1)) = 1
LIMIT 1000

SELECT pubname
     , NULL
     , NULL
FROM pg_catalog.pg_publication p
     JOIN pg_catalog.pg_publication_namespace pn ON p.oid = pn.pnpubid
     JOIN pg_catalog.pg_class pc ON pc.relnamespace = pn.pnnspid
WHERE pc.oid ='16385' and pg_catalog.pg_relation_is_publishable('16385')
UNION
SELECT pubname
     , pg_get_expr(pr.prqual, c.oid)
     , (CASE WHEN pr.prattrs IS NOT NULL THEN
         (SELECT string_agg(attname, ', ')
           FROM pg_catalog.generate_series(0, pg_catalog.array_upper(pr.prattrs::pg_catalog.int2[], 1)) s,
                pg_catalog.pg_attribute
          WHERE attrelid = pr.prrelid AND attnum = prattrs[s])
        ELSE NULL END) FROM pg_catalog.pg_publication p
     JOIN pg_catalog.pg_publication_rel pr ON p.oid = pr.prpubid
     JOIN pg_catalog.pg_class c ON c.oid = pr.prrelid
WHERE pr.prrelid = '16385'
UNION
SELECT pubname
     , NULL
     , NULL
FROM pg_catalog.pg_publication p
WHERE p.puballtables AND pg_catalog.pg_relation_is_publishable('16385')
ORDER BY 1

SELECT DISTINCT tt.nspname AS "Schema", tt.name AS "Name", tt.object AS "Object", d.description AS "Description"
FROM (
  SELECT pgc.oid as oid, pgc.tableoid AS tableoid,
  n.nspname as nspname,
  CAST(pgc.conname AS pg_catalog.text) as name,  CAST('table constraint' AS pg_catalog.text) as object
  FROM pg_catalog.pg_constraint pgc
    JOIN pg_catalog.pg_class c ON c.oid = pgc.conrelid
    LEFT JOIN pg_catalog.pg_namespace n     ON n.oid = c.relnamespace
WHERE n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
) AS tt
  JOIN pg_catalog.pg_description d ON (tt.oid = d.objoid AND tt.tableoid = d.classoid AND d.objsubid = 0)
ORDER BY 1, 2, 3

SELECT * FROM (SELECT n.nspname,c.relname,a.attname,a.atttypid,a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) AS attnotnull,a.atttypmod,a.attlen,t.typtypmod,row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') as attidentity,nullif(a.attgenerated, '') as attgenerated,pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS adsrc,dsc.description,t.typbasetype,t.typtype  FROM pg_catalog.pg_namespace n  JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid)  JOIN pg_catalog.pg_attribute a ON (a.attrelid=c.oid)  JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)  LEFT JOIN pg_catalog.pg_attrdef def ON (a.attrelid=def.adrelid AND a.attnum = def.adnum)  LEFT JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)  LEFT JOIN pg_catalog.pg_class dc ON (dc.oid=dsc.classoid AND dc.relname='pg_class')  LEFT JOIN pg_catalog.pg_namespace dn ON (dc.relnamespace=dn.oid AND dn.nspname='pg_catalog')  WHERE c.relkind in ('r','p','v','f','m') and a.attnum > 0 AND NOT a.attisdropped  AND n.nspname LIKE 'main' AND c.relname LIKE 'orders') c WHERE true  AND attname LIKE '%' ORDER BY nspname,c.relname,attnum

SELECT result.TABLE_CAT, result.TABLE_SCHEM, result.TABLE_NAME, result.COLUMN_NAME, result.KEY_SEQ, result.PK_NAME FROM (SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM,   ct.relname AS TABLE_NAME, a.attname AS COLUMN_NAME,   (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, ci.relname AS PK_NAME,   information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM FROM pg_catalog.pg_class ct   JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)   JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)   JOIN pg_catalog.pg_index i ON ( a.attrelid = i.indrelid)   JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid) WHERE true  AND n.nspname = 'main' AND ct.relname = 'customers' AND i.indisprimary ) result where  result.A_ATTNUM = (result.KEYS).x  ORDER BY result.table_name, result.pk_name, result.key_seq

SELECT tmp.TABLE_CAT, tmp.TABLE_SCHEM, tmp.TABLE_NAME, tmp.NON_UNIQUE, tmp.INDEX_QUALIFIER, tmp.INDEX_NAME, tmp.TYPE, tmp.ORDINAL_POSITION, trim(both '"' from pg_catalog.pg_get_indexdef(tmp.CI_OID, tmp.ORDINAL_POSITION, false)) AS COLUMN_NAME, CASE tmp.AM_NAME WHEN 'btree' THEN CASE tmp.I_INDOPTION[tmp.ORDINAL_POSITION - 1] & 1 WHEN 1 THEN 'D' ELSE 'A' END ELSE NULL END AS ASC_OR_DESC, tmp.CARDINALITY, tmp.PAGES, tmp.FILTER_CONDITION FROM (SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM,   ct.relname AS TABLE_NAME, NOT i.indisunique AS NON_UNIQUE,   NULL AS INDEX_QUALIFIER, ci.relname AS INDEX_NAME,   CASE i.indisclustered     WHEN true THEN 1    ELSE CASE am.amname       WHEN 'hash' THEN 2      ELSE 3    END   END AS TYPE,   (information_schema._pg_expandarray(i.indkey)).n AS ORDINAL_POSITION,   ci.reltuples IS NULL AS CARDINALITY,   ci.relpages IS NULL AS PAGES,   pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS FILTER_CONDITION,   ci.oid AS CI_OID,   i.indoption AS I_INDOPTION,   am.amname AS AM_NAME FROM pg_catalog.pg_class ct   JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)   JOIN pg_catalog.pg_index i ON (ct.oid = i.indrelid)   JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)   JOIN pg_catalog.pg_am am ON (ci.relam = am.oid) WHERE true  AND n.nspname = 'main' AND ct.relname = 'customers') AS tmp ORDER BY NON_UNIQUE, TYPE, INDEX_NAME, ORDINAL_POSITION

SELECT a.attname, a.atttypid, atttypmod FROM pg_catalog.pg_class ct   JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)   JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)   JOIN (SELECT i.indexrelid, i.indrelid, i.indisprimary,              information_schema._pg_expandarray(i.indkey) AS keys         FROM pg_catalog.pg_index i) i     ON (a.attnum = (i.keys).x AND a.attrelid = i.indrelid)  WHERE true  AND n.nspname = 'main' AND ct.relname = 'customers' AND i.indisprimary ORDER BY a.attnum

SELECT ns.nspname, t.oid, t.typname, t.typtype, t.typnotnull, t.elemtypoid
FROM (
    SELECT
        typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typrelid, typ.typnotnull, typ.relkind,
        elemtyp.oid AS elemtypoid, elemtyp.typname AS elemtypname, elemcls.relkind AS elemrelkind,
        CASE WHEN elemproc.proname='array_recv' THEN 'a' ELSE elemtyp.typtype END AS elemtyptype
    FROM (
        SELECT typ.oid, typnamespace, typname, typrelid, typnotnull, relkind, typelem AS elemoid,
            CASE WHEN proc.proname='array_recv' THEN 'a' ELSE typ.typtype END AS typtype,
            CASE
                WHEN proc.proname='array_recv' THEN typ.typelem
                WHEN typ.typtype='r' THEN rngsubtype
                WHEN typ.typtype='m' THEN (SELECT rngtypid FROM pg_range WHERE rngmultitypid = typ.oid)
                WHEN typ.typtype='d' THEN typ.typbasetype
            END AS elemtypoid
        FROM pg_type AS typ
        LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid)
        LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive
        LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid)
    ) AS typ
    LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = elemtypoid
    LEFT JOIN pg_class AS elemcls ON (elemcls.oid = elemtyp.typrelid)
    LEFT JOIN pg_proc AS elemproc ON elemproc.oid = elemtyp.typreceive
) AS t
JOIN pg_namespace AS ns ON (ns.oid = typnamespace)
WHERE
    (typtype IN ('b', 'r', 'm', 'e', 'd') OR
    (typtype = 'c' AND relkind='c') OR
    (typtype = 'p' AND typname IN ('record', 'void', 'unknown')) OR
    (typtype = 'a' AND (
        elemtyptype IN ('b', 'r', 'm', 'e', 'd') OR
        (elemtyptype = 'p' AND elemtypname IN ('record', 'void')) OR
        (elemtyptype = 'c' AND elemrelkind='c')
    ))) AND t.typname IN ('int4', '_int4', 'int4range', 'int4multirange', '_text', 'void')
ORDER BY CASE
       WHEN typtype IN ('b', 'e', 'p') THEN 0
       WHEN typtype = 'c' THEN 1
       WHEN typtype = 'r' THEN 2
       WHEN typtype = 'm' THEN 3
       WHEN typtype = 'd' AND elemtyptype <> 'a' THEN 4
       WHEN typtype = 'a' THEN 5
       WHEN typtype = 'd' AND elemtyptype = 'a' THEN 6
END

SELECT
     typ.oid AS typoid, nspname, relname, attname, attrelid IS NOT NULL AS attrelid, attnum, attnotnull,
     CASE WHEN atthasdef THEN (SELECT pg_get_expr(adbin, cls.oid) FROM pg_attrdef WHERE adrelid = cls.oid AND adnum = attr.attnum) ELSE NULL END AS default,
     CASE WHEN col.is_updatable = 'YES' THEN true ELSE false END AS is_updatable,
     EXISTS (
       SELECT * FROM pg_index
       WHERE pg_index.indrelid = cls.oid AND
             pg_index.indisprimary AND
             attnum = ANY (indkey)
     ) AS isprimarykey,
     EXISTS (
       SELECT * FROM pg_index
       WHERE pg_index.indrelid = cls.oid AND
             pg_index.indisunique AND
             pg_index.indnkeyatts = 1 AND
             attnum = pg_index.indkey[0]
     ) AS isunique
FROM pg_attribute AS attr
JOIN pg_type AS typ ON attr.atttypid = typ.oid
JOIN pg_class AS cls ON cls.oid = attr.attrelid
JOIN pg_namespace AS ns ON ns.oid = cls.relnamespace
LEFT OUTER JOIN information_schema.columns AS col ON col.table_schema = nspname AND
     col.table_name = relname AND
     col.column_name = attname
WHERE
     atttypid <> 0 AND
     relkind IN ('r', 'v', 'm') AND
     NOT attisdropped AND
     nspname NOT IN ('pg_catalog', 'information_schema') AND
     attnum > 0 AND
     ((attr.attrelid='main.customers'::regclass AND attr.attnum=1))
ORDER BY attnum

select	'shop'::name as "PKTABLE_CAT",
	n2.nspname as "PKTABLE_SCHEM",
	c2.relname as "PKTABLE_NAME",
	a2.attname as "PKCOLUMN_NAME",
	'shop'::name as "FKTABLE_CAT",
	n1.nspname as "FKTABLE_SCHEM",
	c1.relname as "FKTABLE_NAME",
	a1.attname as "FKCOLUMN_NAME",
	i::int2 as "KEY_SEQ",
	case ref.confupdtype
		when 'c' then 0::int2
		when 'n' then 2::int2
		when 'd' then 4::int2
		when 'r' then 1::int2
		else 3::int2
	end as "UPDATE_RULE",
	case ref.confdeltype
		when 'c' then 0::int2
		when 'n' then 2::int2
		when 'd' then 4::int2
		when 'r' then 1::int2
		else 3::int2
	end as "DELETE_RULE",
	ref.conname as "FK_NAME",
	cn.conname as "PK_NAME",
	case
		when ref.condeferrable then
			case
			when ref.condeferred then 5::int2
			else 6::int2
			end
		else 7::int2
	end as "DEFERRABILITY"
 from
 ((((((( (select cn.oid, conrelid, conkey, confrelid, confkey,
	 generate_series(array_lower(conkey, 1), array_upper(conkey, 1)) as i,
	 confupdtype, confdeltype, conname,
	 condeferrable, condeferred
  from pg_catalog.pg_constraint cn,
	pg_catalog.pg_class c,
	pg_catalog.pg_namespace n
  where contype = 'f' 
   and  conrelid = c.oid
   and  relname = 'orders'
   and  n.oid = c.relnamespace
   and  n.nspname = 'main'
 ) ref
 inner join pg_catalog.pg_class c1
  on c1.oid = ref.conrelid)
 inner join pg_catalog.pg_namespace n1
  on  n1.oid = c1.relnamespace)
 inner join pg_catalog.pg_attribute a1
  on  a1.attrelid = c1.oid
  and  a1.attnum = conkey[i])
 inner join pg_catalog.pg_class c2
  on  c2.oid = ref.confrelid)
 inner join pg_catalog.pg_namespace n2
  on  n2.oid = c2.relnamespace)
 inner join pg_catalog.pg_attribute a2
  on  a2.attrelid = c2.oid
  and  a2.attnum = confkey[i])
 left outer join pg_catalog.pg_constraint cn
  on cn.conrelid = ref.confrelid
  and cn.contype = 'p')
  order by ref.oid, ref.i

select c.relname, i.indkey, i.indisunique, i.indisclustered, a.amname, c.relhasrules, n.nspname, c.oid IS NULL, 0 as relhasoids, i.indoption from pg_catalog.pg_index i, pg_catalog.pg_class c, pg_catalog.pg_class d, pg_catalog.pg_am a, pg_catalog.pg_namespace n where d.relname = 'customers' and n.nspname = 'main' and n.oid = d.relnamespace and d.oid = i.indrelid and i.indexrelid = c.oid and c.relam = a.oid order by i.indisprimary desc, i.indisunique, n.nspname, c.relname

SELECT NOT attnotnull FROM pg_catalog.pg_attribute WHERE attrelid = 'main.orders'::regclass AND attnum = 9

SELECT t.typname, t.typtype, t.typelem, r.rngsubtype, t.typbasetype, n.nspname, t.typrelid FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid INNER JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid WHERE t.oid = 3904

SELECT relname,   attname,   format_type(atttypid, atttypmod),   attnotnull,   pg_get_expr(adbin, adrelid),   attgenerated,   collname,   collnsp.nspname FROM pg_class c   JOIN pg_namespace n ON     relnamespace = n.oid   LEFT JOIN pg_attribute a ON     attrelid = c.oid AND attnum > 0       AND NOT attisdropped   LEFT JOIN pg_attrdef ad ON     adrelid = c.oid AND adnum = attnum   LEFT JOIN pg_collation coll ON     coll.oid = attcollation   LEFT JOIN pg_namespace collnsp ON     collnsp.oid = collnamespace WHERE c.relkind IN ('r','v','f','m','p')   AND n.nspname = 'main' AND NOT c.relispartition ORDER BY c.relname, a.attnum

SELECT "column_name", "data_type", "udt_name", "column_default", "generation_expression", "is_nullable", "is_identity", "numeric_precision", "numeric_precision_radix", "numeric_scale", "character_maximum_length", "character_octet_length", "datetime_precision", "interval_type", "interval_precision", "domain_catalog", "domain_schema", "domain_name", "is_generated", "udt_name"::regtype FROM "information_schema"."columns" WHERE "table_schema" = 'main' AND "table_name" = 'orders'

SELECT pg_catalog.pg_attribute.attname AS name, pg_catalog.format_type(pg_catalog.pg_attribute.atttypid, pg_catalog.pg_attribute.atttypmod) AS format_type, (SELECT pg_catalog.pg_get_expr(pg_catalog.pg_attrdef.adbin, pg_catalog.pg_attrdef.adrelid) AS pg_get_expr_1
FROM pg_catalog.pg_attrdef
WHERE pg_catalog.pg_attrdef.adrelid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attrdef.adnum = pg_catalog.pg_attribute.attnum AND pg_catalog.pg_attribute.atthasdef) AS "default", pg_catalog.pg_attribute.attnotnull AS not_null, pg_catalog.pg_class.relname AS table_name, pg_catalog.pg_description.description AS comment, pg_catalog.pg_attribute.attgenerated AS generated, (SELECT json_build_object('always', pg_catalog.pg_attribute.attidentity = 'a', 'start', pg_catalog.pg_sequence.seqstart, 'increment', pg_catalog.pg_sequence.seqincrement, 'minvalue', pg_catalog.pg_sequence.seqmin, 'maxvalue', pg_catalog.pg_sequence.seqmax, 'cache', pg_catalog.pg_sequence.seqcache, 'cycle', pg_catalog.pg_sequence.seqcycle) AS json_build_object_1
FROM pg_catalog.pg_sequence
WHERE pg_catalog.pg_attribute.attidentity != '' AND pg_catalog.pg_sequence.seqrelid = CAST(CAST(pg_catalog.pg_get_serial_sequence(CAST(CAST(pg_catalog.pg_attribute.attrelid AS REGCLASS) AS TEXT), pg_catalog.pg_attribute.attname) AS REGCLASS) AS OID)) AS identity_options
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_attribute ON pg_catalog.pg_class.oid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attribute.attnum > 0 AND NOT pg_catalog.pg_attribute.attisdropped LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_description.objsubid = pg_catalog.pg_attribute.attnum JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('orders') ORDER BY pg_catalog.pg_class.relname, pg_catalog.pg_attribute.attnum

SELECT pg_catalog.pg_index.indrelid, cls_idx.relname AS relname_index, pg_catalog.pg_index.indisunique, pg_catalog.pg_constraint.conrelid IS NOT NULL AS has_constraint, pg_catalog.pg_index.indoption, cls_idx.reloptions, pg_catalog.pg_am.amname, CASE WHEN (pg_catalog.pg_index.indpred IS NOT NULL) THEN pg_catalog.pg_get_expr(pg_catalog.pg_index.indpred, pg_catalog.pg_index.indrelid) END AS filter_definition, pg_catalog.pg_index.indnkeyatts, pg_catalog.pg_index.indnullsnotdistinct, idx_cols.elements, idx_cols.elements_is_expr
FROM pg_catalog.pg_index JOIN pg_catalog.pg_class AS cls_idx ON pg_catalog.pg_index.indexrelid = cls_idx.oid JOIN pg_catalog.pg_am ON cls_idx.relam = pg_catalog.pg_am.oid LEFT OUTER JOIN (SELECT idx_attr.indexrelid AS indexrelid, min(idx_attr.indrelid) AS min_1, array_agg(idx_attr.element ORDER BY idx_attr.ord) AS elements, array_agg(idx_attr.is_expr ORDER BY idx_attr.ord) AS elements_is_expr
FROM (SELECT idx.indexrelid AS indexrelid, idx.indrelid AS indrelid, idx.ord AS ord, CASE WHEN (idx.attnum = 0) THEN pg_catalog.pg_get_indexdef(idx.indexrelid, idx.ord + 1, true) ELSE CAST(pg_catalog.pg_attribute.attname AS TEXT) END AS element, idx.attnum = 0 AS is_expr
FROM (SELECT pg_catalog.pg_index.indexrelid AS indexrelid, pg_catalog.pg_index.indrelid AS indrelid, unnest(pg_catalog.pg_index.indkey) AS attnum, generate_subscripts(pg_catalog.pg_index.indkey, 1) AS ord
FROM pg_catalog.pg_index
WHERE NOT pg_catalog.pg_index.indisprimary AND pg_catalog.pg_index.indrelid IN (1)) AS idx LEFT OUTER JOIN pg_catalog.pg_attribute ON pg_catalog.pg_attribute.attnum = idx.attnum AND pg_catalog.pg_attribute.attrelid = idx.indrelid
WHERE idx.indrelid IN (1)) AS idx_attr GROUP BY idx_attr.indexrelid) AS idx_cols ON pg_catalog.pg_index.indexrelid = idx_cols.indexrelid LEFT OUTER JOIN pg_catalog.pg_constraint ON pg_catalog.pg_index.indrelid = pg_catalog.pg_constraint.conrelid AND pg_catalog.pg_index.indexrelid = pg_catalog.pg_constraint.conindid AND pg_catalog.pg_constraint.contype = ANY (ARRAY['p', 'u', 'x'])
WHERE pg_catalog.pg_index.indrelid IN (1) AND NOT pg_catalog.pg_index.indisprimary ORDER BY pg_catalog.pg_index.indrelid, cls_idx.relname

SELECT
    t.typname AS name, t.oid AS oid, t.typarray AS array_oid,
    t.oid::regtype::text AS regtype,
    coalesce(a.fnames, '{}') AS field_names,
    coalesce(a.ftypes, '{}') AS field_types
FROM pg_type t
LEFT JOIN (
    SELECT
        attrelid,
        array_agg(attname) AS fnames,
        array_agg(atttypid) AS ftypes
    FROM (
        SELECT a.attrelid, a.attname, a.atttypid
        FROM pg_attribute a
        JOIN pg_type t ON t.typrelid = a.attrelid
        WHERE t.oid = 23
        AND a.attnum > 0
        AND NOT a.attisdropped
        ORDER BY a.attnum
    ) x
    GROUP BY attrelid
) a ON a.attrelid = t.typrelid
WHERE t.oid = 23

SELECT
    c.conname,
    array(
        SELECT attname
        FROM unnest(c.conkey) WITH ORDINALITY cols(colid, arridx)
        JOIN pg_attribute AS ca ON cols.colid = ca.attnum
        WHERE ca.attrelid = c.conrelid
        ORDER BY cols.arridx
    ),
    c.contype,
    (SELECT fkc.relname || '.' || fka.attname
    FROM pg_attribute AS fka
    JOIN pg_class AS fkc ON fka.attrelid = fkc.oid
    WHERE fka.attrelid = c.confrelid AND fka.attnum = c.confkey[1]),
    cl.reloptions
FROM pg_constraint AS c
JOIN pg_class AS cl ON c.conrelid = cl.oid
WHERE cl.relname = 'orders' AND pg_catalog.pg_table_is_visible(cl.oid)

SELECT
    indexname,
    array_agg(attname ORDER BY arridx),
    indisunique,
    indisprimary,
    array_agg(ordering ORDER BY arridx),
    amname,
    exprdef,
    s2.attoptions
FROM (
    SELECT
        c2.relname as indexname, idx.*, attr.attname, am.amname,
        CASE
            WHEN idx.indexprs IS NOT NULL THEN
                pg_get_indexdef(idx.indexrelid)
        END AS exprdef,
        CASE am.amname
            WHEN 'btree' THEN
                CASE (option & 1)
                    WHEN 1 THEN 'DESC' ELSE 'ASC'
                END
        END as ordering,
        c2.reloptions as attoptions
    FROM (
        SELECT *
        FROM
            pg_index i,
            unnest(i.indkey, i.indoption)
                WITH ORDINALITY koi(key, option, arridx)
    ) idx
    LEFT JOIN pg_class c ON idx.indrelid = c.oid
    LEFT JOIN pg_class c2 ON idx.indexrelid = c2.oid
    LEFT JOIN pg_am am ON c2.relam = am.oid
    LEFT JOIN
        pg_attribute attr ON attr.attrelid = c.oid AND attr.attnum = idx.key
    WHERE c.relname = 'customers' AND pg_catalog.pg_table_is_visible(c.oid)
) s2
GROUP BY indexname, indisunique, indisprimary, amname, exprdef, attoptions

SELECT distinct i.relname, d.indisunique, d.indkey, pg_get_indexdef(d.indexrelid),
       pg_catalog.obj_description(i.oid, 'pg_class') AS comment, d.indisvalid,
       ARRAY(
         SELECT pg_get_indexdef(d.indexrelid, k + 1, true)
         FROM generate_subscripts(d.indkey, 1) AS k
         ORDER BY k
       ) AS columns
FROM pg_class t
INNER JOIN pg_index d ON t.oid = d.indrelid
INNER JOIN pg_class i ON d.indexrelid = i.oid
LEFT JOIN pg_namespace n ON n.oid = t.relnamespace
WHERE i.relkind IN ('i', 'I')
  AND d.indisprimary = 't'
  AND t.relname = 'customers'
  AND n.nspname = ANY (current_schemas(false))
ORDER BY i.relname

SELECT "ns"."nspname" AS "table_schema", "t"."relname" AS "table_name", "cnst"."conname" AS "constraint_name", pg_get_constraintdef("cnst"."oid") AS "expression", CASE "cnst"."contype" WHEN 'p' THEN 'PRIMARY' WHEN 'u' THEN 'UNIQUE' WHEN 'c' THEN 'CHECK' WHEN 'x' THEN 'EXCLUDE' END AS "constraint_type", "a"."attname" AS "column_name" FROM "pg_constraint" "cnst" INNER JOIN "pg_class" "t" ON "t"."oid" = "cnst"."conrelid" INNER JOIN "pg_namespace" "ns" ON "ns"."oid" = "cnst"."connamespace" LEFT JOIN "pg_attribute" "a" ON "a"."attrelid" = "cnst"."conrelid" AND "a"."attnum" = ANY ("cnst"."conkey") WHERE "t"."relkind" IN ('r', 'p') AND (("ns"."nspname" = 'main' AND "t"."relname" = 'customers'))

WITH rawindex AS (
    SELECT
        indrelid,
        indexrelid,
        indisunique,
        indisprimary,
        unnest(indkey) AS indkeyid,
        generate_subscripts(indkey, 1) AS indkeyidx,
        unnest(indclass) AS indclass,
        unnest(indoption) AS indoption
    FROM pg_index
    WHERE
        indpred IS NULL
        AND NOT indisexclusion
)
SELECT
    schemainfo.nspname AS namespace,
    indexinfo.relname AS index_name,
    tableinfo.relname AS table_name,
    columninfo.attname AS column_name,
    rawindex.indisunique AS is_unique,
    rawindex.indisprimary AS is_primary_key,
    rawindex.indkeyidx AS column_index,
    opclass.opcname AS opclass,
    opclass.opcdefault AS opcdefault,
    indexaccess.amname AS index_algo,
    CASE rawindex.indoption & 1
        WHEN 1 THEN 'DESC'
        ELSE 'ASC' END
        AS column_order,
    CASE rawindex.indoption & 2
        WHEN 2 THEN true
        ELSE false END
        AS nulls_first,
    pc.condeferrable AS condeferrable,
    pc.condeferred AS condeferred
FROM
    rawindex
    INNER JOIN pg_class AS tableinfo ON tableinfo.oid = rawindex.indrelid
    INNER JOIN pg_class AS indexinfo ON indexinfo.oid = rawindex.indexrelid
    INNER JOIN pg_namespace AS schemainfo ON schemainfo.oid = tableinfo.relnamespace
    LEFT JOIN pg_attribute AS columninfo
        ON columninfo.attrelid = tableinfo.oid AND columninfo.attnum = rawindex.indkeyid
    INNER JOIN pg_am AS indexaccess ON indexaccess.oid = indexinfo.relam
    LEFT JOIN pg_opclass AS opclass
        ON opclass.oid = rawindex.indclass
    LEFT JOIN pg_constraint pc ON rawindex.indexrelid = pc.conindid AND pc.contype <> 'f'
WHERE schemainfo.nspname = ANY ( '{main}' )
ORDER BY namespace, table_name, index_name, column_index

SELECT
    con.oid         AS "con_id",
    att2.attname    AS "child_column",
    cl.relname      AS "parent_table",
    att.attname     AS "parent_column",
    con.confdeltype,
    con.confupdtype,
    rel_ns.nspname  AS "referenced_schema_name",
    conname         AS constraint_name,
    child,
    parent,
    table_name,
    namespace,
    condeferrable,
    condeferred
FROM (SELECT
            ns.nspname AS "namespace",
            unnest(con1.conkey)                AS "parent",
            unnest(con1.confkey)                AS "child",
            cl.relname                          AS table_name,
            ns.nspname                          AS schema_name,
            generate_subscripts(con1.conkey, 1) AS colidx,
            con1.oid,
            con1.confrelid,
            con1.conrelid,
            con1.conname,
            con1.confdeltype,
            con1.confupdtype,
            con1.condeferrable,
            con1.condeferred
    FROM pg_class cl
            join pg_constraint con1 on con1.conrelid = cl.oid
            join pg_namespace ns on cl.relnamespace = ns.oid
    WHERE
        ns.nspname = ANY ( '{main}' )
        and con1.contype = 'f'
    ORDER BY colidx
    ) con
    JOIN pg_attribute att on att.attrelid = con.confrelid and att.attnum = con.child
    JOIN pg_class cl on cl.oid = con.confrelid
    JOIN pg_attribute att2 on att2.attrelid = con.conrelid and att2.attnum = con.parent
    JOIN pg_class rel_cl on con.confrelid = rel_cl.oid
    JOIN pg_namespace rel_ns on rel_cl.relnamespace = rel_ns.oid
WHERE table_name = 'nosuch'
ORDER BY namespace, table_name, constraint_name, con_id, con.colidx

SELECT n.nspname AS table_schema, c.relname AS table_name, CASE WHEN c.relkind = 'r' THEN 'table' WHEN c.relkind = 'v' THEN 'view' WHEN c.relkind = 'm' THEN 'materialized_view' END AS type, c.relrowsecurity AS rls_enabled FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid::regnamespace = c.relnamespace::regnamespace WHERE c.relkind IN ('r', 'v', 'm') AND n.nspname = 'main'

select
  'shop' as database,
  tablename as name,
  schemaname as schema,
  'table' as type
from pg_tables
where schemaname ilike 'main'
union all
select
  'shop' as database,
  viewname as name,
  schemaname as schema,
  'view' as type
from pg_views
where schemaname ilike 'main'
union all
select
  'shop' as database,
  matviewname as name,
  schemaname as schema,
  'materialized_view' as type
from pg_matviews
where schemaname ilike 'main'

with relations as (
    select
    sch.nspname as table_schema,
    tbl.oid as table_oid,
    tbl.relname as table_name
    from pg_namespace sch join pg_class tbl on tbl.relnamespace = sch.oid where sch.nspname = 'main'
)
select
    'shop' as table_database,
    sch.nspname as table_schema,
    tbl.relname as table_name,
    case tbl.relkind
        when 'v' then 'VIEW'
        when 'm' then 'MATERIALIZED VIEW'
        else 'BASE TABLE'
    end as table_type,
    tbl_desc.description as table_comment,
    col.attname as column_name,
    col.attnum as column_index,
    pg_catalog.format_type(col.atttypid, col.atttypmod) as column_type,
    col_desc.description as column_comment,
    pg_get_userbyid(tbl.relowner) as table_owner
from pg_catalog.pg_namespace sch
join pg_catalog.pg_class tbl on tbl.relnamespace = sch.oid
join pg_catalog.pg_attribute col on col.attrelid = tbl.oid
left outer join pg_catalog.pg_description tbl_desc on (tbl_desc.objoid = tbl.oid and tbl_desc.objsubid = 0)
left outer join pg_catalog.pg_description col_desc on (col_desc.objoid = tbl.oid and col_desc.objsubid = col.attnum)
where (
    upper(sch.nspname) = upper('main')
  )
  and not pg_is_other_temp_schema(sch.oid)
  and tbl.relpersistence in ('p', 'u')
  and tbl.relkind in ('r', 'v', 'f', 'p', 'm')
  and col.attnum > 0
  and not col.attisdropped
order by
    sch.nspname,
    tbl.relname,
    col.attnum

with relation as (select pg_rewrite.ev_class as class, pg_rewrite.oid as id from pg_rewrite), class as (select oid as id, relname as name, relnamespace as schema, relkind as kind from pg_class), dependency as (select distinct pg_depend.objid as id, pg_depend.refobjid as ref from pg_depend), schema as (select pg_namespace.oid as id, pg_namespace.nspname as name from pg_namespace where nspname != 'information_schema' and nspname not like 'pg\_%'), referenced as (select relation.id AS id, referenced_class.name, referenced_class.schema, referenced_class.kind from relation join class as referenced_class on relation.class=referenced_class.id where referenced_class.kind in ('r', 'v', 'm')), relationships as (select referenced.name as referenced_name, referenced.schema as referenced_schema_id, dependent_class.name as dependent_name, dependent_class.schema as dependent_schema_id, referenced.kind as kind from referenced join dependency on referenced.id=dependency.id join class as dependent_class on dependency.ref=dependent_class.id where (referenced.name != dependent_class.name or referenced.schema != dependent_class.schema)) select referenced_schema.name as referenced_schema, relationships.referenced_name as referenced_name, dependent_schema.name as dependent_schema, relationships.dependent_name as dependent_name from relationships join schema as dependent_schema on relationships.dependent_schema_id=dependent_schema.id join schema as referenced_schema on relationships.referenced_schema_id=referenced_schema.id group by referenced_schema, referenced_name, dependent_schema, dependent_name order by referenced_schema, referenced_name, dependent_schema, dependent_name

SELECT quote_ident(table_name) as "table" FROM information_schema.tables WHERE quote_ident(table_schema) NOT IN ('information_schema','pg_catalog','_timescaledb_cache','_timescaledb_catalog','_timescaledb_internal','_timescaledb_config','timescaledb_information','timescaledb_experimental', 'dpsql') AND table_type = 'BASE TABLE' AND quote_ident(table_schema) IN (SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END FROM generate_series(array_lower(string_to_array(current_setting('search_path'),','),1), array_upper(string_to_array(current_setting('search_path'),','),1)) as i, string_to_array(current_setting('search_path'),',') s)

SELECT "n"."nspname" AS "schema", "c"."relname" AS "name", CASE "c"."relkind" WHEN 'r' THEN 'TABLE' WHEN 'p' THEN 'PARTITIONED TABLE' WHEN 'v' THEN 'VIEW' WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE NULL END AS "type", "d"."description" AS "description", NULLIF("stat"."n_live_tup", 0) AS "estimated_row_count" FROM "pg_catalog"."pg_class" AS "c" INNER JOIN "pg_catalog"."pg_namespace" AS "n" ON "c"."relnamespace" = "n"."oid" LEFT JOIN "pg_catalog"."pg_description" AS "d" ON ("c"."oid" = "d"."objoid") AND ("d"."objsubid" = 0) AND ("d"."classoid" = 'pg_class'::regclass) LEFT JOIN "pg_stat_user_tables" AS "stat" ON ("n"."nspname" = "stat"."schemaname") AND ("c"."relname" = "stat"."relname") WHERE ("c"."relnamespace" = "n"."oid") AND ("n"."nspname" !~ '^pg_') AND ("n"."nspname" <> 'information_schema') AND c.relkind in ('r', 'p', 'v', 'f', 'm') AND ("n"."nspname" IN ('main')) ORDER BY "type" ASC, "schema" ASC, "name" ASC

SELECT "c"."column_name" AS "name", "c"."udt_name" AS "database-type", "c"."ordinal_position" - 1 AS "database-position", "c"."table_schema" AS "table-schema", "c"."table_name" AS "table-name", "pk"."column_name" IS NOT NULL AS "pk?", COL_DESCRIPTION(CAST(CAST(FORMAT('%I.%I', CAST("c"."table_schema" AS TEXT), CAST("c"."table_name" AS TEXT)) AS REGCLASS) AS OID), "c"."ordinal_position") AS "field-comment", (("column_default" IS NULL) OR (LOWER("column_default") = 'null')) AND ("is_nullable" = 'NO') AND NOT ((("column_default" IS NOT NULL) AND ("column_default" LIKE '%nextval(%')) OR ("is_identity" <> 'NO')) AS "database-required", (("column_default" IS NOT NULL) AND ("column_default" LIKE '%nextval(%')) OR ("is_identity" <> 'NO') AS "database-is-auto-increment" FROM "information_schema"."columns" AS "c" LEFT JOIN (SELECT "tc"."table_schema", "tc"."table_name", "kc"."column_name" FROM "information_schema"."table_constraints" AS "tc" INNER JOIN "information_schema"."key_column_usage" AS "kc" ON ("tc"."constraint_name" = "kc"."constraint_name") AND ("tc"."table_schema" = "kc"."table_schema") AND ("tc"."table_name" = "kc"."table_name") WHERE "tc"."constraint_type" = 'PRIMARY KEY') AS "pk" ON ("c"."table_schema" = "pk"."table_schema") AND ("c"."table_name" = "pk"."table_name") AND ("c"."column_name" = "pk"."column_name") WHERE c.table_schema !~ '^information_schema|catalog_history|pg_' AND ("c"."table_schema" IN ('main')) AND "c"."table_name" = 'products'

SELECT "fk_ns"."nspname" AS "fk-table-schema", "fk_table"."relname" AS "fk-table-name", "fk_column"."attname" AS "fk-column-name", "pk_ns"."nspname" AS "pk-table-schema", "pk_table"."relname" AS "pk-table-name", "pk_column"."attname" AS "pk-column-name" FROM "pg_constraint" AS "c" INNER JOIN "pg_class" AS "fk_table" ON "c"."conrelid" = "fk_table"."oid" INNER JOIN "pg_namespace" AS "fk_ns" ON "c"."connamespace" = "fk_ns"."oid" INNER JOIN "pg_attribute" AS "fk_column" ON "c"."conrelid" = "fk_column"."attrelid" INNER JOIN "pg_class" AS "pk_table" ON "c"."confrelid" = "pk_table"."oid" INNER JOIN "pg_namespace" AS "pk_ns" ON "pk_table"."relnamespace" = "pk_ns"."oid" INNER JOIN "pg_attribute" AS "pk_column" ON "c"."confrelid" = "pk_column"."attrelid" WHERE fk_ns.nspname !~ '^information_schema|catalog_history|pg_' AND ("c"."contype" = 'f'::char) AND ("fk_column"."attnum" = ANY(c.conkey)) AND ("pk_column"."attnum" = ANY(c.confkey)) AND ("fk_ns"."nspname" IN ('main')) ORDER BY "fk-table-schema", "fk-table-name"

SELECT q.table_schema::text, q.table_name::text, q.constraint_name::text, min(q.ref_table_table_schema::text) as ref_table_table_schema, min(q.ref_table::text) as ref_table FROM (SELECT ctn.nspname AS table_schema, ct.relname AS table_name, r.conrelid as table_id, r.conname as constraint_name, cftn.nspname AS ref_table_table_schema, cft.relname as ref_table, r.confrelid as ref_table_id, r.confupdtype, r.confdeltype, unnest(r.conkey) AS column_id, unnest(r.confkey) AS ref_column_id FROM pg_catalog.pg_constraint r JOIN pg_catalog.pg_class ct ON r.conrelid = ct.oid JOIN pg_catalog.pg_namespace ctn ON ct.relnamespace = ctn.oid JOIN pg_catalog.pg_class cft ON r.confrelid = cft.oid JOIN pg_catalog.pg_namespace cftn ON cft.relnamespace = cftn.oid WHERE r.contype = 'f'::"char") q JOIN pg_catalog.pg_attribute ac ON q.column_id = ac.attnum AND q.table_id = ac.attrelid JOIN pg_catalog.pg_attribute afc ON q.ref_column_id = afc.attnum AND q.ref_table_id = afc.attrelid GROUP BY q.table_schema, q.table_name, q.constraint_name

with
      columns as (
          SELECT
              nc.nspname::name AS table_schema,
              c.relname::name AS table_name,
              a.attname::name AS column_name,
              d.description AS description,
              CASE
                  WHEN t.typbasetype  != 0  THEN pg_get_expr(t.typdefaultbin, 0)
                  WHEN a.attidentity  = 'd' THEN format('nextval(%s)', quote_literal(seqsch.nspname || '.' || seqclass.relname))
                  WHEN a.attgenerated = 's' THEN null
                  ELSE pg_get_expr(ad.adbin, ad.adrelid)::text
              END AS column_default,
              not (a.attnotnull OR t.typtype = 'd' AND t.typnotnull) AS is_nullable,
              CASE
                  WHEN t.typtype = 'd' THEN
                  CASE
                      WHEN nbt.nspname = 'pg_catalog'::name THEN format_type(t.typbasetype, NULL::integer)
                      ELSE format_type(a.atttypid, a.atttypmod)
                  END
                  ELSE
                  CASE
                      WHEN nt.nspname = 'pg_catalog'::name THEN format_type(a.atttypid, NULL::integer)
                      ELSE format_type(a.atttypid, a.atttypmod)
                  END
              END::text AS data_type,
              information_schema._pg_char_max_length(
                  information_schema._pg_truetypid(a.*, t.*),
                  information_schema._pg_truetypmod(a.*, t.*)
              )::integer AS character_maximum_length,
              coalesce(bt.oid, t.oid) AS base_type,
              a.attnum::integer AS position
          FROM pg_attribute a
              LEFT JOIN pg_description AS d
                  ON d.objoid = a.attrelid and d.objsubid = a.attnum
              LEFT JOIN pg_attrdef ad
                  ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
              JOIN (pg_class c JOIN pg_namespace nc ON c.relnamespace = nc.oid)
                  ON a.attrelid = c.oid
              JOIN (pg_type t JOIN pg_namespace nt ON t.typnamespace = nt.oid)
                  ON a.atttypid = t.oid
              LEFT JOIN (pg_type bt JOIN pg_namespace nbt ON bt.typnamespace = nbt.oid)
                  ON t.typtype = 'd' AND t.typbasetype = bt.oid
              LEFT JOIN (pg_collation co JOIN pg_namespace nco ON co.collnamespace = nco.oid)
                  ON a.attcollation = co.oid AND (nco.nspname <> 'pg_catalog'::name OR co.collname <> 'default'::name)
              LEFT JOIN pg_depend dep
                  ON dep.refobjid = a.attrelid and dep.refobjsubid = a.attnum and dep.deptype = 'i'
              LEFT JOIN pg_class seqclass
                  ON seqclass.oid = dep.objid
              LEFT JOIN pg_namespace seqsch
                  ON seqsch.oid = seqclass.relnamespace
          WHERE
              NOT pg_is_other_temp_schema(nc.oid)
              AND a.attnum > 0
              AND NOT a.attisdropped
              AND c.relkind in ('r', 'v', 'f', 'm', 'p')
              AND nc.nspname = ANY('{main}')
      )
select table_schema, table_name, column_name, column_default, is_nullable, data_type, character_maximum_length, base_type, position from columns

SELECT DISTINCT att.attname as name, att.attnum as OID, pg_catalog.format_type(ty.oid,NULL) AS datatype, pg_catalog.format_type(ty.oid,att.atttypmod) AS displaytypname, att.attnotnull as not_null, CASE WHEN att.atthasdef OR att.attidentity != '' OR ty.typdefault IS NOT NULL THEN True ELSE False END as has_default_val, des.description, seq.seqtypid FROM pg_catalog.pg_attribute att JOIN pg_catalog.pg_type ty ON ty.oid=atttypid JOIN pg_catalog.pg_namespace tn ON tn.oid=ty.typnamespace JOIN pg_catalog.pg_class cl ON cl.oid=att.attrelid JOIN pg_catalog.pg_namespace na ON na.oid=cl.relnamespace LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=ty.typelem LEFT OUTER JOIN pg_catalog.pg_attrdef def ON adrelid=att.attrelid AND adnum=att.attnum LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid=att.attrelid AND des.objsubid=att.attnum AND des.classoid='pg_class'::regclass) LEFT OUTER JOIN (pg_catalog.pg_depend JOIN pg_catalog.pg_class cs ON classid='pg_class'::regclass AND objid=cs.oid AND cs.relkind='S') ON refobjid=att.attrelid AND refobjsubid=att.attnum LEFT OUTER JOIN pg_catalog.pg_namespace ns ON ns.oid=cs.relnamespace LEFT OUTER JOIN pg_catalog.pg_index pi ON pi.indrelid=att.attrelid AND indisprimary LEFT JOIN pg_catalog.pg_sequence seq ON cs.oid=seq.seqrelid WHERE att.attrelid = 'main.orders'::regclass AND att.attnum > 0 AND att.attisdropped IS FALSE ORDER BY att.attnum

with T as ( select T.oid as table_id, T.relname as table_name from pg_catalog.pg_class T where T.relnamespace = (select oid from pg_namespace where nspname = 'main')::oid and T.relkind in ('r', 'm', 'v', 'f', 'p') ) select T.table_name, C.attnum as column_position, C.attname as column_name, C.atttypmod as type_mod, C.attndims as dimensions_number, pg_catalog.format_type(C.atttypid, C.atttypmod) as type_spec, C.atttypid as type_id, C.attnotnull as mandatory, pg_catalog.pg_get_expr(D.adbin, T.table_id, true) as column_default_expression, not C.attislocal as column_is_inherited, C.attfdwoptions as options, C.attisdropped as column_is_dropped, C.attidentity as identity_kind, C.attgenerated as generated from T join pg_catalog.pg_attribute C on T.table_id = C.attrelid left outer join pg_catalog.pg_attrdef D on (C.attrelid, C.attnum) = (D.adrelid, D.adnum) where attnum > 0 order by table_id, attnum

select tab.relname as table_name, tab.relkind as table_kind, ind_stor.relname as index_name, ind_head.indexrelid IS NULL as index_id, ind_head.indisunique as is_unique, ind_head.indisprimary as is_primary, ind_head.indnullsnotdistinct as nulls_not_distinct, pg_catalog.pg_get_expr(ind_head.indpred, ind_head.indrelid) as condition, (select pg_catalog.array_agg(inhparent::bigint order by inhseqno)::varchar from pg_catalog.pg_inherits where ind_stor.oid = inhrelid) as ancestors, ind_stor.reltablespace tablespace_id, opcmethod as access_method_id from pg_catalog.pg_class tab join pg_catalog.pg_index ind_head on ind_head.indrelid = tab.oid join pg_catalog.pg_class ind_stor on tab.relnamespace = ind_stor.relnamespace and ind_stor.oid = ind_head.indexrelid left join pg_catalog.pg_opclass on pg_opclass.oid = ANY(indclass) where tab.relnamespace = (select oid from pg_namespace where nspname = 'main')::oid and tab.relkind in ('r','m','v','p') and ind_stor.relkind in ('i', 'I')

SELECT pg_namespace.oid IS NULL AS namespace_id, relname, relpages IS NULL, attname, pg_type.typname type_name, atttypmod type_modifier, pg_attribute.attndims ndim, attnum, pg_attribute.attnotnull AS notnull, NULL constraint_id, NULL constraint_type, NULL constraint_key FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid JOIN pg_attribute ON pg_class.oid=pg_attribute.attrelid JOIN pg_type ON atttypid=pg_type.oid WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'f', 'p') AND nspname = 'main' UNION ALL SELECT pg_namespace.oid IS NULL AS namespace_id, relname, NULL relpages, NULL attname, NULL type_name, NULL type_modifier, NULL ndim, NULL attnum, NULL AS notnull, pg_constraint.oid IS NULL AS constraint_id, contype AS constraint_type, conkey AS constraint_key FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid JOIN pg_constraint ON (pg_class.oid=pg_constraint.conrelid) WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND contype IN ('p', 'u') AND nspname = 'main'

SELECT t.oid, t.typname, t.typsend, t.typreceive, t.typoutput, t.typinput, coalesce(d.typelem, t.typelem), coalesce(r.rngsubtype, 0), ARRAY ( SELECT a.atttypid FROM pg_attribute AS a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum ) FROM pg_type AS t LEFT JOIN pg_type AS d ON t.typbasetype = d.oid LEFT JOIN pg_range AS r ON r.rngtypid = t.oid OR r.rngmultitypid = t.oid OR (t.typbasetype <> 0 AND r.rngtypid = t.typbasetype) WHERE (t.typrelid = 0) AND (t.typelem = 0 OR NOT EXISTS (SELECT 1 FROM pg_catalog.pg_type s WHERE s.typrelid != 0 AND s.oid = t.typelem)) AND t.typname IN ('int4', 'text', 'int4range', '_int4')

select "a"."attname" as "column", "a"."attnotnull" as "not_null", "a"."atthasdef" as "has_default", "c"."relname" as "table", "c"."relkind" as "table_type", "ns"."nspname" as "schema", "typ"."typname" as "type", "dtns"."nspname" as "type_schema", col_description(a.attrelid, a.attnum) as column_description, pg_get_serial_sequence(quote_ident(ns.nspname) || '.' || quote_ident(c.relname), a.attname) as auto_incrementing from "pg_catalog"."pg_attribute" as "a" inner join "pg_catalog"."pg_class" as "c" on "a"."attrelid" = "c"."oid" inner join "pg_catalog"."pg_namespace" as "ns" on "c"."relnamespace" = "ns"."oid" inner join "pg_catalog"."pg_type" as "typ" on "a"."atttypid" = "typ"."oid" inner join "pg_catalog"."pg_namespace" as "dtns" on "typ"."typnamespace" = "dtns"."oid" where "c"."relkind" in ('r', 'v', 'p') and "ns"."nspname" !~ '^pg_' and "ns"."nspname" not in ('information_schema', 'dpsql') and has_schema_privilege(ns.nspname, 'USAGE') and "a"."attnum" >= 0 and "a"."attisdropped" != true order by "ns"."nspname", "c"."relname", "a"."attnum"

select ic.relname as name, string_agg(a.attname, ',' order by indseq.ord) as columns, am.amname as "type", i.indisunique as "unique", i.indisprimary as "primary" from pg_index i join pg_class tc on tc.oid = i.indrelid join pg_namespace tn on tn.oid = tc.relnamespace join pg_class ic on ic.oid = i.indexrelid join pg_am am on am.oid = ic.relam join lateral unnest(i.indkey) with ordinality as indseq(num, ord) on true left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = indseq.num where tc.relname = 'customers' and tn.nspname = 'main' group by ic.relname, am.amname, i.indisunique, i.indisprimary

select c.conname as name, string_agg(la.attname, ',' order by conseq.ord) as columns, fn.nspname as foreign_schema, fc.relname as foreign_table, string_agg(fa.attname, ',' order by conseq.ord) as foreign_columns, c.confupdtype as on_update, c.confdeltype as on_delete from pg_constraint c join pg_class tc on c.conrelid = tc.oid join pg_namespace tn on tn.oid = tc.relnamespace join pg_class fc on c.confrelid = fc.oid join pg_namespace fn on fn.oid = fc.relnamespace join lateral unnest(c.conkey) with ordinality as conseq(num, ord) on true join pg_attribute la on la.attrelid = c.conrelid and la.attnum = conseq.num join pg_attribute fa on fa.attrelid = c.confrelid and fa.attnum = c.confkey[conseq.ord] where c.contype = 'f' and tc.relname = 'orders' and tn.nspname = 'main' group by c.conname, fn.nspname, fc.relname, c.confupdtype, c.confdeltype

SELECT a.attnum, quote_ident(a.attname) AS field, t.typname AS type, format_type(a.atttypid, a.atttypmod) AS complete_type, (SELECT tc.collcollate FROM pg_catalog.pg_collation tc WHERE tc.oid = a.attcollation) AS collation, (SELECT t1.typname FROM pg_catalog.pg_type t1 WHERE t1.oid = t.typbasetype) AS domain_type, a.attnotnull AS isnotnull, a.attidentity, (SELECT 't' FROM pg_index WHERE c.oid = pg_index.indrelid AND pg_index.indkey[0] = a.attnum AND pg_index.indisprimary = 't') AS pri, (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE c.oid = pg_attrdef.adrelid AND pg_attrdef.adnum=a.attnum) AS default, (SELECT pg_description.description FROM pg_description WHERE pg_description.objoid = c.oid AND a.attnum = pg_description.objsubid) AS comment FROM pg_attribute a, pg_class c, pg_type t, pg_namespace n WHERE n.nspname = 'main' AND c.relname = 'customers' AND a.attnum > 0 AND a.attrelid = c.oid AND a.atttypid = t.oid AND n.oid = c.relnamespace ORDER BY a.attnum

SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE ALL (ARRAY['pg\_%', 'information\_%']) AND nspname <> 'public' AND nspname <> 'dpsql'

SELECT relname FROM pg_class WHERE relname LIKE ANY (ARRAY['ord%', 'prod%']) AND relkind = 'r'

SELECT relname FROM pg_class WHERE relname ILIKE ANY ('{ORD%,prod%}') AND relkind = 'r'

SELECT 1 FROM (SELECT 1 AS a) spark_gen WHERE 1=0

SELECT 1 AS "number" FROM (SELECT 1 AS one) t LIMIT 1

SELECT table_schema, table_name, column_name, data_type, CASE WHEN data_type = 'character varying' THEN 1 ELSE 0 END AS is_string FROM information_schema.columns WHERE table_schema = 'main' ORDER BY table_name, ordinal_position

SELECT trim(leading ' ' from relname::text), trim(trailing from relname::text), trim(both 'o' from relname::text), trim(relname::text), ltrim(relname::text) FROM pg_class WHERE relname = 'orders'

SELECT conrelid = 'main.orders'::pg_catalog.regclass AS sametable,
       conname,
       pg_catalog.pg_get_constraintdef(oid, true) AS condef,
       conrelid::pg_catalog.regclass AS ontable
  FROM pg_catalog.pg_constraint,
       pg_catalog.pg_partition_ancestors('main.orders') WITH ORDINALITY AS x(relid, depth)
 WHERE conrelid = relid AND contype = 'f' AND conparentid = 0
ORDER BY depth DESC, conname

select count(*) from pg_catalog.pg_get_keywords() where word <> ALL ('{a,null,b}'::text[])

select count(*) from pg_class where relname = ANY ('{orders,NULL,"null"}'::text[])

SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE ALL (ARRAY['pg\_%', 'information\_%']) AND nspname <> 'public' AND nspname <> 'dpsql'

SELECT relname FROM pg_class WHERE relname LIKE ANY (ARRAY['ord%', 'prod%']) AND relkind = 'r'

SELECT relname FROM pg_class WHERE relname ILIKE ANY ('{ORD%,prod%}') AND relkind = 'r'

SELECT relname FROM pg_class WHERE relname ~ ANY (ARRAY['^ord', '^prod']) AND relkind = 'r'

SELECT attname FROM pg_attribute WHERE attnum > ALL ('{3,2}'::int[]) AND attrelid = 'main.orders'::regclass

SELECT attname, attnum < ANY (ARRAY[3, 2]), attnum <> ANY (ARRAY[1,2]), attnum = ALL (ARRAY[1,1]) FROM pg_attribute WHERE attrelid = 'main.orders'::regclass and attnum > 0

SELECT relname LIKE ANY (ARRAY['ord%', NULL]), relname LIKE ALL (ARRAY['ord%', NULL]), relname LIKE ANY ('{}'), relname LIKE ALL ('{}') FROM pg_class WHERE relkind = 'r' AND relnamespace = 'main'::regnamespace

SELECT 1 FROM (SELECT 1 AS a) spark_gen WHERE 1=0

SELECT 1 AS "number", x.* FROM (VALUES (1, 'a'), (2, 'b')) AS x(n, t)

SELECT s.n, 7 / 2 AS h FROM generate_series(1, 3) AS s(n)

SELECT a.x FROM (SELECT 1 AS x) a JOIN (SELECT 1 AS x) b ON a.x = b.x

SELECT orders.relname AS orders, count(*) FROM pg_class AS orders WHERE relnamespace = 'main'::regnamespace AND relkind = 'r' GROUP BY orders ORDER BY orders

select i.relname, am.amname, opc.opcname, opc.opcintype::regtype from pg_index ix join pg_class i on i.oid = ix.indexrelid join pg_opclass opc on opc.oid = ix.indclass[0] join pg_am am on am.oid = opc.opcmethod where ix.indrelid = 'main.customers'::regclass

select indclass, indcollation, indoption from pg_index ix where ix.indrelid = 'main.customers'::regclass

select opcname, opcfamily, opcintype, opckeytype, opcdefault from pg_opclass o where o.oid in (3124, 3126, 1978)

SELECT * FROM (SELECT oid AS r, relname, relnamespace AS n FROM pg_class WHERE relkind = 'r' AND relnamespace = 0) t
  NATURAL JOIN (SELECT oid AS n, nspname FROM pg_namespace) x

SELECT *, 1 AS one FROM (SELECT 1 AS a, 2 AS b) t LEFT JOIN (SELECT 2 AS b, 3 AS c) u USING (b) JOIN (SELECT 2 AS b, 4 AS d) v USING (b)

SELECT relname FROM pg_class WHERE oid <> ALL ('{main.orders}'::regclass[]) AND relnamespace = 'main'::regnamespace AND relkind = 'r'

SELECT a.attname, CASE a.atttypid WHEN 'int8'::regtype THEN 'big' ELSE 'other' END FROM pg_attribute a
WHERE a.attrelid = 'orders'::regclass AND a.attnum > 0 AND a.atttypid = ANY ('{int,int8,text}'::regtype[])

SELECT coalesce(p.k, '[]') AS k, c.relname FROM pg_class c LEFT JOIN (SELECT x.oid AS i, jsonb_agg(x.*) AS k FROM pg_namespace x
  WHERE false GROUP BY 1) p ON p.i = c.oid WHERE c.relname = 'orders'

SELECT coalesce(json_agg(t ORDER BY t.relname), '[]'::json)::text, to_json(array_agg(t)) FROM (SELECT relname FROM pg_class WHERE relname = 'nosuch') t

SELECT to_json(array_agg(t)) AS rows, json_build_array(min(relname)) FROM (SELECT relname FROM pg_class WHERE relname = 'orders') t

SELECT bit_and(relnatts), bit_or(relnatts) FROM pg_class WHERE relname IN ('orders', 'customers')

SELECT has_table_privilege('main.orders', 'SELECT, INSERT'), has_table_privilege('main.orders', 'INSERT, DELETE'),
  has_any_column_privilege('main.orders', 'INSERT,SELECT'), has_table_privilege('main.orders', NULL)

SELECT current_schemas(true)::text, string_to_array('a,b', ',')::varchar, array(SELECT relname FROM pg_class WHERE relname = 'orders')::text

SELECT (regexp_match('PostgreSQL 16.1', '(\d+)\.(\d+)'))[2], regexp_match('abc', 'b'), regexp_match('abc', 'x'),
  substring('a16b' from '[0-9]+'), substring('a16b' from 'a([0-9])'), substring('abc' from 'x'), substring('abc' from 2 for 1)

SELECT lower('A'), length('abc'), substring('abc' from 2 for 1), trim(' a '), 1 IS DISTINCT FROM 2

SELECT CASE WHEN relkind = 'r' THEN'table' ELSE'other' END FROM pg_class WHERE relname = 'orders' AND relname LIKE'ord%'

SELECT set_config('bytea_output', 'hex', false) FROM pg_show_all_settings() WHERE name = 'bytea_output'

SELECT s.name, c.cursor_holder, l.pid FROM pg_timezone_names() s, (SELECT count(*) AS cursor_holder FROM pg_cursor()) c, pg_lock_status() l WHERE l.pid = -1

SELECT * FROM pg_listening_channels()

SELECT pg_blocking_pids(0), array_length(pg_safe_snapshot_blocking_pids(0), 1), pg_trigger_depth(), pg_notification_queue_usage(),
  txid_current_if_assigned(), pg_stat_clear_snapshot()

SELECT pg_stat_get_live_tuples(c.oid), pg_stat_get_last_vacuum_time(c.oid), pg_stat_get_db_xact_commit(0), pg_current_wal_insert_lsn(),
  pg_wal_lsn_diff(NULL, NULL), pg_current_snapshot() FROM pg_class c WHERE false

SELECT name, setting FROM pg_settings WHERE name IN ('work_mem', 'enable_seqscan', 'random_page_cost', 'plan_cache_mode') AND name <> 'work_mem'


SELECT t.* FROM pg_type t, pg_type e WHERE t.oid = 23 AND e.oid = t.oid

SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name
FROM pg_catalog.pg_type t
LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem
LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid
WHERE t.typname IS NOT NULL AND t.oid IN (16, 25)
AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR et.typcategory <> 'C')

SELECT c.column_name, c.data_type, pgd.description FROM pg_catalog.pg_statio_all_tables AS st
  INNER JOIN pg_catalog.pg_description AS pgd ON (pgd.objoid = st.relid)
  INNER JOIN information_schema.columns AS c ON (pgd.objsubid = c.ordinal_position AND c.table_schema = st.schemaname AND c.table_name = st.relname)
WHERE c.table_schema = 'main' AND st.relid IN (SELECT relid FROM pg_statio_user_tables)

SELECT quote_ident('default'), quote_ident('name'), quote_ident('a$b'), format('%I.%I', 'order', 'x'), quote_ident('left')

SELECT conname, conpfeqop, conppeqop, conffeqop FROM pg_constraint WHERE contype = 'f' AND conrelid = 'main.orders'::regclass

SELECT r.rolpassword, u.passwd FROM pg_roles AS r JOIN pg_user AS u ON u.usename = r.rolname WHERE r.rolname = 'tool'

SELECT ARRAY(SELECT m.mapdict::pg_catalog.regdictionary FROM pg_catalog.pg_ts_config_map AS m WHERE m.mapcfg = 0)::text

SELECT regclass('"main"."orders"'), regtype('int4')::text, '"shop"."main"."orders"'::regclass::text FROM pg_class
  WHERE oid = regclass('main.orders')

SELECT t.oid, pg_catalog.encode(t.tgargs, 'escape') AS function_args FROM pg_catalog.pg_trigger AS t
  WHERE t.tgrelid = 'main.products'::regclass

SELECT name, setting, unit, category, short_desc, extra_desc, context, vartype, min_val, max_val, enumvals FROM pg_settings
  WHERE name IN ('jit', 'client_min_messages', 'work_mem', 'temp_buffers', 'max_index_keys', 'statement_timeout', 'array_nulls')

SELECT name, context, vartype, enumvals FROM pg_show_all_settings() WHERE context = 'user' AND name LIKE 'enable%'

SELECT t.typname, t.typtype, t.typinput, t.typsend, t.typbasetype, t.typtypmod, t.typdefault, t.typcollation, e.typname AS of,
  format_type(t.oid, NULL), format_type(t.typbasetype, t.typtypmod), pg_type_is_visible(t.oid)
  FROM pg_type AS t LEFT JOIN pg_type AS e ON e.oid = t.typelem
  WHERE t.typname ~ '^_?(cardinal_number|character_data|sql_identifier|time_stamp|yes_or_no)$'

SELECT pg_type_is_visible('orders'::regtype), pg_type_is_visible(23), pg_type_is_visible(NULL), format_type(1114, 3),
  format_type(1083, 0), format_type(1184, -1)

SELECT c.conname, a.attname, c.conkey @> ARRAY[a.attnum] AS one, ARRAY[a.attnum] <@ c.conkey AS other, c.conkey && ARRAY[a.attnum, NULL] AS any,
  c.conkey @> ARRAY[a.attnum, NULL] AS none, NULL::int2[] @> ARRAY[a.attnum] AS unknown, c.conkey @> '{}'::int2[] AS every
FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum > 0 WHERE c.connamespace = 'main'::regnamespace

SELECT round(extract(epoch FROM pg_postmaster_start_time() AT TIME ZONE 'UTC')) > 0 AS n, pg_typeof(extract(epoch FROM now())),
  pg_typeof(date_part('epoch', now())), pg_typeof(round(extract(epoch FROM now()))), pg_typeof(round(date_part('epoch', now())))
FROM pg_stat_replication

SELECT extract(epoch FROM query_start), date_part('epoch', query_start), round(extract(epoch FROM query_start)),
  floor(extract(epoch FROM now() - query_start)), ceil(date_part('epoch', query_start)) FROM pg_stat_replication r, pg_stat_activity

SELECT CASE WHEN a.aggtransfn = '-'::regproc THEN NULL ELSE a.aggtransfn END AS state_func, a.aggfinalfn FROM pg_aggregate a WHERE false

SELECT CASE WHEN t.typinput = 'int4in'::regproc THEN t.typoutput ELSE t.typinput END AS f FROM pg_type t WHERE t.typname IN ('int4', 'text')

SELECT a.attname AS colname FROM (SELECT i.indnkeyatts, i.indrelid, unnest(indkey) AS table_colnum,
    unnest(ARRAY(SELECT generate_series(1, i.indnatts) AS n)) attnum FROM pg_index i WHERE i.indrelid = 'main.customers'::regclass) i
  JOIN pg_attribute a ON (a.attrelid = i.indrelid AND i.table_colnum = a.attnum) WHERE i.attnum > i.indnkeyatts - 1 ORDER BY i.attnum

SELECT t.tgname, (string_to_array(encode(tgargs, 'escape'), E'\\000')::text[])[1:tgnargs] AS arguments, i.indnatts,
  (string_to_array('a,b,c', ','))[1:i.indnatts] FROM pg_index i LEFT JOIN pg_trigger t ON t.tgrelid = 0 WHERE i.indrelid = 'customers'::regclass

SELECT oidvectortypes('23 25'::oidvector), oidvectortypes(''::oidvector),
  array_to_string(ARRAY(SELECT indclass[s.i] FROM generate_series(0, array_upper(indclass, 1)) s(i)), ','),
  CASE WHEN indnatts > 5 THEN '' ELSE array_to_string(ARRAY(SELECT indkey[s.i] FROM generate_series(0, array_upper(indkey, 1)) s(i)), ',') END
FROM pg_index i WHERE i.indrelid = 'customers'::regclass

SELECT c.relname FROM pg_class c WHERE c.relkind = 'r'::bpchar AND bpchar(c.relkind) = 'r'::bpchar AND c.relnamespace = 'main'::regnamespace

SELECT regexp_split_to_table('a1b22c', '[0-9]+'), string_to_table('x,y,z', ',')

SELECT w, count(*) FROM regexp_split_to_table('a b a', ' ') AS w, string_to_table('x', ',') AS t(u) GROUP BY w

SELECT ft.ftrelid AS table_id, srv.srvname AS table_server FROM pg_catalog.pg_foreign_table ft
  LEFT OUTER JOIN pg_catalog.pg_foreign_server srv ON ft.ftserver = srv.oid JOIN pg_catalog.pg_class cls ON ft.ftrelid = cls.oid
WHERE cls.relnamespace = 2200::oid AND pg_catalog.age(ft.xmin) <= coalesce(nullif(greatest(pg_catalog.age('1'::varchar::xid), -1), -1), 2147483647)

SELECT T.relname FROM pg_class T JOIN pg_attribute A ON A.attrelid = T.oid AND A.attname = 'region'
WHERE pg_catalog.age(A.xmin) <= 2147483647 AND pg_catalog.age(T.xmin) <= coalesce(nullif(greatest(pg_catalog.age('3'::varchar::xid), -1), -1), 2147483647)
  AND pg_catalog.age(T.relfrozenxid) <= 2147483647

SELECT array_to_json(array_agg(row_to_json(t))), avg(length(relname)) > 0 AS many FROM (SELECT relname FROM pg_class WHERE relname = 'orders') t

SELECT pg_typeof(mod(relnatts, 2)), pg_typeof(power(relnatts, 2)), pg_typeof(relnatts * 1.5) FROM pg_class LIMIT 0

SELECT mod(relnatts, 2), power(relnatts, 2), avg(relnatts), relnatts::numeric, 1.5::numeric * relnatts, GROUPING(relname) FROM pg_class
WHERE relname = 'nosuch' GROUP BY relname, relnatts

SELECT g.n, g.ordinality, t.ordinality AS "N", t.t FROM generate_series(4, 6) WITH ORDINALITY AS g(n),
  string_to_table('a,b', ',') WITH ORDINALITY AS t WHERE t.ordinality = g.ordinality

SELECT * FROM generate_series(1, 3) WITH ORDINALITY
