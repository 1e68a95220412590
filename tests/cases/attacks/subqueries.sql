-- Subqueries and common table expressions, and the names they hide

WITH r0 AS (SELECT ward, count(*) c FROM visits GROUP BY ward) SELECT * FROM r0
-- answered: ward VARCHAR, c BIGINT | 3 rows | epsilon 1

WITH r0 AS (SELECT 1 AS k0, 2 AS a0) SELECT ward, count(*), (SELECT max(k0) FROM r0) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT, (SELECT max(k0) FROM r0) INTEGER | 3 rows | epsilon 1

WITH released AS (SELECT 1 x) SELECT count(*), (SELECT x FROM released) FROM visits
-- answered: count_star() BIGINT, (SELECT x FROM released) INTEGER | 1 row | epsilon 1

SELECT ward, (SELECT a0) FROM visits GROUP BY ward
-- refused: line 1, column 22: there is no column "a0"

SELECT ward, count(*), (SELECT max(wing) FROM wards WHERE wards.ward = visits.ward) FROM visits GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT, (SELECT max(wing) FROM wards WHERE (wards.ward = visits.ward)) VARCHAR | 3 rows | epsilon 1

SELECT ward, count(*), (SELECT max(k0) FROM wards) FROM visits GROUP BY ward
-- refused: line 1, column 36: there is no column "k0"

WITH visits AS (SELECT ward, count(*) c FROM visits GROUP BY ward) SELECT sum(c) FROM visits
-- answered: sum(c) HUGEINT | 1 row | epsilon 1

WITH wards AS (SELECT * FROM visits) SELECT count(*) FROM wards
-- answered: count_star() BIGINT | 1 row | epsilon 1

WITH wards AS (SELECT * FROM visits) SELECT * FROM wards
-- refused: line 1, column 45: the query would return rows of a private table

WITH visits AS (SELECT 1 AS patient) SELECT patient FROM visits
-- answered: patient INTEGER | 1 row | epsilon 0

WITH visits AS (SELECT 1 AS patient) SELECT patient FROM main.visits
-- refused: line 1, column 6: the query would return rows of a private table

WITH a AS (SELECT * FROM visits), a AS (SELECT 1 AS x) SELECT * FROM a
-- refused: DuckDB's parser does not take this text for a SELECT statement

WITH a AS (SELECT * FROM visits) SELECT 1
-- answered: 1 INTEGER | 1 row | epsilon 0

WITH a AS (SELECT count(*) FROM visits) SELECT 1
-- answered: 1 INTEGER | 1 row | epsilon 1

SELECT count(*) FROM (SELECT ward FROM visits ORDER BY age) x
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM (SELECT ward FROM visits ORDER BY age LIMIT 5) x
-- refused: line 1, column 30: LIMIT on private rows depends on their order

SELECT count(*) FROM (SELECT ward FROM visits FETCH FIRST 5 ROWS ONLY) x
-- refused: line 1, column 30: LIMIT on private rows depends on their order

SELECT count(*) FROM (SELECT ward FROM visits OFFSET 5) x
-- refused: line 1, column 30: LIMIT on private rows depends on their order

SELECT ward, count(*) FROM visits GROUP BY ward LIMIT (SELECT max(patient) FROM visits)
-- refused: line 1, column 63: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT ward, count(*) FROM visits GROUP BY ward LIMIT (SELECT count(*) FROM visits)
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward LIMIT (SELECT count(*) FROM wards)
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY (SELECT max(patient) FROM visits)
-- refused: line 1, column 66: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT ward FROM visits GROUP BY ward HAVING count(*) > (SELECT avg(c) FROM (SELECT count(*) c FROM visits GROUP BY ward) z)
-- answered: ward VARCHAR | 1 row | epsilon 1

SELECT ward FROM visits GROUP BY ward HAVING count(*) > (SELECT max(cost) FROM visits)
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT ward, count(*) FROM visits GROUP BY ward HAVING EXISTS (SELECT 1 FROM visits WHERE patient = 777777)
-- refused: line 1, column 71: a subquery would return rows of a private table

SELECT ward, count(*) FROM visits WHERE EXISTS (SELECT 1 FROM visits x WHERE x.patient = 777777) GROUP BY ward
-- refused: line 1, column 63: the query would put rows of different units side by side

SELECT ward, count(*) FROM visits WHERE patient IN (SELECT patient FROM visits WHERE age > 80) GROUP BY ward
-- answered: ward VARCHAR, count_star() BIGINT | 3 rows | epsilon 1

SELECT r.ward FROM wards r WHERE EXISTS (SELECT 1 FROM visits WHERE visits.ward = r.ward)
-- refused: line 1, column 83: the query cannot name the row of "r" around it

SELECT r.ward FROM wards r WHERE r.ward IN (SELECT ward FROM visits)
-- refused: line 1, column 52: a subquery would return rows of a private table

SELECT r.ward FROM wards r WHERE r.ward IN (SELECT ward FROM visits GROUP BY ward HAVING count(*) > 10)
-- answered: ward VARCHAR | 3 rows | epsilon 1

SELECT r.ward, (SELECT count(*) FROM visits WHERE visits.ward = r.ward) FROM wards r
-- answered: ward VARCHAR, (SELECT count_star() FROM visits WHERE (visits.ward = r.ward)) BIGINT | 3 rows | epsilon 1

SELECT r.ward, (SELECT count(*) FROM visits WHERE ward = wing) FROM wards r
-- answered: ward VARCHAR, (SELECT count_star() FROM visits WHERE (ward = wing)) BIGINT | 3 rows | epsilon 1

SELECT (SELECT count(*) FROM visits) - (SELECT count(*) FROM visits)
-- answered: ((SELECT count_star() FROM visits) - (SELECT count_star() FROM visits)) BIGINT | 1 row | epsilon 1

SELECT a.c, b.c FROM (SELECT count(*) c FROM visits) a, (SELECT count(*) c FROM visits) b
-- answered: c BIGINT, c BIGINT | 1 row | epsilon 1

SELECT x.u, count(*) FROM (SELECT patient AS u FROM visits) x GROUP BY x.u
-- refused: line 1, column 8: the query would return a row for each unit

SELECT count(DISTINCT u) FROM (SELECT patient AS u FROM visits) x
-- answered: count(DISTINCT u) BIGINT | 1 row | epsilon 1

SELECT count(DISTINCT u) FROM (SELECT patient + 0 AS u FROM visits) x
-- answered: count(DISTINCT u) BIGINT | 1 row | epsilon 1

SELECT (SELECT 1), count(*) FROM visits GROUP BY ALL
-- answered: (SELECT 1) INTEGER, count_star() BIGINT | 1 row | epsilon 1

SELECT (SELECT max(patient) FROM visits), count(*) FROM visits GROUP BY ALL
-- refused: line 1, column 16: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT sum(cost) FROM (SELECT patient AS cost FROM visits) x
-- refused: line 1, column 8: SUM needs a bounded argument, and the column "patient" has no bounds

SELECT sum(cost) FROM (SELECT age AS cost FROM visits) x
-- answered: sum("cost") HUGEINT | 1 row | epsilon 1

SELECT sum(a) FROM (SELECT patient, cost FROM visits) x(a)
-- refused: line 1, column 8: SUM needs a bounded argument, and the column "patient" has no bounds

SELECT sum(a) FROM (SELECT patient, cost FROM visits) x(b, a)
-- answered: sum(a) DOUBLE | 1 row | epsilon 1

SELECT a, b FROM (SELECT count(*) AS b, sum(nights) AS a FROM visits) x(a, b)
-- answered: a BIGINT, b HUGEINT | 1 row | epsilon 1

SELECT x FROM (SELECT count(*) AS x, 'abc' AS "#i" FROM visits) y
-- answered: x BIGINT | 1 row | epsilon 1

SELECT "#i" FROM (SELECT count(*) AS "#i" FROM visits) y
-- answered: #i BIGINT | 1 row | epsilon 1

SELECT * FROM (SELECT count(*) AS "#i", 5 AS "#I" FROM visits) y
-- answered: #i BIGINT, #I_1 INTEGER | 1 row | epsilon 1

SELECT * FROM (SELECT count(*) AS i, 5 AS i FROM visits) y
-- answered: i BIGINT, i_1 INTEGER | 1 row | epsilon 1

SELECT i FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) y
-- refused: line 1, column 8: there is no column "i"

SELECT k0, a0 FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) y
-- refused: line 1, column 8: there is no column "k0"

SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM visits WHERE patient = 777777)) FROM visits
-- refused: line 1, column 53: the query would put rows of different units side by side

SELECT "a""b" FROM (SELECT count(*) AS "a""b" FROM visits) "q""q"
-- answered: a"b BIGINT | 1 row | epsilon 1

SELECT * FROM (SELECT count(*) c, sum(age) c FROM visits) x
-- answered: c BIGINT, c_1 HUGEINT | 1 row | epsilon 1

SELECT c FROM (SELECT count(*) c, sum(age) c FROM visits) x
-- answered: c BIGINT | 1 row | epsilon 1

SELECT string_agg(w.ward, ',') FROM wards w
-- refused: line 1, column 8: STRING_AGG is not supported but over the rows of one released table

SELECT string_agg(ward, ',') FROM (SELECT ward FROM visits GROUP BY ward) x
-- answered: string_agg(ward, ',') VARCHAR | 1 row | epsilon 0

SELECT string_agg(CAST(c AS VARCHAR), ',') FROM (SELECT ward, count(*) c FROM visits GROUP BY ward) x
-- answered: string_agg(CAST(c AS VARCHAR), ',') VARCHAR | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE (SELECT true)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age = (SELECT 41)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age IN (SELECT 41)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age = ANY (SELECT 41)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT x.c FROM wards r, (SELECT count(*) c FROM visits WHERE visits.ward = r.ward) x
-- refused: line 1, column 77: the query cannot name the row of "r" around it

SELECT count(*) FROM ((SELECT * FROM visits)) x
-- answered: count_star() BIGINT | 1 row | epsilon 1

WITH x AS MATERIALIZED (SELECT * FROM visits) SELECT count(*) FROM x
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT c, c_1 FROM (SELECT count(*) c, sum(age) c FROM visits) x
-- answered: c BIGINT, c_1 HUGEINT | 1 row | epsilon 1

SELECT "#released row" FROM (SELECT count(*) AS "#RELEASED row" FROM visits) y
-- answered: #RELEASED row BIGINT | 1 row | epsilon 1

SELECT main.x.age FROM (SELECT count(*) AS age FROM visits) x
-- refused: DuckDB does not accept the query...

SELECT ward FROM wards LIMIT (SELECT max(patient) FROM visits)
-- refused: line 1, column 38: MAX needs a bounded argument, and the column "patient" has no bounds

SELECT ward FROM wards LIMIT (SELECT count(*) FROM visits)
-- answered: ward VARCHAR | 3 rows | epsilon 1

SELECT ward FROM wards OFFSET (SELECT count(*) FROM visits)
-- answered: ward VARCHAR | 0 rows | epsilon 1

SELECT CASE WHEN (SELECT count(*) FROM visits) > 5 THEN (SELECT patient FROM visits) END
-- refused: line 1, column 57: a subquery would return rows of a private table

SELECT ward FROM wards WHERE ward = (SELECT ward FROM visits)
-- refused: line 1, column 37: a subquery would return rows of a private table

SELECT count(*) FROM visits HAVING (SELECT count(*) FROM visits WHERE patient = 777777) > -1000
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT (SELECT count(*) FROM visits WHERE age > x.c) FROM (SELECT count(*) c FROM visits) x
-- refused: line 1, column 16: an aggregate of private rows can depend on the row around it by equalities in WHERE alone

SELECT (SELECT count(*) FROM visits HAVING count(*) > x.c) FROM (SELECT 5 AS c) x
-- refused: line 1, column 55: the query cannot name the row of "x" around it

SELECT (SELECT ward FROM visits GROUP BY ward ORDER BY count(*) DESC LIMIT 1)
-- answered: (SELECT ward FROM visits GROUP BY ward ORDER BY count_star() DESC LIMIT 1) VARCHAR | 1 row | epsilon 1

SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits x WHERE x.patient = v.patient AND x.age > 80)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits x WHERE x.age = v.age)
-- refused: line 1, column 59: the query would put rows of different units side by side

SELECT count(*) FROM visits v WHERE age IN (SELECT age FROM visits)
-- refused: line 1, column 61: the query would put rows of different units side by side

SELECT count(*) FROM visits v WHERE age NOT IN (SELECT age FROM visits x WHERE x.patient = v.patient AND x.nights > 2)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits v WHERE patient NOT IN (SELECT patient FROM visits WHERE age > 80)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age > (SELECT avg(age) FROM visits)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age > (SELECT avg(age) FROM visits WHERE patient = 777777)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE age > (SELECT age FROM visits WHERE patient = 777777)
-- refused: line 1, column 49: a subquery with a value of private rows is not supported here

SELECT count(*) FROM visits WHERE age > (SELECT max(age) FROM visits)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE ward IN (SELECT ward FROM wards WHERE wing > 'a')
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT avg(n) FROM (SELECT patient, least(count(*), 5) AS n FROM visits GROUP BY patient) x
-- answered: avg(n) DOUBLE | 1 row | epsilon 1

SELECT avg(n) FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) x
-- answered: avg(n) DOUBLE | 1 row | epsilon 1

SELECT avg(n * doctor) FROM (SELECT patient, doctor, count(*) AS n FROM visits GROUP BY patient, doctor) x
-- refused: line 1, column 8: AVG needs a bounded argument, and the expression has no finite range

SELECT n, count(*) FROM (SELECT patient, least(count(*), 3) AS n FROM visits GROUP BY patient HAVING count(*) > 1) x GROUP BY n
-- answered: n BIGINT, count_star() BIGINT | 2 rows | epsilon 1

SELECT count(*) FROM (SELECT patient, sum(nights) AS s FROM visits GROUP BY patient) x WHERE s > 3
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT p, n FROM (SELECT patient AS p, count(*) AS n FROM visits GROUP BY patient) x
-- refused: line 1, column 8: the query would return rows of a private table

SELECT n FROM (SELECT patient AS p, count(*) AS n FROM visits GROUP BY patient) x LIMIT 1
-- refused: line 1, column 8: LIMIT on private rows depends on their order

-- Each row of a list is a condition, and DuckDB's time to plan grows with the square of their number
SELECT count(*) FROM visits WHERE (nights, age) IN (SELECT kind, code FROM codes)
-- answered: count_star() BIGINT | 1 row | epsilon 1

SELECT count(*) FROM visits WHERE (doctor, age) IN (SELECT code * 7, code FROM codes)
-- refused: line 1, column 35: a row in parentheses is compared with 2000 others, more than 500

SELECT count(*) FROM visits WHERE (doctor, age) IN ((0, 2), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (10, 2), (11, 2), (12, 2), (13, 2), (14, 2), (15, 2), (16, 2), (17, 2), (18, 2), (19, 2), (20, 2), (21, 2), (22, 2), (23, 2), (24, 2), (25, 2), (26, 2), (27, 2), (28, 2), (29, 2), (30, 2), (31, 2), (32, 2), (33, 2), (34, 2), (35, 2), (36, 2), (37, 2), (38, 2), (39, 2), (40, 2), (41, 2), (42, 2), (43, 2), (44, 2), (45, 2), (46, 2), (47, 2), (48, 2), (49, 2), (50, 2), (51, 2), (52, 2), (53, 2), (54, 2), (55, 2), (56, 2), (57, 2), (58, 2), (59, 2), (60, 2), (61, 2), (62, 2), (63, 2), (64, 2), (65, 2), (66, 2), (67, 2), (68, 2), (69, 2), (70, 2), (71, 2), (72, 2), (73, 2), (74, 2), (75, 2), (76, 2), (77, 2), (78, 2), (79, 2), (80, 2), (81, 2), (82, 2), (83, 2), (84, 2), (85, 2), (86, 2), (87, 2), (88, 2), (89, 2), (90, 2), (91, 2), (92, 2), (93, 2), (94, 2), (95, 2), (96, 2), (97, 2), (98, 2), (99, 2), (100, 2), (101, 2), (102, 2), (103, 2), (104, 2), (105, 2), (106, 2), (107, 2), (108, 2), (109, 2), (110, 2), (111, 2), (112, 2), (113, 2), (114, 2), (115, 2), (116, 2), (117, 2), (118, 2), (119, 2), (120, 2), (121, 2), (122, 2), (123, 2), (124, 2), (125, 2), (126, 2), (127, 2), (128, 2), (129, 2), (130, 2), (131, 2), (132, 2), (133, 2), (134, 2), (135, 2), (136, 2), (137, 2), (138, 2), (139, 2), (140, 2), (141, 2), (142, 2), (143, 2), (144, 2), (145, 2), (146, 2), (147, 2), (148, 2), (149, 2), (150, 2), (151, 2), (152, 2), (153, 2), (154, 2), (155, 2), (156, 2), (157, 2), (158, 2), (159, 2), (160, 2), (161, 2), (162, 2), (163, 2), (164, 2), (165, 2), (166, 2), (167, 2), (168, 2), (169, 2), (170, 2), (171, 2), (172, 2), (173, 2), (174, 2), (175, 2), (176, 2), (177, 2), (178, 2), (179, 2), (180, 2), (181, 2), (182, 2), (183, 2), (184, 2), (185, 2), (186, 2), (187, 2), (188, 2), (189, 2), (190, 2), (191, 2), (192, 2), (193, 2), (194, 2), (195, 2), (196, 2), (197, 2), (198, 2), (199, 2), (200, 2), (201, 2), (202, 2), (203, 2), (204, 2), (205, 2), (206, 2), (207, 2), (208, 2), (209, 2), (210, 2), (211, 2), (212, 2), (213, 2), (214, 2), (215, 2), (216, 2), (217, 2), (218, 2), (219, 2), (220, 2), (221, 2), (222, 2), (223, 2), (224, 2), (225, 2), (226, 2), (227, 2), (228, 2), (229, 2), (230, 2), (231, 2), (232, 2), (233, 2), (234, 2), (235, 2), (236, 2), (237, 2), (238, 2), (239, 2), (240, 2), (241, 2), (242, 2), (243, 2), (244, 2), (245, 2), (246, 2), (247, 2), (248, 2), (249, 2), (250, 2), (251, 2), (252, 2), (253, 2), (254, 2), (255, 2), (256, 2), (257, 2), (258, 2), (259, 2), (260, 2), (261, 2), (262, 2), (263, 2), (264, 2), (265, 2), (266, 2), (267, 2), (268, 2), (269, 2), (270, 2), (271, 2), (272, 2), (273, 2), (274, 2), (275, 2), (276, 2), (277, 2), (278, 2), (279, 2), (280, 2), (281, 2), (282, 2), (283, 2), (284, 2), (285, 2), (286, 2), (287, 2), (288, 2), (289, 2), (290, 2), (291, 2), (292, 2), (293, 2), (294, 2), (295, 2), (296, 2), (297, 2), (298, 2), (299, 2), (300, 2), (301, 2), (302, 2), (303, 2), (304, 2), (305, 2), (306, 2), (307, 2), (308, 2), (309, 2), (310, 2), (311, 2), (312, 2), (313, 2), (314, 2), (315, 2), (316, 2), (317, 2), (318, 2), (319, 2), (320, 2), (321, 2), (322, 2), (323, 2), (324, 2), (325, 2), (326, 2), (327, 2), (328, 2), (329, 2), (330, 2), (331, 2), (332, 2), (333, 2), (334, 2), (335, 2), (336, 2), (337, 2), (338, 2), (339, 2), (340, 2), (341, 2), (342, 2), (343, 2), (344, 2), (345, 2), (346, 2), (347, 2), (348, 2), (349, 2), (350, 2), (351, 2), (352, 2), (353, 2), (354, 2), (355, 2), (356, 2), (357, 2), (358, 2), (359, 2), (360, 2), (361, 2), (362, 2), (363, 2), (364, 2), (365, 2), (366, 2), (367, 2), (368, 2), (369, 2), (370, 2), (371, 2), (372, 2), (373, 2), (374, 2), (375, 2), (376, 2), (377, 2), (378, 2), (379, 2), (380, 2), (381, 2), (382, 2), (383, 2), (384, 2), (385, 2), (386, 2), (387, 2), (388, 2), (389, 2), (390, 2), (391, 2), (392, 2), (393, 2), (394, 2), (395, 2), (396, 2), (397, 2), (398, 2), (399, 2), (400, 2), (401, 2), (402, 2), (403, 2), (404, 2), (405, 2), (406, 2), (407, 2), (408, 2), (409, 2), (410, 2), (411, 2), (412, 2), (413, 2), (414, 2), (415, 2), (416, 2), (417, 2), (418, 2), (419, 2), (420, 2), (421, 2), (422, 2), (423, 2), (424, 2), (425, 2), (426, 2), (427, 2), (428, 2), (429, 2), (430, 2), (431, 2), (432, 2), (433, 2), (434, 2), (435, 2), (436, 2), (437, 2), (438, 2), (439, 2), (440, 2), (441, 2), (442, 2), (443, 2), (444, 2), (445, 2), (446, 2), (447, 2), (448, 2), (449, 2), (450, 2), (451, 2), (452, 2), (453, 2), (454, 2), (455, 2), (456, 2), (457, 2), (458, 2), (459, 2), (460, 2), (461, 2), (462, 2), (463, 2), (464, 2), (465, 2), (466, 2), (467, 2), (468, 2), (469, 2), (470, 2), (471, 2), (472, 2), (473, 2), (474, 2), (475, 2), (476, 2), (477, 2), (478, 2), (479, 2), (480, 2), (481, 2), (482, 2), (483, 2), (484, 2), (485, 2), (486, 2), (487, 2), (488, 2), (489, 2), (490, 2), (491, 2), (492, 2), (493, 2), (494, 2), (495, 2), (496, 2), (497, 2), (498, 2), (499, 2), (500, 2))
-- refused: line 1, column 35: a row in parentheses is compared with 501 others, more than 500
