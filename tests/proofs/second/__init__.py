"""A second program of the formulas, and how it is compared with the first.

``encoder.py`` is written from docs/science/proofs.md, section "The formulas", by
somebody who has not read ``proofs/checking/formulas.py``. The page alone states what
a formula is; where it leaves anything open, the page is extended. This is what the
tests call:

``encode(instance) -> dict | None``
    The formula of an instance; None where the page states that there is none because
    of its size. The instance is what ``closeknit.instances.read_instance`` returns.
    The dictionary has

    - ``"variables"``: the names, a list in the order of the numbers;
    - ``"rows"``: a list of pairs of terms and an integer, "the sum of the terms is at
      least the integer". Terms are a list of pairs of a coefficient, any integer, and
      a literal: a name, or ``~`` and a name. A variable may occur several times;
    - ``"objective"``: from names to coefficients; those of 0 may be left out;
    - ``"offset"`` and ``"unit"``: integers;
    - ``"weights"``: of the levels, the first level first; ``[1]`` where costs are
      integers;
    - ``"comments"``: the lines behind ``* ``, without the first two (the counts, and
      the instance in words).

``proven_bound(instance, least) -> int | tuple[int, ...]``
    The bound on the cost of the instance that follows from a proof that no assignment
    has an objective below ``least``: a tuple where costs are vectors. A bound that is
    claimed is then compared with it.

``encoder.py`` imports the standard library and, for types and classes only,
``closeknit.instances``. Of an instance it reads these attributes, and calls no method:

- k-subsets: ``topology``, ``free`` (sites, in ascending order), ``k``, ``required``.
  A site is a tuple: coordinates, or of trees, graphs and tables ``(node,)``;
- networks: ``kind``, that of the file, with ``"priced "`` in front if there is a
  ``price``, and ``"mesh"`` or ``"torus"`` for grids of only one sort of axes;
  ``shape`` and ``rings`` of grids, ``coordinates`` of points (all, scaled to
  integers), ``parent``, ``weight`` and ``processors`` of trees, ``nodes``, ``edges``
  (triples u < v and a length, scaled to an integer, ascending) and ``processors`` of
  graphs, ``rows`` of tables, ``network`` and ``price`` of networks with prices;
- processor sets: ``processors``, ``available``, ``request``, ``required`` (indices, in
  ascending order), and ``sets`` with their ``members`` and ``cost``;
- knapsacks: ``profits``, ``weights``, ``items``, ``capacity``, ``required``;
- placements: ``shape``, ``residents`` with their ``box``, ``fixed`` and ``turns``,
  ``request``, ``rotate``, ``migrate``, ``torus``, ``blocked``.

The class tells the problem: ``KSubset``, ``ProcSet``, ``Sukp`` or ``Submesh``.
"""
