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
