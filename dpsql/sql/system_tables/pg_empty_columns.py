"""The columns of PostgreSQL's catalogs that are always empty here, written as in `pg_columns`.

What there is none of (triggers, sequences, partitions, statistics) is an empty table, for tools join them.
"""

from __future__ import annotations

from typing import Final

EMPTY_COLUMNS: Final = """
pg_catalog.pg_attrdef oid:oid adrelid:oid adnum:int2 adbin:pg_node_tree
pg_catalog.pg_matviews schemaname:name matviewname:name matviewowner:name tablespace:name hasindexes:bool
  ispopulated:bool definition
pg_catalog.pg_enum oid:oid enumtypid:oid enumsortorder:float4 enumlabel:name
pg_catalog.pg_inherits inhrelid:oid inhparent:oid inhseqno:int4 inhdetachpending:bool
pg_catalog.pg_partitioned_table partrelid:oid partstrat:char partnatts:int2 partdefid:oid
  partattrs:int2vector partclass:oidvector partcollation:oidvector partexprs:pg_node_tree
pg_catalog.pg_extension oid:oid extname:name extowner:oid extnamespace:oid extrelocatable:bool extversion
  extconfig:_oid extcondition:_text
pg_catalog.pg_available_extensions name:name default_version installed_version comment
pg_catalog.pg_available_extension_versions name:name version installed:bool superuser:bool trusted:bool
  relocatable:bool schema:name requires:_name comment
pg_catalog.pg_shdescription objoid:oid classoid:oid description
pg_catalog.pg_depend classid:oid objid:oid objsubid:int4 refclassid:oid refobjid:oid refobjsubid:int4
  deptype:char
pg_catalog.pg_shdepend dbid:oid classid:oid objid:oid objsubid:int4 refclassid:oid refobjid:oid deptype:char
pg_catalog.pg_trigger oid:oid tgrelid:oid tgparentid:oid tgname:name tgfoid:oid tgtype:int2 tgenabled:char
  tgisinternal:bool tgconstrrelid:oid tgconstrindid:oid tgconstraint:oid tgdeferrable:bool
  tginitdeferred:bool tgnargs:int2 tgattr:int2vector tgargs:bytea tgqual:pg_node_tree tgoldtable:name
  tgnewtable:name
pg_catalog.pg_event_trigger oid:oid evtname:name evtevent:name evtowner:oid evtfoid:oid evtenabled:char
  evttags:_text
pg_catalog.pg_rewrite oid:oid rulename:name ev_class:oid ev_type:char ev_enabled:char is_instead:bool
  ev_qual:pg_node_tree ev_action:pg_node_tree
pg_catalog.pg_rules schemaname:name tablename:name rulename:name definition
pg_catalog.pg_policy oid:oid polname:name polrelid:oid polcmd:char polpermissive:bool polroles:_oid
  polqual:pg_node_tree polwithcheck:pg_node_tree
pg_catalog.pg_policies schemaname:name tablename:name policyname:name permissive roles:_name cmd qual
  with_check
pg_catalog.pg_statistic_ext oid:oid stxrelid:oid stxname:name stxnamespace:oid stxowner:oid
  stxstattarget:int4 stxkeys:int2vector stxkind:_char stxexprs:pg_node_tree
pg_catalog.pg_stats schemaname:name tablename:name attname:name inherited:bool null_frac:float4
  avg_width:int4 n_distinct:float4 most_common_vals:anyarray most_common_freqs:_float4
  histogram_bounds:anyarray correlation:float4 most_common_elems:anyarray most_common_elem_freqs:_float4
  elem_count_histogram:_float4
pg_catalog.pg_stat_user_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name
  idx_scan:int8 last_idx_scan:timestamptz idx_tup_read:int8 idx_tup_fetch:int8
pg_catalog.pg_stat_database datid:oid datname:name numbackends:int4 xact_commit:int8 xact_rollback:int8
  blks_read:int8 blks_hit:int8 tup_returned:int8 tup_fetched:int8 tup_inserted:int8 tup_updated:int8
  tup_deleted:int8 conflicts:int8 temp_files:int8 temp_bytes:int8 deadlocks:int8 checksum_failures:int8
  checksum_last_failure:timestamptz blk_read_time:float8 blk_write_time:float8 session_time:float8
  active_time:float8 idle_in_transaction_time:float8 sessions:int8 sessions_abandoned:int8
  sessions_fatal:int8 sessions_killed:int8 stats_reset:timestamptz
pg_catalog.pg_stat_replication pid:int4 usesysid:oid usename:name application_name client_addr:inet
  client_hostname client_port:int4 backend_start:timestamptz backend_xmin:xid state sent_lsn:pg_lsn
  write_lsn:pg_lsn flush_lsn:pg_lsn replay_lsn:pg_lsn write_lag:interval flush_lag:interval
  replay_lag:interval sync_priority:int4 sync_state reply_time:timestamptz
pg_catalog.pg_locks locktype database:oid relation:oid page:int4 tuple:int2 virtualxid transactionid:xid
  classid:oid objid:oid objsubid:int2 virtualtransaction pid:int4 mode granted:bool fastpath:bool
  waitstart:timestamptz
pg_catalog.pg_prepared_statements name statement prepare_time:timestamptz parameter_types:_regtype
  result_types:_regtype from_sql:bool generic_plans:int8 custom_plans:int8
pg_catalog.pg_prepared_xacts transaction:xid gid prepared:timestamptz owner:name database:name
pg_catalog.pg_cursors name statement is_holdable:bool is_binary:bool is_scrollable:bool
  creation_time:timestamptz
pg_catalog.pg_auth_members oid:oid roleid:oid member:oid grantor:oid admin_option:bool inherit_option:bool
  set_option:bool
pg_catalog.pg_group groname:name grosysid:oid grolist:_oid
pg_catalog.pg_db_role_setting setdatabase:oid setrole:oid setconfig:_text
pg_catalog.pg_default_acl oid:oid defaclrole:oid defaclnamespace:oid defaclobjtype:char defaclacl:_aclitem
pg_catalog.pg_init_privs objoid:oid classoid:oid objsubid:int4 privtype:char initprivs:_aclitem
pg_catalog.pg_seclabel objoid:oid classoid:oid objsubid:int4 provider label
pg_catalog.pg_seclabels objoid:oid classoid:oid objsubid:int4 objtype objnamespace:oid objname provider
  label
pg_catalog.pg_sequence seqrelid:oid seqtypid:oid seqstart:int8 seqincrement:int8 seqmax:int8 seqmin:int8
  seqcache:int8 seqcycle:bool
pg_catalog.pg_sequences schemaname:name sequencename:name sequenceowner:name data_type:regtype
  start_value:int8 min_value:int8 max_value:int8 increment_by:int8 cycle:bool cache_size:int8
  last_value:int8
pg_catalog.pg_aggregate aggfnoid:regproc aggkind:char aggnumdirectargs:int2 aggtransfn:regproc
  aggfinalfn:regproc aggcombinefn:regproc aggserialfn:regproc aggdeserialfn:regproc aggmtransfn:regproc
  aggminvtransfn:regproc aggmfinalfn:regproc aggfinalextra:bool aggmfinalextra:bool aggfinalmodify:char
  aggmfinalmodify:char aggsortop:oid aggtranstype:oid aggtransspace:int4 aggmtranstype:oid
  aggmtransspace:int4 agginitval aggminitval
pg_catalog.pg_operator oid:oid oprname:name oprnamespace:oid oprowner:oid oprkind:char oprcanmerge:bool
  oprcanhash:bool oprleft:oid oprright:oid oprresult:oid oprcom:oid oprnegate:oid oprcode:regproc
  oprrest:regproc oprjoin:regproc
pg_catalog.pg_opfamily oid:oid opfmethod:oid opfname:name opfnamespace:oid opfowner:oid
pg_catalog.pg_amop oid:oid amopfamily:oid amoplefttype:oid amoprighttype:oid amopstrategy:int2
  amoppurpose:char amopopr:oid amopmethod:oid amopsortfamily:oid
pg_catalog.pg_amproc oid:oid amprocfamily:oid amproclefttype:oid amprocrighttype:oid amprocnum:int2
  amproc:regproc
pg_catalog.pg_cast oid:oid castsource:oid casttarget:oid castfunc:oid castcontext:char castmethod:char
pg_catalog.pg_conversion oid:oid conname:name connamespace:oid conowner:oid conforencoding:int4
  contoencoding:int4 conproc:regproc condefault:bool
pg_catalog.pg_foreign_table ftrelid:oid ftserver:oid ftoptions:_text
pg_catalog.pg_foreign_server oid:oid srvname:name srvowner:oid srvfdw:oid srvtype srvversion srvacl:_aclitem
  srvoptions:_text
pg_catalog.pg_foreign_data_wrapper oid:oid fdwname:name fdwowner:oid fdwhandler:oid fdwvalidator:oid
  fdwacl:_aclitem fdwoptions:_text
pg_catalog.pg_user_mapping oid:oid umuser:oid umserver:oid umoptions:_text
pg_catalog.pg_user_mappings umid:oid srvid:oid srvname:name umuser:oid usename:name umoptions:_text
pg_catalog.pg_publication oid:oid pubname:name pubowner:oid puballtables:bool pubinsert:bool pubupdate:bool
  pubdelete:bool pubtruncate:bool pubviaroot:bool
pg_catalog.pg_publication_rel oid:oid prpubid:oid prrelid:oid prqual:pg_node_tree prattrs:int2vector
pg_catalog.pg_publication_namespace oid:oid pnpubid:oid pnnspid:oid
pg_catalog.pg_publication_tables pubname:name schemaname:name tablename:name attnames:_name rowfilter
pg_catalog.pg_subscription oid:oid subdbid:oid subskiplsn:pg_lsn subname:name subowner:oid subenabled:bool
  subbinary:bool substream:char subtwophasestate:char subdisableonerr:bool subpasswordrequired:bool
  subrunasowner:bool subconninfo subslotname:name subsynccommit subpublications:_text suborigin
pg_catalog.pg_subscription_rel srsubid:oid srrelid:oid srsubstate:char srsublsn:pg_lsn
pg_catalog.pg_replication_slots slot_name:name plugin:name slot_type datoid:oid database:name temporary:bool
  active:bool active_pid:int4 xmin:xid catalog_xmin:xid restart_lsn:pg_lsn confirmed_flush_lsn:pg_lsn
  wal_status safe_wal_size:int8 two_phase:bool conflicting:bool
pg_catalog.pg_largeobject_metadata oid:oid lomowner:oid lomacl:_aclitem
pg_catalog.pg_transform oid:oid trftype:oid trflang:oid trffromsql:regproc trftosql:regproc
pg_catalog.pg_ts_config oid:oid cfgname:name cfgnamespace:oid cfgowner:oid cfgparser:oid
pg_catalog.pg_ts_dict oid:oid dictname:name dictnamespace:oid dictowner:oid dicttemplate:oid dictinitoption
pg_catalog.pg_ts_parser oid:oid prsname:name prsnamespace:oid prsstart:regproc prstoken:regproc
  prsend:regproc prsheadline:regproc prslextype:regproc
pg_catalog.pg_ts_template oid:oid tmplname:name tmplnamespace:oid tmplinit:regproc tmpllexize:regproc
pg_catalog.pg_file_settings sourcefile sourceline:int4 seqno:int4 name setting applied:bool error
pg_catalog.pg_parameter_acl oid:oid parname paracl:_aclitem
pg_catalog.pg_replication_origin roident:oid roname
pg_catalog.pg_shseclabel objoid:oid classoid:oid provider label
pg_catalog.pg_ts_config_map mapcfg:oid maptokentype:int4 mapseqno:int4 mapdict:oid
pg_catalog.pg_replication_origin_status local_id:oid external_id remote_lsn:pg_lsn local_lsn:pg_lsn
pg_catalog.pg_shadow usename:name usesysid:oid usecreatedb:bool usesuper:bool userepl:bool usebypassrls:bool
  passwd valuntil:timestamptz useconfig:_text
pg_catalog.pg_stat_all_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name
  idx_scan:int8 last_idx_scan:timestamptz idx_tup_read:int8 idx_tup_fetch:int8
pg_catalog.pg_stat_archiver archived_count:int8 last_archived_wal last_archived_time:timestamptz
  failed_count:int8 last_failed_wal last_failed_time:timestamptz stats_reset:timestamptz
pg_catalog.pg_stat_bgwriter checkpoints_timed:int8 checkpoints_req:int8 checkpoint_write_time:float8
  checkpoint_sync_time:float8 buffers_checkpoint:int8 buffers_clean:int8 maxwritten_clean:int8
  buffers_backend:int8 buffers_backend_fsync:int8 buffers_alloc:int8 stats_reset:timestamptz
pg_catalog.pg_stat_database_conflicts datid:oid datname:name confl_tablespace:int8 confl_lock:int8
  confl_snapshot:int8 confl_bufferpin:int8 confl_deadlock:int8 confl_active_logicalslot:int8
pg_catalog.pg_stat_io backend_type object context reads:int8 read_time:float8 writes:int8 write_time:float8
  writebacks:int8 writeback_time:float8 extends:int8 extend_time:float8 op_bytes:int8 hits:int8
  evictions:int8 reuses:int8 fsyncs:int8 fsync_time:float8 stats_reset:timestamptz
pg_catalog.pg_stat_progress_analyze pid:int4 datid:oid datname:name relid:oid phase sample_blks_total:int8
  sample_blks_scanned:int8 ext_stats_total:int8 ext_stats_computed:int8 child_tables_total:int8
  child_tables_done:int8 current_child_table_relid:oid
pg_catalog.pg_stat_progress_basebackup pid:int4 phase backup_total:int8 backup_streamed:int8
  tablespaces_total:int8 tablespaces_streamed:int8
pg_catalog.pg_stat_progress_cluster pid:int4 datid:oid datname:name relid:oid command phase
  cluster_index_relid:oid heap_tuples_scanned:int8 heap_tuples_written:int8 heap_blks_total:int8
  heap_blks_scanned:int8 index_rebuild_count:int8
pg_catalog.pg_stat_progress_copy pid:int4 datid:oid datname:name relid:oid command type bytes_processed:int8
  bytes_total:int8 tuples_processed:int8 tuples_excluded:int8
pg_catalog.pg_stat_progress_create_index pid:int4 datid:oid datname:name relid:oid index_relid:oid command
  phase lockers_total:int8 lockers_done:int8 current_locker_pid:int8 blocks_total:int8 blocks_done:int8
  tuples_total:int8 tuples_done:int8 partitions_total:int8 partitions_done:int8
pg_catalog.pg_stat_progress_vacuum pid:int4 datid:oid datname:name relid:oid phase heap_blks_total:int8
  heap_blks_scanned:int8 heap_blks_vacuumed:int8 index_vacuum_count:int8 max_dead_tuples:int8
  num_dead_tuples:int8
pg_catalog.pg_stat_recovery_prefetch stats_reset:timestamptz prefetch:int8 hit:int8 skip_init:int8
  skip_new:int8 skip_fpw:int8 skip_rep:int8 wal_distance:int4 block_distance:int4 io_depth:int4
pg_catalog.pg_stat_replication_slots slot_name spill_txns:int8 spill_count:int8 spill_bytes:int8
  stream_txns:int8 stream_count:int8 stream_bytes:int8 total_txns:int8 total_bytes:int8
  stats_reset:timestamptz
pg_catalog.pg_stat_slru name blks_zeroed:int8 blks_hit:int8 blks_read:int8 blks_written:int8
  blks_exists:int8 flushes:int8 truncates:int8 stats_reset:timestamptz
pg_catalog.pg_stat_subscription subid:oid subname:name pid:int4 leader_pid:int4 relid:oid
  received_lsn:pg_lsn last_msg_send_time:timestamptz last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn
  latest_end_time:timestamptz
pg_catalog.pg_stat_subscription_stats subid:oid subname:name apply_error_count:int8 sync_error_count:int8
  stats_reset:timestamptz
pg_catalog.pg_stat_sys_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name
  idx_scan:int8 last_idx_scan:timestamptz idx_tup_read:int8 idx_tup_fetch:int8
pg_catalog.pg_stat_sys_tables relid:oid schemaname:name relname:name seq_scan:int8 last_seq_scan:timestamptz
  seq_tup_read:int8 idx_scan:int8 last_idx_scan:timestamptz idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8
  n_tup_del:int8 n_tup_hot_upd:int8 n_tup_newpage_upd:int8 n_live_tup:int8 n_dead_tup:int8
  n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz
  last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8
  analyze_count:int8 autoanalyze_count:int8
pg_catalog.pg_stat_user_functions funcid:oid schemaname:name funcname:name calls:int8 total_time:float8
  self_time:float8
pg_catalog.pg_stat_wal wal_records:int8 wal_fpi:int8 wal_bytes:numeric wal_buffers_full:int8 wal_write:int8
  wal_sync:int8 wal_write_time:float8 wal_sync_time:float8 stats_reset:timestamptz
pg_catalog.pg_stat_wal_receiver pid:int4 status receive_start_lsn:pg_lsn receive_start_tli:int4
  written_lsn:pg_lsn flushed_lsn:pg_lsn received_tli:int4 last_msg_send_time:timestamptz
  last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn latest_end_time:timestamptz slot_name sender_host
  sender_port:int4 conninfo
pg_catalog.pg_stat_xact_all_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8
  idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
  n_tup_newpage_upd:int8
pg_catalog.pg_stat_xact_sys_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8
  idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
  n_tup_newpage_upd:int8
pg_catalog.pg_stat_xact_user_functions funcid:oid schemaname:name funcname:name calls:int8 total_time:float8
  self_time:float8
pg_catalog.pg_stat_xact_user_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8
  idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
  n_tup_newpage_upd:int8
pg_catalog.pg_statio_all_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name
  idx_blks_read:int8 idx_blks_hit:int8
pg_catalog.pg_statio_all_sequences relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
pg_catalog.pg_statio_sys_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name
  idx_blks_read:int8 idx_blks_hit:int8
pg_catalog.pg_statio_sys_sequences relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
pg_catalog.pg_statio_sys_tables relid:oid schemaname:name relname:name heap_blks_read:int8
  heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8
  tidx_blks_read:int8 tidx_blks_hit:int8
pg_catalog.pg_statio_user_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name
  idx_blks_read:int8 idx_blks_hit:int8
pg_catalog.pg_statio_user_sequences relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
pg_catalog.pg_backend_memory_contexts name ident parent level:int4 total_bytes:int8 total_nblocks:int8
  free_bytes:int8 free_chunks:int8 used_bytes:int8
pg_catalog.pg_config name setting
pg_catalog.pg_hba_file_rules rule_number:int4 file_name line_number:int4 type database:_text user_name:_text
  address netmask auth_method options:_text error
pg_catalog.pg_ident_file_mappings map_number:int4 file_name line_number:int4 map_name sys_name pg_username
  error
pg_catalog.pg_largeobject loid:oid pageno:int4 data:bytea
pg_catalog.pg_shmem_allocations name off:int8 size:int8 allocated_size:int8
pg_catalog.pg_statistic starelid:oid staattnum:int2 stainherit:bool stanullfrac:float4 stawidth:int4
  stadistinct:float4 stakind1:int2 stakind2:int2 stakind3:int2 stakind4:int2 stakind5:int2 staop1:oid
  staop2:oid staop3:oid staop4:oid staop5:oid stacoll1:oid stacoll2:oid stacoll3:oid stacoll4:oid
  stacoll5:oid stanumbers1:_float4 stanumbers2:_float4 stanumbers3:_float4 stanumbers4:_float4
  stanumbers5:_float4 stavalues1:anyarray stavalues2:anyarray stavalues3:anyarray stavalues4:anyarray
  stavalues5:anyarray
pg_catalog.pg_statistic_ext_data stxoid:oid stxdinherit:bool stxdndistinct:pg_ndistinct
  stxddependencies:pg_dependencies stxdmcv:pg_mcv_list stxdexpr:_pg_statistic
pg_catalog.pg_stats_ext schemaname:name tablename:name statistics_schemaname:name statistics_name:name
  statistics_owner:name attnames:_name exprs:_text kinds:_char inherited:bool n_distinct:pg_ndistinct
  dependencies:pg_dependencies most_common_vals:_text most_common_val_nulls:_bool most_common_freqs:_float8
  most_common_base_freqs:_float8
pg_catalog.pg_stats_ext_exprs schemaname:name tablename:name statistics_schemaname:name statistics_name:name
  statistics_owner:name expr inherited:bool null_frac:float4 avg_width:int4 n_distinct:float4
  most_common_vals:anyarray most_common_freqs:_float4 histogram_bounds:anyarray correlation:float4
  most_common_elems:anyarray most_common_elem_freqs:_float4 elem_count_histogram:_float4
functions.aclexplode grantor:oid grantee:oid privilege_type is_grantable:bool
functions.pg_available_extensions name:name default_version comment
functions.pg_available_extension_versions name:name version superuser:bool trusted:bool relocatable:bool schema:name
  requires:_name comment
functions.pg_listening_channels pg_listening_channels
functions.pg_options_to_table option_name option_value
functions.pg_partition_tree relid:regclass parentrelid:regclass isleaf:bool level:int4
functions.ts_token_type tokid:int4 alias description
"""
