"""The rules of pseudo-Boolean proofs, and why each is sound.

Invariant: if the formula has a solution cheaper than all those logged, the store has
one that costs no more. It holds at the beginning, since the store is the whole formula
then, whatever the proof states; every rule keeps it.
"""

from __future__ import annotations

from .combination import Combination
from .rows import Row, negate, normalise, substitute
from .statements import NoProof, Refused, number, pace
from .store import Store

Parts = list[list[str]]
"""The words of a statement behind its name; colons separate the parts."""


class Rules:
    """Carries out statements on a store.

    Each rule returns the number of the row that a label names, if it is not the last.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.proved = False
        self.bound: int | None = None
        """What a conclusion states; None if there is no solution."""

    def formula(self, parts: Parts) -> None:
        """``f 3``: the formula has three rows; before 2.0 they get the next numbers.

        Sound: adds nothing, since they are in the store from the beginning.
        """
        size = len(self.store.formula.rows)
        if parts[0] and number(parts[0][0]) != size:
            raise Refused("is about a formula with another number of rows")
        if self.store.version < "2":
            for index in range(1, size + 1):
                self.store.give_number(index)

    def load(self, parts: Parts) -> None:
        """``l 3``: row 3 of the formula gets the next number.

        Sound: adds nothing, since it is in the store from the beginning.
        """
        (index,) = parts[0]
        self.store.give_number(number(index))

    def combine(self, parts: Parts) -> None:
        """``pol 1 2 + 3 d``: add a combination of rows and literals.

        Sound: what obeys the rows obeys the combination; see `Combination`.
        """
        self.store.add(Combination(self.store).evaluate(parts[0]))

    def propagate(self, parts: Parts) -> None:
        """``rup +1 x +1 y >= 1``: add a row whose negation propagation refutes.

        Sound: what obeys the store, and not the row, would obey contradictory rows.
        """
        row = self.store.parse_row(parts[0])
        if not self.store.implies(row, parts[1] if len(parts) > 1 else None):
            raise Refused("does not follow by unit propagation")
        self.store.add(row)

    def redundance(self, parts: Parts) -> None:
        """``red +1 x >= 1 : x -> 1``: add a row, given a witness, a substitution.

        Sound: take a solution of the store that violates the row. Under the witness it
        obeys the row and every row of the store, also those of the formula and those
        that make a variable certain, and costs no more: each of these is shown.
        """
        store = self.store
        row = store.parse_row(parts[0], new=True)
        witness = self._witness(parts[1] if len(parts) > 1 else [])
        touched = {*witness, *(-x for x in witness)}
        concerned = []
        for each in store.all_rows():
            store.spend(min(len(each.terms), len(touched)))
            if each.terms.keys() & touched:
                concerned.append(each)
        goals = [substitute(each, witness) for each in [*concerned, row]]
        change = [(a, x) for a, x in store.objective if x in witness]
        less = substitute(normalise([(-a, x) for a, x in change], 0), witness)
        terms = [(a, x) for x, a in less.terms.items()] + change
        goals.append(normalise(terms, less.degree))  # it costs no more
        given = negate(row)
        if not all(store.implies(goal, given=given) for goal in goals):
            raise Refused("the witness does not show that the row may be added")
        store.add(row)

    def _witness(self, words: list[str]) -> dict[int, int | bool]:
        words = [word for word in words if word != "->"]
        names = pace(words[::2], self.store.spend)
        witness: dict[int, int | bool] = {}
        for name, image in zip(names, words[1::2], strict=True):
            x = self.store.literal(name)
            if x < 0:
                raise Refused("the witness maps a negation")
            if x in witness:
                raise Refused("the witness maps a variable twice")
            if image in ("0", "1"):
                witness[x] = image == "1"
            else:
                witness[x] = self.store.literal(image)
        return witness

    def improve(self, parts: Parts) -> None:
        """``soli x ~y``: log a solution; from now on only cheaper ones obey the store.

        Sound: the invariant speaks of solutions that are cheaper than this one.
        """
        self.log(parts)
        store = self.store
        assert store.best is not None
        less = [(-a, x) for a, x in store.objective]
        store.add(normalise(less, 1 - store.best))

    def log(self, parts: Parts) -> None:
        """``sol x ~y``: log a solution of the formula.

        Sound: all rows of the formula are looked at, with what propagates from the
        literals; and the invariant then speaks of cheaper ones.
        """
        store = self.store
        given = {store.literal(word) for word in pace(parts[0], store.spend)}
        true = store.propagator.closure(given)
        if true is None:
            raise Refused("the solution contradicts itself or the store")
        store.spend(len(true))
        for index, row in enumerate(store.formula.rows, 1):
            store.spend(len(row.terms))
            if sum(a for x, a in row.terms.items() if x in true) < row.degree:
                raise Refused(f"the solution does not obey row {index}")
        if any(not ({x, -x} & true) for _, x in store.objective):
            raise Refused("the solution leaves a variable of the objective open")
        cost = sum(a for a, x in store.objective if x in true)
        store.best = cost if store.best is None else min(store.best, cost)

    def compare(self, parts: Parts) -> int:
        """``e +1 x >= 1 : 3``: row 3 is this one. Before 2.0: ``e 3 +1 x >= 1``.

        Sound: adds nothing.
        """
        if self.store.version < "2":
            parts = [parts[0][1:], parts[0][:1]]
        row, key = self.store.parse_row(parts[0]), self.store.key(parts[1][0])
        found = self.store.rows[key]
        if (row.terms, row.degree) != (found.terms, found.degree):
            raise Refused("the row is another")
        return key

    def delete(self, parts: Parts) -> None:
        """``del id 3 4``, ``del range 3 5``: delete rows 3 and 4.

        Sound: the store has at least the solutions that it had.
        """
        kind, *words = parts[0]
        if kind == "range":
            begin, end = map(number, words)
            self.store.spend(len(self.store.rows))
            for key in [key for key in self.store.rows if begin <= key < end]:
                self.store.delete(key)
        elif kind == "id":
            self.delete_listed([words])
        else:
            raise NoProof(f"del {kind[:40]} is not supported")

    def delete_listed(self, parts: Parts) -> None:
        """``d 3 4``: delete rows 3 and 4.

        Sound: the store has at least the solutions that it had.
        """
        for word in pace(parts[0], self.store.spend):
            self.store.delete(self.store.key(word))

    def skip(self, parts: Parts) -> None:
        """``core id 3``: skip what only other checkers use.

        Sound: changes nothing.
        """

    def output(self, parts: Parts) -> None:
        """``output NONE``: the proof promises no other formula.

        Sound: changes nothing.
        """
        if parts[0] != ["NONE"]:
            raise NoProof(f"output {' '.join(parts[0])[:40]} is not supported")

    def contradict(self, parts: Parts) -> None:
        """``c 3``: the proof ends; the store contradicts itself, by row 3.

        Sound: by the invariant nothing is cheaper than the best solution logged, and
        without one there is none.
        """
        if not self.store.implies(Row({}, 1), parts[0] or None):
            raise Refused("there is no contradiction")
        self.proved, self.bound = True, self.store.best

    def conclude(self, parts: Parts) -> None:
        """``conclusion UNSAT : 3``; ``conclusion BOUNDS 5 : 3 7``: 5 to 7, by row 3.

        Sound: by the invariant a solution cheaper than all those logged would cost as
        much as the store implies; and the bound is not above the best one logged.
        """
        (kind, *claim), best = parts[0], self.store.best
        hints = parts[1] if len(parts) > 1 else []
        if kind == "BOUNDS":
            *claim, most = [*claim, hints.pop()] if len(parts) > 1 else claim
            (lower,) = claim
        elif kind == "UNSAT" and not claim:
            lower = most = "INF"
        else:
            raise Refused("concludes nothing")
        if most != "INF" and (best is None or number(most) < best):
            raise Refused(f"no solution of {most[:40]} was logged")
        if lower == "INF":
            if best is not None:
                raise Refused("there is a solution")
            self.contradict([hints])
            return
        bound = number(lower)
        row = normalise(self.store.objective, bound)
        if not self.store.implies(row, hints if len(parts) > 1 else None):
            raise Refused(f"a bound of {bound} does not follow")
        if best is not None and bound > best:
            raise Refused(f"there is a solution of {best}")
        self.proved, self.bound = True, bound

    def end(self, parts: Parts) -> None:
        """``end pseudo-Boolean proof``: what follows counts for nothing.

        Sound: changes nothing.
        """
