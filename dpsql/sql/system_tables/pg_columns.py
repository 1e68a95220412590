"""The columns of PostgreSQL 16's catalogs that have rows, with the values that are the same in every row.

A table's name has a dot; its columns follow as `name:type=value`, in the order of `SELECT *`. Types are PostgreSQL's,
`_` before one stands for an array of it, and text is meant where none is given. A column without a value is NULL unless
a row says otherwise.
Source: https://www.postgresql.org/docs/16/catalogs.html and https://www.postgresql.org/docs/16/views.html
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import CATALOG

OWNER: Final = 10
"""The role that owns everything: the database itself."""
ANALYST: Final = 16
"""The role of the analyst."""
DATABASE: Final = 5
DATABASE_NAME: Final = "@database"
"""Stands for the name of the database, which a session decides."""
PG_CATALOG: Final = 11
"""The schema pg_catalog."""
MAIN_SCHEMA: Final = 2200
DEFAULT_COLLATION: Final = 100
C_COLLATION: Final = 950
PG_TOAST: Final = 99
"""The schema pg_toast, which is empty."""
PG_NAMESPACE: Final = 2615
HEAP: Final = 2
BTREE: Final = 403
ANY_ELEMENT: Final = 2283
PG_CLASS: Final = 1259
INFORMATION_SCHEMA: Final = 13

_CLASSES: Final = (
    "pg_default_acl:826 pg_tablespace:1213 pg_shdepend:1214 pg_type:1247 pg_attribute:1249 pg_proc:1255 "
    "pg_class:1259 pg_authid:1260 pg_auth_members:1261 pg_database:1262 pg_foreign_server:1417 "
    "pg_user_mapping:1418 pg_sequence:2224 pg_foreign_data_wrapper:2328 pg_shdescription:2396 "
    "pg_aggregate:2600 pg_am:2601 pg_amop:2602 pg_amproc:2603 pg_attrdef:2604 pg_cast:2605 "
    "pg_constraint:2606 pg_conversion:2607 pg_depend:2608 pg_description:2609 pg_index:2610 "
    "pg_inherits:2611 pg_language:2612 pg_largeobject:2613 pg_namespace:2615 pg_opclass:2616 "
    "pg_operator:2617 pg_rewrite:2618 pg_statistic:2619 pg_trigger:2620 pg_opfamily:2753 "
    "pg_db_role_setting:2964 pg_largeobject_metadata:2995 pg_extension:3079 pg_foreign_table:3118 "
    "pg_policy:3256 pg_partitioned_table:3350 pg_statistic_ext:3381 pg_init_privs:3394 "
    "pg_statistic_ext_data:3429 pg_collation:3456 pg_event_trigger:3466 pg_enum:3501 pg_range:3541 "
    "pg_transform:3576 pg_shseclabel:3592 pg_seclabel:3596 pg_ts_dict:3600 pg_ts_parser:3601 "
    "pg_ts_config:3602 pg_ts_config_map:3603 pg_ts_template:3764 pg_replication_origin:6000 "
    "pg_subscription:6100 pg_subscription_rel:6102 pg_publication:6104 pg_publication_rel:6106 "
    "pg_publication_namespace:6237 pg_parameter_acl:6243"
)
CLASSES: Final = MappingProxyType(
    {name: int(oid) for name, _, oid in (word.partition(":") for word in _CLASSES.split())}
)
"""The OIDs of PostgreSQL's own catalogs, as in `classoid`."""

COLUMNS: Final = f"""
pg_catalog.pg_namespace oid:oid nspname:name nspowner:oid={OWNER} nspacl:_aclitem
pg_catalog.pg_class oid:oid relname:name relnamespace:oid reltype:oid reloftype:oid=0 relowner:oid={OWNER}
  relam:oid relfilenode:oid reltablespace:oid=0 relpages:int4=0 reltuples:float4=-1 relallvisible:int4=0
  reltoastrelid:oid=0 relhasindex:bool=f relisshared:bool=f relpersistence:char=p relkind:char relnatts:int2
  relchecks:int2=0 relhasrules:bool relhastriggers:bool relhassubclass:bool=f relrowsecurity:bool=f
  relforcerowsecurity:bool=f relispopulated:bool=t relreplident:char relispartition:bool=f
  relrewrite:oid=0 relfrozenxid:xid=0 relminmxid:xid=0 relacl:_aclitem reloptions:_text
  relpartbound:pg_node_tree
pg_catalog.pg_attribute attrelid:oid attname:name atttypid:oid attlen:int2 attnum:int2 attcacheoff:int4=-1
  atttypmod:int4 attndims:int2 attbyval:bool attalign:char attstorage:char attcompression:char=
  attnotnull:bool atthasdef:bool=f atthasmissing:bool=f attidentity:char= attgenerated:char=
  attisdropped:bool=f attislocal:bool=t attinhcount:int2=0 attstattarget:int2=-1 attcollation:oid
  attacl:_aclitem attoptions:_text attfdwoptions:_text attmissingval:anyarray
pg_catalog.pg_type oid:oid typname:name typnamespace:oid typowner:oid={OWNER} typlen:int2
  typbyval:bool typtype:char typcategory:char typispreferred:bool typisdefined:bool=t typdelim:char
  typrelid:oid typsubscript:regproc typelem:oid typarray:oid typinput:regproc typoutput:regproc
  typreceive:regproc typsend:regproc typmodin:regproc typmodout:regproc typanalyze:regproc
  typalign:char typstorage:char typnotnull:bool=f typbasetype:oid typtypmod:int4 typndims:int4=0
  typcollation:oid typdefaultbin:pg_node_tree typdefault typacl:_aclitem
pg_catalog.pg_description objoid:oid classoid:oid objsubid:int4 description
pg_catalog.pg_index indexrelid:oid indrelid:oid indnatts:int2 indnkeyatts:int2 indisunique:bool=t
  indnullsnotdistinct:bool=f indisprimary:bool=t indisexclusion:bool=f indimmediate:bool=t
  indisclustered:bool=f indisvalid:bool=t indcheckxmin:bool=f indisready:bool=t indislive:bool=t
  indisreplident:bool=f indkey:int2vector indcollation:oidvector indclass:oidvector indoption:int2vector
  indexprs:pg_node_tree indpred:pg_node_tree
pg_catalog.pg_constraint oid:oid conname:name connamespace:oid contype:char condeferrable:bool=f
  condeferred:bool=f convalidated:bool=t conrelid:oid contypid:oid=0 conindid:oid conparentid:oid=0
  confrelid:oid=0 confupdtype:char confdeltype:char confmatchtype:char conislocal:bool=t coninhcount:int2=0
  connoinherit:bool=t conkey:_int2 confkey:_int2 conpfeqop:_oid conppeqop:_oid conffeqop:_oid
  confdelsetcols:_int2 conexclop:_oid conbin:pg_node_tree
pg_catalog.pg_database oid:oid={DATABASE} datname:name={DATABASE_NAME} datdba:oid={OWNER} encoding:int4=6
  datlocprovider:char=c datistemplate:bool=f datallowconn:bool=t datconnlimit:int4=-1 datfrozenxid:xid=0
  datminmxid:xid=0 dattablespace:oid=1663 datcollate=C datctype=C daticulocale daticurules datcollversion
  datacl:_aclitem
pg_catalog.pg_proc oid:oid proname:name pronamespace:oid={PG_CATALOG} proowner:oid={OWNER} prolang:oid=12
  procost:float4=1 prorows:float4=0 provariadic:oid=0 prosupport:regproc=0 prokind:char=f prosecdef:bool=f
  proleakproof:bool=f proisstrict:bool=t proretset:bool=f provolatile:char=i proparallel:char=s
  pronargs:int2=1 pronargdefaults:int2=0 prorettype:oid={ANY_ELEMENT} proargtypes:oidvector
  proallargtypes:_oid proargmodes:_char proargnames:_text proargdefaults:pg_node_tree protrftypes:_oid
  prosrc probin prosqlbody:pg_node_tree proconfig:_text proacl:_aclitem
pg_catalog.pg_language oid:oid=12 lanname:name=internal lanowner:oid={OWNER} lanispl:bool=f
  lanpltrusted:bool=f lanplcallfoid:oid laninline:oid lanvalidator:oid lanacl:_aclitem
pg_catalog.pg_settings name setting unit category short_desc= extra_desc context=internal vartype=string
  source=default min_val max_val enumvals:_text boot_val reset_val sourcefile sourceline:int4
  pending_restart:bool=f
pg_catalog.pg_collation oid:oid collname:name collnamespace:oid={PG_CATALOG} collowner:oid={OWNER}
  collprovider:char collisdeterministic:bool=t collencoding:int4=-1 collcollate collctype colliculocale
  collicurules collversion
pg_catalog.pg_roles rolname:name rolsuper:bool=f rolinherit:bool=t rolcreaterole:bool=f rolcreatedb:bool=f
  rolcanlogin:bool rolreplication:bool=f rolconnlimit:int4=-1 rolpassword=********
  rolvaliduntil:timestamptz rolbypassrls:bool=f rolconfig:_text oid:oid
pg_catalog.pg_authid oid:oid rolname:name rolsuper:bool=f rolinherit:bool=t rolcreaterole:bool=f
  rolcreatedb:bool=f rolcanlogin:bool rolreplication:bool=f rolbypassrls:bool=f rolconnlimit:int4=-1
  rolpassword rolvaliduntil:timestamptz
pg_catalog.pg_user usename:name usesysid:oid={ANALYST} usecreatedb:bool=f usesuper:bool=f userepl:bool=f
  usebypassrls:bool=f passwd=******** valuntil:timestamptz useconfig:_text
pg_catalog.pg_tables schemaname:name tablename:name tableowner:name={CATALOG} tablespace:name
  hasindexes:bool hasrules:bool=f hastriggers:bool=f rowsecurity:bool=f
pg_catalog.pg_views schemaname:name viewname:name viewowner:name={CATALOG} definition=
pg_catalog.pg_indexes schemaname:name tablename:name indexname:name tablespace:name indexdef
pg_catalog.pg_range rngtypid:oid rngsubtype:oid rngmultitypid:oid rngcollation:oid=0 rngsubopc:oid
  rngcanonical:regproc rngsubdiff:regproc
pg_catalog.pg_get_keywords word catcode:char barelabel:bool catdesc baredesc
pg_catalog.pg_am oid:oid amname:name amhandler:regproc=0 amtype:char
pg_catalog.pg_opclass oid:oid opcmethod:oid={BTREE} opcname:name opcnamespace:oid={PG_CATALOG}
  opcowner:oid={OWNER} opcfamily:oid opcintype:oid opcdefault:bool=t opckeytype:oid=0
pg_catalog.pg_tablespace oid:oid=1663 spcname:name=pg_default spcowner:oid={OWNER} spcacl:_aclitem
  spcoptions:_text
pg_catalog.pg_timezone_names name=UTC abbrev=UTC utc_offset:interval=0 is_dst:bool=f
pg_catalog.pg_timezone_abbrevs abbrev=UTC utc_offset:interval=0 is_dst:bool=f
pg_catalog.pg_stat_activity datid:oid={DATABASE} datname:name={DATABASE_NAME} pid:int4
  leader_pid:int4 usesysid:oid={ANALYST} usename:name application_name client_addr:inet client_hostname
  client_port:int4 backend_start:timestamptz xact_start:timestamptz query_start:timestamptz
  state_change:timestamptz wait_event_type wait_event state=active backend_xid:xid backend_xmin:xid
  query_id:int8 query backend_type
pg_catalog.pg_stat_ssl pid:int4 ssl:bool version cipher bits:int4 client_dn client_serial:numeric issuer_dn
pg_catalog.pg_stat_gssapi pid:int4 gss_authenticated:bool=f principal encrypted:bool=f
  credentials_delegated:bool=f
pg_catalog.pg_stat_user_tables relid:oid schemaname:name relname:name seq_scan:int8
  last_seq_scan:timestamptz seq_tup_read:int8 idx_scan:int8 last_idx_scan:timestamptz idx_tup_fetch:int8
  n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_tup_newpage_upd:int8 n_live_tup:int8
  n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz
  last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8
  autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8
pg_catalog.pg_statio_user_tables relid:oid schemaname:name relname:name heap_blks_read:int8
  heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8
  tidx_blks_read:int8 tidx_blks_hit:int8
"""
