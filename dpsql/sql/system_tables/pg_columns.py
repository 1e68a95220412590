"""The columns of the system catalogs' tables as one text, with the values that are the same in every row.

A table's name has a dot; its columns follow as `name:kind=value`. Kinds are o (OID), i (integer),
b (boolean: t or f), f (double), t (timestamp), text where none is given, and [] behind a kind for lists of it. A column
without a value is NULL unless a row says otherwise.
"""

from __future__ import annotations

from typing import Final

from dpsql.algebra.system_tables import CATALOG, MAIN

OWNER: Final = 10
"""The role that owns everything: the database itself."""
ANALYST: Final = 16
"""The role of the analyst."""
DATABASE: Final = 5
PG_CATALOG: Final = 11
"""The schema pg_catalog."""
MAIN_SCHEMA: Final = 2200
DEFAULT_COLLATION: Final = 100
HEAP: Final = 2
BTREE: Final = 403
ARRAY_IN: Final = 750
ARRAY_RECV: Final = 2400
ANY_ELEMENT: Final = 2283
PG_CLASS: Final = 1259

COLUMNS: Final = f"""
pg_catalog.pg_namespace oid:o nspname nspowner:o={OWNER} nspacl:[]
pg_catalog.pg_class oid:o relname relnamespace:o reltype:o=0 reloftype:o=0 relowner:o={OWNER} relam:o
  relfilenode:o=0 reltablespace:o=0 relpages:i reltuples:f relallvisible:i reltoastrelid:o=0 relhasindex:b=f
  relisshared:b=f relpersistence=p relkind relnatts:i relchecks:i=0 relhasrules:b=f relhastriggers:b=f
  relhassubclass:b=f relrowsecurity:b=f relforcerowsecurity:b=f relispopulated:b=t relreplident=d relispartition:b=f
  relrewrite:o=0 relfrozenxid:o=0 relminmxid:o=0 relacl:[] reloptions:[] relpartbound
pg_catalog.pg_attribute attrelid:o attname atttypid:o attlen:i attnum:i attcacheoff:i=-1 atttypmod:i attndims:i
  attbyval:b attalign=i attstorage attcompression= attnotnull:b atthasdef:b=f atthasmissing:b=f attidentity=
  attgenerated= attisdropped:b=f attislocal:b=t attinhcount:i=0 attstattarget:i=-1 attcollation:o attacl:[]
  attoptions:[] attfdwoptions:[] attmissingval:[]
pg_catalog.pg_type oid:o typname typnamespace:o={PG_CATALOG} typowner:o={OWNER} typlen:i typbyval:b typtype
  typcategory typispreferred:b=f typisdefined:b=t typdelim=, typrelid:o=0 typsubscript:o=0 typelem:o typarray:o
  typinput:o typoutput:o=0 typreceive:o typsend:o=0 typmodin:o=0 typmodout:o=0 typanalyze:o=0 typalign=i typstorage
  typnotnull:b=f typbasetype:o=0 typtypmod:i=-1 typndims:i=0 typcollation:o typdefaultbin typdefault typacl:[]
pg_catalog.pg_description objoid:o classoid:o={PG_CLASS} objsubid:i description
pg_catalog.pg_index indexrelid:o indrelid:o indnatts:i indnkeyatts:i indisunique:b=t indnullsnotdistinct:b=f
  indisprimary:b=t indisexclusion:b=f indimmediate:b=t indisclustered:b=f indisvalid:b=t indcheckxmin:b=f
  indisready:b=t indislive:b=t indisreplident:b=f indkey:i[] indcollation:o[] indclass:o[] indoption:i[] indexprs
  indpred
pg_catalog.pg_constraint oid:o conname connamespace:o contype condeferrable:b=f condeferred:b=f convalidated:b=t
  conrelid:o contypid:o=0 conindid:o conparentid:o=0 confrelid:o=0 confupdtype confdeltype confmatchtype
  conislocal:b=t coninhcount:i=0 connoinherit:b=t conkey:i[] confkey:i[] conpfeqop:o[] conppeqop:o[] conffeqop:o[]
  confdelsetcols:i[] conexclop:o[] conbin
pg_catalog.pg_database oid:o={DATABASE} datname={CATALOG} datdba:o={OWNER} encoding:i=6 datlocprovider=c
  datistemplate:b=f datallowconn:b=t datconnlimit:i=-1 datfrozenxid:o=0 datminmxid:o=0 dattablespace:o=1663
  datcollate=C datctype=C daticulocale daticurules datcollversion datacl:[]
pg_catalog.pg_proc oid:o proname pronamespace:o={PG_CATALOG} proowner:o={OWNER} prolang:o=12 procost:f=1 prorows:f=0
  provariadic:o=0 prosupport:o=0 prokind=f prosecdef:b=f proleakproof:b=f proisstrict:b=t proretset:b=f provolatile=i
  proparallel=s pronargs:i=1 pronargdefaults:i=0 prorettype:o={ANY_ELEMENT} proargtypes:o[] proallargtypes:o[]
  proargmodes:[] proargnames:[] proargdefaults protrftypes:o[] prosrc probin prosqlbody proconfig:[] proacl:[]
pg_catalog.pg_language oid:o=12 lanname=internal lanowner:o={OWNER} lanispl:b=f lanpltrusted:b=f lanplcallfoid:o
  laninline:o lanvalidator:o lanacl:[]
pg_catalog.pg_settings name setting unit category short_desc= extra_desc context=internal vartype=string
  source=default min_val max_val enumvals:[] boot_val reset_val sourcefile sourceline:i pending_restart:b=f
pg_catalog.pg_collation oid:o collname collnamespace:o={PG_CATALOG} collowner:o={OWNER} collprovider
  collisdeterministic:b=t collencoding:i=-1 collcollate=C collctype=C colliculocale collicurules collversion
pg_catalog.pg_roles rolname rolsuper:b=f rolinherit:b=t rolcreaterole:b=f rolcreatedb:b=f rolcanlogin:b
  rolreplication:b=f rolconnlimit:i=-1 rolpassword rolvaliduntil:t rolbypassrls:b=f rolconfig:[] oid:o
pg_catalog.pg_authid oid:o rolname rolsuper:b=f rolinherit:b=t rolcreaterole:b=f rolcreatedb:b=f rolcanlogin:b
  rolreplication:b=f rolbypassrls:b=f rolconnlimit:i=-1 rolpassword rolvaliduntil:t
pg_catalog.pg_user usename usesysid:o={ANALYST} usecreatedb:b=f usesuper:b=f userepl:b=f usebypassrls:b=f passwd
  valuntil:t useconfig:[]
pg_catalog.pg_tables schemaname tablename tableowner={CATALOG} tablespace hasindexes:b hasrules:b=f hastriggers:b=f
  rowsecurity:b=f
pg_catalog.pg_views schemaname viewname viewowner={CATALOG} definition=
pg_catalog.pg_indexes schemaname tablename indexname tablespace indexdef
pg_catalog.pg_am oid:o amname amhandler:o=0 amtype
pg_catalog.pg_tablespace oid:o=1663 spcname=pg_default spcowner:o={OWNER} spcacl:[] spcoptions:[]
pg_catalog.pg_timezone_names name=UTC abbrev=UTC utc_offset=00:00:00 is_dst:b=f
pg_catalog.pg_timezone_abbrevs abbrev=UTC utc_offset=00:00:00 is_dst:b=f
pg_catalog.pg_stat_user_tables relid:o schemaname relname seq_scan:o last_seq_scan:t seq_tup_read:o idx_scan:o
  last_idx_scan:t idx_tup_fetch:o n_tup_ins:o n_tup_upd:o n_tup_del:o n_tup_hot_upd:o n_tup_newpage_upd:o n_live_tup:o
  n_dead_tup:o n_mod_since_analyze:o n_ins_since_vacuum:o last_vacuum:t last_autovacuum:t last_analyze:t
  last_autoanalyze:t vacuum_count:o autovacuum_count:o analyze_count:o autoanalyze_count:o
information_schema.views table_catalog={CATALOG} table_schema table_name view_definition check_option=NONE
  is_updatable=NO is_insertable_into=NO is_trigger_updatable is_trigger_deletable is_trigger_insertable_into
information_schema.key_column_usage constraint_catalog={CATALOG} constraint_schema constraint_name
  table_catalog={CATALOG} table_schema table_name column_name ordinal_position:o position_in_unique_constraint:o
information_schema.table_constraints constraint_catalog={CATALOG} constraint_schema constraint_name
  table_catalog={CATALOG} table_schema table_name constraint_type is_deferrable=NO initially_deferred=NO enforced=YES
  nulls_distinct
information_schema.referential_constraints constraint_catalog={CATALOG} constraint_schema constraint_name
  unique_constraint_catalog={CATALOG} unique_constraint_schema unique_constraint_name match_option=NONE update_rule
  delete_rule
information_schema.constraint_column_usage table_catalog={CATALOG} table_schema table_name column_name
  constraint_catalog={CATALOG} constraint_schema constraint_name
information_schema.constraint_table_usage table_catalog={CATALOG} table_schema table_name
  constraint_catalog={CATALOG} constraint_schema constraint_name
information_schema.table_privileges grantor={CATALOG} grantee table_catalog={CATALOG} table_schema table_name
  privilege_type=SELECT is_grantable=NO with_hierarchy=NO
information_schema.column_privileges grantor={CATALOG} grantee table_catalog={CATALOG} table_schema table_name
  column_name privilege_type=SELECT is_grantable=NO
information_schema.information_schema_catalog_name catalog_name={CATALOG}
information_schema.enabled_roles role_name
information_schema.applicable_roles grantee role_name is_grantable=NO
information_schema.character_sets character_set_catalog character_set_schema character_set_name=UTF8
  character_repertoire=UCS form_of_use=UTF8 default_collate_catalog default_collate_schema default_collate_name
duckdb.duckdb_tables database_name={CATALOG} database_oid:o={DATABASE} schema_name schema_oid:o table_name
  table_oid:o comment internal:b=f temporary:b=f has_primary_key:b estimated_size:o column_count:o index_count:o=0
  check_constraint_count:o=0 sql
duckdb.duckdb_columns database_name={CATALOG} database_oid:o={DATABASE} schema_name schema_oid:o table_name
  table_oid:o column_name column_index:i comment internal:b=f column_default is_nullable:b data_type data_type_id:o
  character_maximum_length:i numeric_precision:i numeric_precision_radix:i numeric_scale:i is_generated:b=f
  generation_expression
duckdb.duckdb_schemas oid:o database_name={CATALOG} database_oid:o={DATABASE} schema_name comment internal:b sql
duckdb.duckdb_views database_name={CATALOG} database_oid:o={DATABASE} schema_name schema_oid:o view_name view_oid:o
  comment internal:b=f temporary:b=f column_count:o sql
duckdb.duckdb_databases database_name={CATALOG} database_oid:o={DATABASE} path comment internal:b=f type=duckdb
  readonly:b=t encrypted:b=f cipher
duckdb.duckdb_settings name value description= input_type=VARCHAR scope=GLOBAL
duckdb.duckdb_functions database_name={CATALOG} database_oid schema_name={MAIN} function_name alias_of
  function_type=scalar description comment return_type parameters:[] parameter_types:[] varargs macro_definition
  has_side_effects:b=f internal:b=t function_oid:o stability=CONSISTENT
duckdb.duckdb_types database_name={CATALOG} database_oid:o={DATABASE} schema_name={MAIN} schema_oid:o={MAIN_SCHEMA}
  type_oid:o type_name type_size:o logical_type type_category comment internal:b=t labels:[]
duckdb.duckdb_constraints database_name={CATALOG} database_oid:o={DATABASE} schema_name schema_oid:o table_name
  table_oid:o constraint_index:o constraint_type constraint_text expression constraint_column_indexes:o[]
  constraint_column_names:[] constraint_name referenced_table referenced_column_names:[]
duckdb.pragma_table_info cid:i name type notnull:b dflt_value pk:b of_table
duckdb.sqlite_master type name tbl_name rootpage:i=0 sql
pg_catalog.pg_attrdef oid:o adrelid:o adnum:i adbin adsrc
pg_catalog.pg_get_keywords word catcode barelabel:b catdesc baredesc
pg_catalog.pg_matviews schemaname matviewname matviewowner tablespace hasindexes:b ispopulated:b definition
pg_catalog.pg_enum oid:o enumtypid:o enumsortorder:f enumlabel
pg_catalog.pg_range rngtypid:o rngsubtype:o rngmultitypid:o rngcollation:o rngsubopc:o rngcanonical:o rngsubdiff:o
pg_catalog.pg_inherits inhrelid:o inhparent:o inhseqno:i inhdetachpending:b
pg_catalog.pg_partitioned_table partrelid:o partstrat partnatts:i partdefid:o partattrs:i[] partclass:o[]
  partcollation:o[] partexprs
pg_catalog.pg_extension oid:o extname extowner:o extnamespace:o extrelocatable:b extversion extconfig:o[]
  extcondition:[]
pg_catalog.pg_available_extensions name default_version installed_version comment
pg_catalog.pg_available_extension_versions name version installed:b superuser:b trusted:b relocatable:b schema
  requires:[] comment
pg_catalog.pg_shdescription objoid:o classoid:o description
pg_catalog.pg_depend classid:o objid:o objsubid:i refclassid:o refobjid:o refobjsubid:i deptype
pg_catalog.pg_shdepend dbid:o classid:o objid:o objsubid:i refclassid:o refobjid:o deptype
pg_catalog.pg_trigger oid:o tgrelid:o tgparentid:o tgname tgfoid:o tgtype:i tgenabled tgisinternal:b tgconstrrelid:o
  tgconstrindid:o tgconstraint:o tgdeferrable:b tginitdeferred:b tgnargs:i tgattr:i[] tgargs tgqual tgoldtable
  tgnewtable
pg_catalog.pg_event_trigger oid:o evtname evtevent evtowner:o evtfoid:o evtenabled evttags:[]
pg_catalog.pg_rewrite oid:o rulename ev_class:o ev_type ev_enabled is_instead:b ev_qual ev_action
pg_catalog.pg_rules schemaname tablename rulename definition
pg_catalog.pg_policy oid:o polname polrelid:o polcmd polpermissive:b polroles:o[] polqual polwithcheck
pg_catalog.pg_policies schemaname tablename policyname permissive roles:[] cmd qual with_check
pg_catalog.pg_statistic_ext oid:o stxrelid:o stxname stxnamespace:o stxowner:o stxstattarget:i stxkeys:i[]
  stxkind:[] stxexprs
pg_catalog.pg_stats schemaname tablename attname inherited:b null_frac:f avg_width:i n_distinct:f
  most_common_vals:[] most_common_freqs:f[] histogram_bounds:[] correlation:f
pg_catalog.pg_statio_user_tables relid:o schemaname relname heap_blks_read:o heap_blks_hit:o idx_blks_read:o
  idx_blks_hit:o toast_blks_read:o toast_blks_hit:o tidx_blks_read:o tidx_blks_hit:o
pg_catalog.pg_stat_user_indexes relid:o indexrelid:o schemaname relname indexrelname idx_scan:o last_idx_scan:t
  idx_tup_read:o idx_tup_fetch:o
pg_catalog.pg_stat_activity datid:o datname pid:i leader_pid:i usesysid:o usename application_name client_addr
  client_hostname client_port:i backend_start:t xact_start:t query_start:t state_change:t wait_event_type wait_event
  state backend_xid:o backend_xmin:o query_id:o query backend_type
pg_catalog.pg_stat_database datid:o datname numbackends:i xact_commit:o xact_rollback:o blks_read:o blks_hit:o
  tup_returned:o tup_fetched:o tup_inserted:o tup_updated:o tup_deleted:o conflicts:o temp_files:o temp_bytes:o
  deadlocks:o stats_reset:t
pg_catalog.pg_stat_ssl pid:i ssl:b version cipher bits:i client_dn client_serial:o issuer_dn
pg_catalog.pg_stat_gssapi pid:i gss_authenticated:b principal encrypted:b credentials_delegated:b
pg_catalog.pg_stat_replication pid:i usesysid:o usename application_name client_addr state sync_state
pg_catalog.pg_locks locktype database:o relation:o page:i tuple:i virtualxid transactionid:o classid:o objid:o
  objsubid:i virtualtransaction pid:i mode granted:b fastpath:b waitstart:t
pg_catalog.pg_prepared_statements name statement prepare_time:t parameter_types:[] result_types:[] from_sql:b
  generic_plans:o custom_plans:o
pg_catalog.pg_prepared_xacts transaction:o gid prepared:t owner database
pg_catalog.pg_cursors name statement is_holdable:b is_binary:b is_scrollable:b creation_time:t
pg_catalog.pg_auth_members oid:o roleid:o member:o grantor:o admin_option:b inherit_option:b set_option:b
pg_catalog.pg_group groname grosysid:o grolist:o[]
pg_catalog.pg_db_role_setting setdatabase:o setrole:o setconfig:[]
pg_catalog.pg_default_acl oid:o defaclrole:o defaclnamespace:o defaclobjtype defaclacl:[]
pg_catalog.pg_init_privs objoid:o classoid:o objsubid:i privtype initprivs:[]
pg_catalog.pg_seclabel objoid:o classoid:o objsubid:i provider label
pg_catalog.pg_seclabels objoid:o classoid:o objsubid:i objtype objnamespace:o objname provider label
pg_catalog.pg_sequence seqrelid:o seqtypid:o seqstart:o seqincrement:o seqmax:o seqmin:o seqcache:o seqcycle:b
pg_catalog.pg_sequences schemaname sequencename sequenceowner data_type start_value:o min_value:o max_value:o
  increment_by:o cycle:b cache_size:o last_value:o
pg_catalog.pg_aggregate aggfnoid:o aggkind aggnumdirectargs:i aggtransfn:o aggfinalfn:o aggcombinefn:o aggserialfn:o
  aggdeserialfn:o aggmtransfn:o aggminvtransfn:o aggmfinalfn:o aggfinalextra:b aggmfinalextra:b aggfinalmodify
  aggmfinalmodify aggsortop:o aggtranstype:o aggtransspace:i aggmtranstype:o aggmtransspace:i agginitval aggminitval
pg_catalog.pg_operator oid:o oprname oprnamespace:o oprowner:o oprkind oprcanmerge:b oprcanhash:b oprleft:o
  oprright:o oprresult:o oprcom:o oprnegate:o oprcode:o oprrest:o oprjoin:o
pg_catalog.pg_opclass oid:o opcmethod:o opcname opcnamespace:o opcowner:o opcfamily:o opcintype:o opcdefault:b
  opckeytype:o
pg_catalog.pg_opfamily oid:o opfmethod:o opfname opfnamespace:o opfowner:o
pg_catalog.pg_amop oid:o amopfamily:o amoplefttype:o amoprighttype:o amopstrategy:i amoppurpose amopopr:o
  amopmethod:o amopsortfamily:o
pg_catalog.pg_amproc oid:o amprocfamily:o amproclefttype:o amprocrighttype:o amprocnum:i amproc:o
pg_catalog.pg_cast oid:o castsource:o casttarget:o castfunc:o castcontext castmethod
pg_catalog.pg_conversion oid:o conname connamespace:o conowner:o conforencoding:i contoencoding:i conproc:o
  condefault:b
pg_catalog.pg_foreign_table ftrelid:o ftserver:o ftoptions:[]
pg_catalog.pg_foreign_server oid:o srvname srvowner:o srvfdw:o srvtype srvversion srvacl:[] srvoptions:[]
pg_catalog.pg_foreign_data_wrapper oid:o fdwname fdwowner:o fdwhandler:o fdwvalidator:o fdwacl:[] fdwoptions:[]
pg_catalog.pg_user_mapping oid:o umuser:o umserver:o umoptions:[]
pg_catalog.pg_user_mappings umid:o srvid:o srvname umuser:o usename umoptions:[]
pg_catalog.pg_publication oid:o pubname pubowner:o puballtables:b pubinsert:b pubupdate:b pubdelete:b pubtruncate:b
  pubviaroot:b
pg_catalog.pg_publication_rel oid:o prpubid:o prrelid:o prqual prattrs:i[]
pg_catalog.pg_publication_namespace oid:o pnpubid:o pnnspid:o
pg_catalog.pg_publication_tables pubname schemaname tablename attnames:[] rowfilter
pg_catalog.pg_subscription oid:o subdbid:o subname subowner:o subenabled:b subconninfo subslotname subsynccommit
  subpublications:[]
pg_catalog.pg_subscription_rel srsubid:o srrelid:o srsubstate srsublsn
pg_catalog.pg_replication_slots slot_name plugin slot_type datoid:o database temporary:b active:b active_pid:i
  xmin:o catalog_xmin:o restart_lsn confirmed_flush_lsn
pg_catalog.pg_largeobject_metadata oid:o lomowner:o lomacl:[]
pg_catalog.pg_transform oid:o trftype:o trflang:o trffromsql:o trftosql:o
pg_catalog.pg_ts_config oid:o cfgname cfgnamespace:o cfgowner:o cfgparser:o
pg_catalog.pg_ts_dict oid:o dictname dictnamespace:o dictowner:o dicttemplate:o dictinitoption
pg_catalog.pg_ts_parser oid:o prsname prsnamespace:o prsstart:o prstoken:o prsend:o prsheadline:o prslextype:o
pg_catalog.pg_ts_template oid:o tmplname tmplnamespace:o tmplinit:o tmpllexize:o
pg_catalog.pg_file_settings sourcefile sourceline:i seqno:i name setting applied:b error
information_schema.routines specific_catalog specific_schema specific_name routine_catalog routine_schema
  routine_name routine_type data_type type_udt_catalog type_udt_schema type_udt_name routine_body routine_definition
  external_name external_language parameter_style is_deterministic sql_data_access is_null_call security_type
  created:t last_altered:t
information_schema.parameters specific_catalog specific_schema specific_name ordinal_position:i parameter_mode
  is_result as_locator parameter_name data_type udt_catalog udt_schema udt_name parameter_default
information_schema.sequences sequence_catalog sequence_schema sequence_name data_type numeric_precision:i
  numeric_precision_radix:i numeric_scale:i start_value minimum_value maximum_value increment cycle_option
information_schema.triggers trigger_catalog trigger_schema trigger_name event_manipulation event_object_catalog
  event_object_schema event_object_table action_order:i action_condition action_statement action_orientation
  action_timing created:t
information_schema.check_constraints constraint_catalog constraint_schema constraint_name check_clause
information_schema.domains domain_catalog domain_schema domain_name data_type character_maximum_length:i
  numeric_precision:i numeric_scale:i domain_default udt_catalog udt_schema udt_name
information_schema.element_types object_catalog object_schema object_name object_type collection_type_identifier
  data_type udt_catalog udt_schema udt_name
information_schema.user_defined_types user_defined_type_catalog user_defined_type_schema user_defined_type_name
  user_defined_type_category
information_schema.view_table_usage view_catalog view_schema view_name table_catalog table_schema table_name
information_schema.view_column_usage view_catalog view_schema view_name table_catalog table_schema table_name
  column_name
information_schema.foreign_tables foreign_table_catalog foreign_table_schema foreign_table_name
  foreign_server_catalog foreign_server_name
information_schema.routine_privileges grantor grantee specific_catalog specific_schema specific_name routine_catalog
  routine_schema routine_name privilege_type is_grantable
information_schema.usage_privileges grantor grantee object_catalog object_schema object_name object_type
  privilege_type is_grantable
duckdb.duckdb_extensions extension_name loaded:b installed:b description extension_version
duckdb.duckdb_keywords keyword_name keyword_category
duckdb.duckdb_indexes database_name database_oid:o schema_name schema_oid:o index_name index_oid:o table_name
  table_oid:o comment is_unique:b is_primary:b expressions sql
duckdb.duckdb_sequences database_name database_oid:o schema_name schema_oid:o sequence_name sequence_oid:o comment
  temporary:b start_value:o min_value:o max_value:o increment_by:o cycle:b last_value:o sql
"""
