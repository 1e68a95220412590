"""PostgreSQL 16's own types but arrays, one in a line, as pg_type has them.

OID, name, name in SQL where it differs, length in bytes (-1: variable), whether it is passed by value, typtype,
category (* where it is preferred in it), alignment and storage, OID of its array type, OID of its element, and its
functions: what their names begin with, and the OIDs of input, output, receive, send, typmodin and typmodout (0 or left
out: there is none).
Source: https://www.postgresql.org/docs/16/catalog-pg-type.html
"""

from __future__ import annotations

from typing import Final

TYPE_ROWS: Final = """
16|bool|boolean|1|t|b|B*|cp|1000|0|bool 1242 1243 2436 2437
17|bytea||-1|f|b|U|ix|1001|0|bytea 1244 31 2412 2413
18|char|"char"|1|t|b|Z|cp|1002|0|char 1245 33 2434 2435
19|name||64|f|b|S|cp|1003|18|name 34 35 2422 2423
20|int8|bigint|8|t|b|N|dp|1016|0|int8 460 461 2408 2409
21|int2|smallint|2|t|b|N|sp|1005|0|int2 38 39 2404 2405
22|int2vector||-1|f|b|A|ip|1006|21|int2vector 40 41 2410 2411
23|int4|integer|4|t|b|N|ip|1007|0|int4 42 43 2406 2407
24|regproc||4|t|b|N|ip|1008|0|regproc 44 45 2444 2445
25|text||-1|f|b|S*|ix|1009|0|text 46 47 2414 2415
26|oid||4|t|b|N*|ip|1028|0|oid 1798 1799 2418 2419
27|tid||6|f|b|U|sp|1010|0|tid 48 49 2438 2439
28|xid||4|t|b|U|ip|1011|0|xid 50 51 2440 2441
29|cid||4|t|b|U|ip|1012|0|cid 52 53 2442 2443
30|oidvector||-1|f|b|A|ip|1013|26|oidvector 54 55 2420 2421
32|pg_ddl_command||8|t|p|P|dp|0|0|pg_ddl_command_ 86 87 88 90
114|json||-1|f|b|U|ix|199|0|json_ 321 322 323 324
142|xml||-1|f|b|U|ix|143|0|xml_ 2893 2894 2898 2899
194|pg_node_tree||-1|f|b|Z|ix|0|0|pg_node_tree_ 195 196 197 198
269|table_am_handler||4|t|p|P|ip|0|0|table_am_handler_ 267 268
325|index_am_handler||4|t|p|P|ip|0|0|index_am_handler_ 326 327
600|point||16|f|b|G|dp|1017|701|point_ 117 118 2428 2429
601|lseg||32|f|b|G|dp|1018|600|lseg_ 119 120 2480 2481
602|path||-1|f|b|G|dx|1019|0|path_ 121 122 2482 2483
603|box||32|f|b|G|dp|1020|600|box_ 123 124 2484 2485
604|polygon||-1|f|b|G|dx|1027|0|poly_ 347 348 2486 2487
628|line||24|f|b|G|dp|629|701|line_ 1490 1491 2488 2489
650|cidr||-1|f|b|I|im|651|0|cidr_ 1267 1427 2498 2499
700|float4|real|4|t|b|N|ip|1021|0|float4 200 201 2424 2425
701|float8|double precision|8|t|b|N*|dp|1022|0|float8 214 215 2426 2427
705|unknown||-2|f|p|X|cp|0|0|unknown 109 110 2416 2417
718|circle||24|f|b|G|dp|719|0|circle_ 1450 1451 2490 2491
774|macaddr8||8|f|b|U|ip|775|0|macaddr8_ 4110 4111 3446 3447
790|money||8|t|b|N|dp|791|0|cash_ 886 887 2492 2493
829|macaddr||6|f|b|U|ip|1040|0|macaddr_ 436 437 2494 2495
869|inet||-1|f|b|I*|im|1041|0|inet_ 910 911 2496 2497
1033|aclitem||16|f|b|U|dp|1034|0|aclitem 1031 1032
1042|bpchar|character|-1|f|b|S|ix|1014|0|bpchar 1044 1045 2430 2431 2913 2914
1043|varchar|character varying|-1|f|b|S|ix|1015|0|varchar 1046 1047 2432 2433 2915 2916
1082|date||4|t|b|D|ip|1182|0|date_ 1084 1085 2468 2469
1083|time|time without time zone|8|t|b|D|dp|1183|0|time_ 1143 1144 2470 2471 2909 2910
1114|timestamp|timestamp without time zone|8|t|b|D|dp|1115|0|timestamp_ 1312 1313 2474 2475 2905 2906
1184|timestamptz|timestamp with time zone|8|t|b|D*|dp|1185|0|timestamptz_ 1150 1151 2476 2477 2907 2908
1186|interval||16|f|b|T*|dp|1187|0|interval_ 1160 1161 2478 2479 2903 2904
1266|timetz|time with time zone|12|f|b|D|dp|1270|0|timetz_ 1350 1351 2472 2473 2911 2912
1560|bit||-1|f|b|V|ix|1561|0|bit_ 1564 1565 2456 2457 2919 2920
1562|varbit|bit varying|-1|f|b|V*|ix|1563|0|varbit_ 1579 1580 2458 2459 2902 2921
1700|numeric||-1|f|b|N|im|1231|0|numeric_ 1701 1702 2460 2461 2917 2918
1790|refcursor||-1|f|b|U|ix|2201|0|text 46 47 2414 2415
2202|regprocedure||4|t|b|N|ip|2207|0|regprocedure 2212 2213 2446 2447
2203|regoper||4|t|b|N|ip|2208|0|regoper 2214 2215 2448 2449
2204|regoperator||4|t|b|N|ip|2209|0|regoperator 2216 2217 2450 2451
2205|regclass||4|t|b|N|ip|2210|0|regclass 2218 2219 2452 2453
2206|regtype||4|t|b|N|ip|2211|0|regtype 2220 2221 2454 2455
2249|record||-1|f|p|P|dx|2287|0|record_ 2290 2291 2402 2403
2275|cstring||-2|f|p|P|cp|1263|0|cstring_ 2292 2293 2500 2501
2276|any|"any"|4|t|p|P|ip|0|0|any_ 2294 2295
2277|anyarray||-1|f|p|P|dx|0|0|anyarray_ 2296 2297 2502 2503
2278|void||4|t|p|P|ip|0|0|void_ 2298 2299 3120 3121
2279|trigger||4|t|p|P|ip|0|0|trigger_ 2300 2301
2280|language_handler||4|t|p|P|ip|0|0|language_handler_ 2302 2303
2281|internal||8|t|p|P|dp|0|0|internal_ 2304 2305
2283|anyelement||4|t|p|P|ip|0|0|anyelement_ 2312 2313
2776|anynonarray||4|t|p|P|ip|0|0|anynonarray_ 2777 2778
2950|uuid||16|f|b|U|cp|2951|0|uuid_ 2952 2953 2961 2962
2970|txid_snapshot||-1|f|b|U|dx|2949|0|txid_snapshot_ 2939 2940 2941 2942
3115|fdw_handler||4|t|p|P|ip|0|0|fdw_handler_ 3116 3117
3220|pg_lsn||8|t|b|U|dp|3221|0|pg_lsn_ 3229 3230 3238 3239
3310|tsm_handler||4|t|p|P|ip|0|0|tsm_handler_ 3311 3312
3361|pg_ndistinct||-1|f|b|Z|ix|0|0|pg_ndistinct_ 3355 3356 3357 3358
3402|pg_dependencies||-1|f|b|Z|ix|0|0|pg_dependencies_ 3404 3405 3406 3407
3500|anyenum||4|t|p|P|ip|0|0|anyenum_ 3504 3505
3614|tsvector||-1|f|b|U|ix|3643|0|tsvector 3610 3611 3639 3638
3615|tsquery||-1|f|b|U|ip|3645|0|tsquery 3612 3613 3641 3640
3642|gtsvector||-1|f|b|U|ip|3644|0|gtsvector 3646 3647
3734|regconfig||4|t|b|N|ip|3735|0|regconfig 3736 3737 3738 3739
3769|regdictionary||4|t|b|N|ip|3770|0|regdictionary 3771 3772 3773 3774
3802|jsonb||-1|f|b|U|ix|3807|0|jsonb_ 3806 3804 3805 3803
3831|anyrange||-1|f|p|P|dx|0|0|anyrange_ 3832 3833
3838|event_trigger||4|t|p|P|ip|0|0|event_trigger_ 3594 3595
3904|int4range||-1|f|r|R|ix|3905|0|range_ 3834 3835 3836 3837
3906|numrange||-1|f|r|R|ix|3907|0|range_ 3834 3835 3836 3837
3908|tsrange||-1|f|r|R|dx|3909|0|range_ 3834 3835 3836 3837
3910|tstzrange||-1|f|r|R|dx|3911|0|range_ 3834 3835 3836 3837
3912|daterange||-1|f|r|R|ix|3913|0|range_ 3834 3835 3836 3837
3926|int8range||-1|f|r|R|dx|3927|0|range_ 3834 3835 3836 3837
4072|jsonpath||-1|f|b|U|ix|4073|0|jsonpath_ 4001 4003 4002 4004
4089|regnamespace||4|t|b|N|ip|4090|0|regnamespace 4084 4085 4087 4088
4096|regrole||4|t|b|N|ip|4097|0|regrole 4098 4092 4094 4095
4191|regcollation||4|t|b|N|ip|4192|0|regcollation 4193 4194 4196 4197
4451|int4multirange||-1|f|m|R|ix|6150|0|multirange_ 4231 4232 4233 4234
4532|nummultirange||-1|f|m|R|ix|6151|0|multirange_ 4231 4232 4233 4234
4533|tsmultirange||-1|f|m|R|dx|6152|0|multirange_ 4231 4232 4233 4234
4534|tstzmultirange||-1|f|m|R|dx|6153|0|multirange_ 4231 4232 4233 4234
4535|datemultirange||-1|f|m|R|ix|6155|0|multirange_ 4231 4232 4233 4234
4536|int8multirange||-1|f|m|R|dx|6157|0|multirange_ 4231 4232 4233 4234
4537|anymultirange||-1|f|p|P|dx|0|0|anymultirange_ 4229 4230
4538|anycompatiblemultirange||-1|f|p|P|dx|0|0|anycompatiblemultirange_ 4226 4227
4600|pg_brin_bloom_summary||-1|f|b|Z|ix|0|0|brin_bloom_summary_ 4596 4597 4598 4599
4601|pg_brin_minmax_multi_summary||-1|f|b|Z|ix|0|0|brin_minmax_multi_summary_ 4638 4639 4640 4641
5017|pg_mcv_list||-1|f|b|Z|ix|0|0|pg_mcv_list_ 5018 5019 5020 5021
5038|pg_snapshot||-1|f|b|U|dx|5039|0|pg_snapshot_ 5055 5056 5057 5058
5069|xid8||8|t|b|U|dp|271|0|xid8 5070 5081 5082 5083
5077|anycompatible||4|t|p|P|ip|0|0|anycompatible_ 5086 5087
5078|anycompatiblearray||-1|f|p|P|dx|0|0|anycompatiblearray_ 5088 5089 5090 5091
5079|anycompatiblenonarray||4|t|p|P|ip|0|0|anycompatiblenonarray_ 5092 5093
5080|anycompatiblerange||-1|f|p|P|dx|0|0|anycompatiblerange_ 5094 5095
"""
