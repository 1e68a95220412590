SELECT ns.oid, ns.*, de.description FROM pg_catalog.pg_namespace ns LEFT JOIN pg_catalog.pg_description de ON de.objoid = ns.oid AND de.objsubid = 0 AND de.classoid = 'pg_namespace'::regclass ORDER BY ns.nspname

SELECT nspname AS "TABLE_SCHEM", current_database() AS "TABLE_CATALOG" FROM pg_namespace WHERE nspname !~ '^pg_temp_' OR nspname = replace((pg_catalog.current_schemas(true))[1], 'pg_temp_', 'pg_toast_temp_') ORDER BY 1

SELECT c.oid, c.relname FROM pg_catalog.pg_class c WHERE c.relname OPERATOR(pg_catalog.~) '^(orders)$' COLLATE pg_catalog.default AND pg_catalog.pg_table_is_visible(c.oid)

SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef) FROM pg_catalog.pg_attribute a WHERE a.attrelid = '16384' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum

SELECT c.relchecks, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, am.amname FROM pg_class c LEFT JOIN pg_am am ON c.relam = am.oid WHERE c.oid = '16384'

SELECT CASE WHEN p.polroles = '{0}' THEN NULL ELSE array_to_string(array(SELECT rolname FROM pg_roles WHERE oid = ANY (p.polroles) ORDER BY 1), ',') END FROM pg_catalog.pg_policy p WHERE p.polrelid = '16384'

SELECT s.stxrelid::regclass, s.stxnamespace::regnamespace::text AS nsp, 'd' = any(s.stxkind) FROM pg_statistic_ext s ORDER BY nsp

SELECT t.tgname, (SELECT u.tgrelid::regclass FROM pg_trigger AS u, pg_partition_ancestors(t.tgrelid) WITH ORDINALITY AS a(relid, depth) WHERE u.tgrelid = a.relid ORDER BY a.depth LIMIT 1) AS parent FROM pg_trigger t

SELECT typinput = 'pg_catalog.array_in'::regproc AS is_list, typname FROM pg_type LEFT JOIN (SELECT ns.oid AS of, r.r FROM pg_namespace AS ns JOIN (SELECT s.r, (current_schemas(false))[s.r] AS nspname FROM generate_series(1, array_upper(current_schemas(false), 1)) AS s(r)) AS r USING (nspname)) AS sp ON sp.of = typnamespace WHERE pg_type.oid = 1007 ORDER BY sp.r

SELECT n.nspname, p.proname, COALESCE(p.proallargtypes::regtype[], p.proargtypes::regtype[])::text[] FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.prorettype::regtype <> 'trigger'::regtype

SELECT t.typname FROM pg_type t WHERE (t.typrelid = 0 OR (SELECT c.relkind = 'c' FROM pg_class c WHERE c.oid = t.typrelid)) AND NOT EXISTS (SELECT 1 FROM pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid)

SELECT keys.x, (keys.k).n FROM (SELECT information_schema._pg_expandarray(i.indkey) AS k, i.indrelid AS x FROM pg_index i) AS keys WHERE (keys.k).x = 1

SELECT con.conname, pos.n FROM pg_constraint con, pg_catalog.generate_series(1, 32) pos(n), pg_attribute a WHERE a.attrelid = con.conrelid AND a.attnum = con.conkey[pos.n] ORDER BY 1, 2

WITH seen AS (SELECT schemaname AS schema, tablename AS table, has_table_privilege(current_user, '"' || replace(schemaname, '"', '""') || '".' || quote_ident(tablename), 'delete') AS delete FROM pg_tables UNION SELECT schemaname, viewname, false FROM pg_views) SELECT seen.* FROM seen WHERE has_schema_privilege(current_user, schema, 'usage')

SELECT oid, nspname = ANY (current_schemas(true)), xmin FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname <> ALL (ARRAY['information_schema'])

SELECT d.datname, pg_encoding_to_char(d.encoding), array_to_string(d.datacl, E'\n') FROM pg_database d

SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END FROM generate_series(array_lower(string_to_array(current_setting('search_path'), ','), 1), array_upper(string_to_array(current_setting('search_path'), ','), 1)) AS i, string_to_array(current_setting('search_path'), ',') s

SELECT round(extract(epoch FROM pg_postmaster_start_time() AT TIME ZONE 'UTC')), pg_backend_pid(), inet_server_addr(), (txid_current() % 4294967296)::varchar::bigint, pg_is_in_recovery()

SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()

SELECT l.transactionid::varchar::bigint FROM pg_locks l WHERE l.transactionid IS NOT NULL ORDER BY age(l.transactionid) DESC LIMIT 1

SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY ALL

SELECT tc.constraint_type, kcu.column_name, ccu.table_name FROM information_schema.table_constraints tc JOIN information_schema.key_column_usage kcu USING (constraint_name) JOIN information_schema.constraint_column_usage ccu USING (constraint_name)

SELECT count(*) FILTER (WHERE relkind = 'r'), max(reltuples), ((min(relnatts) - 4) >> 16) & 65535 FROM pg_class

EXPLAIN SELECT relname FROM pg_class

WITH RECURSIVE tree(oid, elem, depth) AS (SELECT ti.oid, ti.typelem, 0 FROM pg_type ti WHERE ti.oid = any(ARRAY[1007]::oid[]) UNION ALL SELECT ti.oid, ti.typelem, depth + 1 FROM pg_type ti, tree WHERE tree.elem > 0 AND ti.oid = tree.elem) SELECT DISTINCT *, elem::regtype::text AS name FROM tree ORDER BY depth

SELECT a.attname FROM ((pg_catalog.pg_class c INNER JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND c.relname LIKE E'orders') INNER JOIN pg_attribute a ON (NOT a.attisdropped) AND a.attrelid = c.oid) LEFT OUTER JOIN pg_attrdef d ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)

SELECT t.typname AS name, t.oid::regtype::text FROM pg_type t WHERE t.oid = to_regtype('int4')

SELECT c.relname, age(c.xmin) <= coalesce(nullif(greatest(age('0'::varchar::xid), -1), -1), 2147483647), set_config('bytea_output', 'hex', false) FROM pg_class c WHERE c.relnamespace = '2200'::oid

SELECT table_name, unnest(constraint_column_names) AS "COLUMN_NAME" FROM duckdb_constraints WHERE constraint_type = 'PRIMARY KEY'

SELECT ARRAY(SELECT pg_get_indexdef(i.indexrelid, k + 1, true) FROM generate_subscripts(i.indkey, 1) AS k ORDER BY k) FROM pg_index i

SELECT col_description(cast(cast(format('%I.%I', cast(c.table_schema AS text), cast(c.table_name AS text)) AS regclass) AS oid), c.ordinal_position), is_identity <> 'NO' FROM information_schema.columns c
