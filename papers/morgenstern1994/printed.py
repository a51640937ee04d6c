"""What Morgenstern 1994 prints in Tables 1 to 3, as numbers to compare with."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """One row: a group of a table, a method by our name, and its measures."""

    group: str
    method: str
    completion_time: float
    utilization_pct: float
    external_fragmentation_pct: float | None = None
    migration_fragmentation_pct: float | None = None
    mean_allocated: float | None = None
    steps_per_success: float | None = None
    steps_per_failure: float | None = None
    steps_per_attempt: float | None = None


TABLE_1 = (
    Printed("uniform", "mig", 8367.9, 53.9, 32.6, 0.0),
    Printed("uniform", "4iss", 8637.5, 52.27, 32.9, 24.9, None, 4.1, 10.61, 7.2),
    Printed("uniform", "mbv", 8755.4, 51.56, 33.5, 30.9, None, 8275.0, 2.4, 4138.6),
    Printed("uniform", "iss", 9020.0, 50.06, 33.7, 30.7, None, 3.22, 5.34, 4.26),
    Printed("uniform", "fs-f", 9020.0, 50.06, 33.7, 30.7, None, 3.82, 2.28, 3.06),
    Printed("uniform", "as", 9020.0, 50.06, 33.7, 30.7, None, 100.3, 208.8, 155.1),
    Printed("uniform", "fs-1", 9020.0, 50.06, 33.7, 30.7, None, 5553.6, 9195.2, 7371.5),
    Printed("uniform", "fs-n", 10837.5, 41.64, 33.2, 28.9, None, 10.68, 6.38, 7.56),
    Printed("normal", "mig", 8575.6, 50.58, 29.7, 0.0),
    Printed("normal", "4iss", 8914.3, 48.66, 29.6, 24.6, None, 3.27, 11.77, 7.53),
    Printed("normal", "mbv", 9078.7, 47.78, 29.9, 26.4, None, 3928.5, 3.11, 1964.2),
    Printed("normal", "iss", 9527.9, 45.56, 29.8, 25.8, None, 2.84, 5.94, 4.38),
    Printed("normal", "fs-f", 9527.9, 45.56, 29.8, 25.8, None, 3.26, 2.72, 2.98),
    Printed("normal", "as", 9527.9, 45.56, 29.8, 25.8, None, 90.1, 252.8, 171.5),
    Printed("normal", "fs-1", 9527.9, 45.56, 29.8, 25.8, None, 5558.7, 14438.2, 9993.2),
    Printed("normal", "fs-n", 12265.7, 35.36, 28.6, 24.6, None, 2.84, 3.62, 3.76),
)
TABLE_2 = (
    Printed("uniform", "mig", 7465.0, 60.48, 33.4, 0.0),
    Printed("uniform", "4iss", 7720.5, 58.46, 33.3, 28.1, None, 7.36, 17.96, 12.68),
    Printed("uniform", "mbv", 7881.5, 57.28, 34.2, 31.9, None, 7194.4, 4.44, 3600.5),
    Printed("uniform", "iss", 8104.5, 55.72, 35.2, 33.6, None, 5.0, 10.01, 7.48),
    Printed("normal", "mig", 7684.5, 55.46, 29.7, 0.0),
    Printed("normal", "4iss", 7917.9, 54.8, 29.5, 23.7, None, 6.34, 23.0, 14.66),
    Printed("normal", "mbv", 8055.3, 53.88, 29.9, 26.4, None, 3334.5, 5.94, 1669.8),
    Printed("normal", "iss", 8495.5, 51.06, 30.6, 26.3, None, 4.66, 12.44, 8.56),
)
TABLE_3 = (
    Printed("1024", "mig", 32224.8, 53.0, None, None, 2.2),
    Printed("1024", "4iss", 33332.7, 51.3, None, None, 2.0, 4.3, 7.5, 7.5),
    Printed("1024", "mbv", 33763.8, 50.6, None, None, 2.0, 139337.7, 2.6, 69661.4),
    Printed("1024", "iss", 35069.5, 48.7, None, None, 1.8, 3.4, 5.7, 4.5),
    Printed("1024", "fs-n", 41231.5, 41.5, None, None, 1.4, 13.9, 5.1, 9.5),
    Printed("1024", "fs-f", 35069.5, 48.7, None, None, 1.8, 3.9, 2.4, 3.2),
    Printed("512", "4iss", 7516.4, 57.0, None, None, 9.3, 22.2, 66.0, 44.1),
    Printed("512", "iss", 8259.0, 51.8, None, None, 8.5, 23.7, 47.9, 36.0),
    Printed("512", "fs-n", 10852.4, 39.4, None, None, 6.4, 50.2, 25.7, 38.0),
    Printed("512", "fs-f", 8259.0, 51.8, None, None, 8.5, 34.0, 32.3, 33.2),
    Printed("256", "4iss", 1697.0, 63.3, None, None, 41.6, 130.6, 441.6, 286.3),
    Printed("256", "iss", 1746.4, 61.5, None, None, 40.5, 216.5, 442.2, 328.9),
    Printed("256", "fs-n", 2563.6, 41.9, None, None, 27.3, 271.3, 246.7, 259.0),
    Printed("256", "fs-f", 1746.4, 61.5, None, None, 40.5, 667.9, 886.5, 776.7),
    Printed("128", "4iss", 404.6, 66.9, None, None, 180.8, 984.2, 3549.3, 2279.2),
    Printed("128", "iss", 412.0, 65.7, None, None, 176.7, 2144.6, 4362.0, 3234.4),
    Printed("128", "fs-n", 573.3, 47.2, None, None, 124.7, 2868.4, 3319.9, 3031.1),
    Printed("128", "fs-f", 412.0, 65.7, None, None, 176.7, 17216.6, 23791.9, 20448.2),
    Printed("64", "4iss", 110.1, 62.5, None, None, 769.1, 6764.2, 25826.7, 16625.0),
    Printed("64", "iss", 109.5, 62.8, None, None, 731.9, 12443.6, 30317.3, 20453.3),
    Printed("64", "fs-n", 138.9, 49.5, None, None, 556.2, 47663.1, 48318.5, 47965.6),
    Printed("64", "fs-f", 109.5, 62.8, None, None, 731.9, 465699.5, 627873.2, 538373.4),
)
