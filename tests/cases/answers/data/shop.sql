-- What the cases are asked about: 24 orders of 9 customers, one of whom (1) ordered eight times, and three public tables.
CREATE TABLE orders AS SELECT * FROM (VALUES
    (1, 'north', 101, 1, 10.00, DATE '2025-01-05', TIMESTAMP '2025-01-05 08:00:00', true,  5,    'spring'),
    (1, 'north', 101, 2, 20.00, DATE '2025-01-06', TIMESTAMP '2025-01-06 09:30:00', true,  4,    NULL),
    (1, 'north', 102, 3, 30.00, DATE '2025-01-20', TIMESTAMP '2025-01-20 10:00:00', false, NULL, NULL),
    (1, 'south', 102, 4, 40.00, DATE '2025-02-01', TIMESTAMP '2025-02-01 11:00:00', true,  3,    'spring'),
    (1, 'south', 103, 5, 50.00, DATE '2025-02-14', TIMESTAMP '2025-02-14 12:15:00', true,  NULL, NULL),
    (1, 'south', 103, 6, 60.00, DATE '2025-02-28', TIMESTAMP '2025-02-28 13:00:00', false, 2,    NULL),
    (1, 'east',  104, 7, 70.00, DATE '2025-03-01', TIMESTAMP '2025-03-01 14:00:00', true,  1,    'summer'),
    (1, 'east',  104, 8, 80.00, DATE '2025-03-31', TIMESTAMP '2025-03-31 23:59:59', true,  5,    NULL),
    (2, 'north', 101, 1, 15.50, DATE '2025-01-07', TIMESTAMP '2025-01-07 08:00:00', true,  4,    'spring'),
    (2, 'south', 102, 2, 25.50, DATE '2025-02-07', TIMESTAMP '2025-02-07 08:00:00', false, 4,    NULL),
    (2, 'south', 101, 3, 35.50, DATE '2025-03-07', TIMESTAMP '2025-03-07 08:00:00', true,  NULL, NULL),
    (3, 'north', 101, 4, 45.25, DATE '2025-01-09', TIMESTAMP '2025-01-09 20:00:00', true,  2,    'summer'),
    (3, 'north', 103, 5, 55.25, DATE '2025-02-09', TIMESTAMP '2025-02-09 20:00:00', true,  3,    NULL),
    (4, 'south', 101, 6, 65.75, DATE '2025-01-11', TIMESTAMP '2025-01-11 18:00:00', false, 1,    NULL),
    (4, 'south', 102, 7, 75.25, DATE '2025-03-11', TIMESTAMP '2025-03-11 18:00:00', true,  5,    'spring'),
    (5, 'east',  101, 8, 85.00, DATE '2025-01-13', TIMESTAMP '2025-01-13 06:00:00', true,  NULL, 'spring'),
    (5, 'east',  102, 9, 95.00, DATE '2025-02-13', TIMESTAMP '2025-02-13 06:00:00', true,  4,    NULL),
    (6, 'north', 101, 1, 12.00, DATE '2025-03-15', TIMESTAMP '2025-03-15 12:00:00', false, 3,    NULL),
    (6, 'north', 102, 0, 0.00,  DATE '2025-03-16', TIMESTAMP '2025-03-16 12:00:00', true,  NULL, NULL),
    (7, 'south', 101, 2, 22.00, DATE '2025-01-17', TIMESTAMP '2025-01-17 12:00:00', true,  2,    'summer'),
    (7, 'north', 105, 3, 33.00, DATE '2025-02-17', TIMESTAMP '2025-02-17 12:00:00', true,  5,    NULL),
    (8, 'east',  101, 4, 44.00, DATE '2025-03-19', TIMESTAMP '2025-03-19 17:45:00', false, 4,    NULL),
    (8, 'south', 102, 5, 55.00, DATE '2025-01-21', TIMESTAMP '2025-01-21 17:45:00', true,  1,    'spring'),
    (9, 'north', 101, 10, 99.75, DATE '2025-02-23', TIMESTAMP '2025-02-23 00:00:00', true, 3,    NULL)
) AS v(customer, region, product, quantity, amount, day, placed, paid, rating, coupon);

CREATE TABLE regions AS SELECT * FROM (VALUES
    ('north', 'Nordland', 1), ('south', 'Sudland', 2), ('east', 'Nordland', 2), ('west', 'Westland', 3)
) AS v(region, country, zone);

-- Two tags for north, so that a join on the region multiplies its rows.
CREATE TABLE tags AS SELECT * FROM (VALUES
    ('north', 'cold'), ('north', 'sea'), ('south', 'warm'), ('east', 'sea')
) AS v(region, tag);

CREATE TABLE products AS SELECT * FROM (VALUES
    (101, 'pen'), (102, 'ink'), (103, 'pad'), (104, 'bag'), (105, 'cap'), (106, 'map')
) AS v(product, label);

-- The people behind the orders, two of whom (10 and 11) never ordered, and what their parcels weighed.
CREATE TABLE people AS SELECT * FROM (VALUES
    (1, 34, 'A'), (2, 51, 'B'), (3, 28, 'A'), (4, 45, 'B'), (5, 62, 'A'), (6, 39, NULL), (7, 22, 'B'), (8, 70, 'A'),
    (9, 33, 'B'), (10, 55, 'A'), (11, 41, NULL)
) AS v(person, age, plan);

CREATE TABLE trips AS SELECT * FROM (VALUES
    (1, 501), (1, 502), (2, 503), (3, 504), (3, 505), (3, 506), (5, 507), (12, 508)
) AS v(person, trip);

CREATE TABLE parcels AS SELECT * FROM (VALUES
    (501, 'box', 2), (501, 'tube', 1), (502, 'box', 5), (503, 'bag', 3), (504, 'box', 4), (504, 'box', 4), (506, 'tube', 7),
    (507, 'bag', 9), (508, 'box', 1), (999, 'box', 8)
) AS v(of_trip, kind, weight);

-- A survey of eight people, of whom one gave a country that is not on the list and two said nothing of drinking.
CREATE TABLE survey AS SELECT * FROM (VALUES
    (1, TRUE, 'DE', 34, TRUE), (2, FALSE, 'FR', 51, NULL), (3, TRUE, 'DE', 28, FALSE), (4, FALSE, 'IT', 45, FALSE),
    (5, FALSE, 'XX', 62, TRUE), (6, FALSE, 'DE', 39, NULL), (7, TRUE, 'FR', 22, TRUE), (8, FALSE, 'DE', 19, TRUE)
) AS v(person, smoker, country, age, drinks);
CREATE TABLE answers AS SELECT * FROM (VALUES (1, 'no'), (1, 'yes'), (2, 'yes')) AS v(person, said);

-- Moments with a time zone, which depend on where they are shown.
CREATE TABLE calls AS SELECT * FROM (VALUES
    (1, TIMESTAMPTZ '2025-01-05 08:00:00+02'), (2, TIMESTAMPTZ '2025-01-06 09:30:00-05')
) AS v(call, called);

-- What sensors sent: fields of JSON, of which some are missing, of another type, or not JSON at all.
CREATE TABLE signals AS SELECT * FROM (VALUES
    (1, DATE '2025-01-01', '{"humidity": 40.5, "n": 3, "sensor": {"name": "roof", "on": true}, "note": "ok", "day": "2025-01-01"}'),
    (1, DATE '2025-01-02', '{"humidity": 120, "n": 4, "sensor": {"name": "roof", "on": false}, "note": "late"}'),
    (2, DATE '2025-01-02', '{"humidity": "55", "n": 5.5, "sensor": {"name": "cellar", "on": "true"}, "day": "2025-02-01"}'),
    (3, DATE '2025-01-03', '{"humidity": 60, "n": 2.0, "sensor": {"name": "attic"}, "Note": "ok", "day": "1 March"}'),
    (4, DATE '2025-01-03', '{"humidity": null, "n": "7", "sensor": "roof"}'),
    (5, DATE '2025-01-04', '{"humidity": 30, "n": 1,'),
    (6, DATE '2025-01-04', NULL),
    (7, DATE '2025-01-05', '[{"humidity": 30}]'),
    (8, DATE '2025-01-05', '{"humidity": 25, "humidity": 99, "n": 10, "sensor": {"name": "cellar", "on": true}, "note": "ok"}'),
    (9, DATE '2025-01-06', '{"humidity": 1e1, "n": 99, "sensor": {"name": "cellar", "on": true}, "a.b": "x"}')
) AS v(person, day, pl);

CREATE TABLE rooms AS SELECT * FROM (VALUES
    ('roof', '{"floor": 4, "about": {"colour": "red"}}'), ('cellar', '{"floor": 0}'), ('attic', 'unknown')
) AS v(name, facts);
