"""What several tests of the configuration language start from."""

from __future__ import annotations

from ..paths import TESTS

BROKEN = TESTS / "broken_configs"


FIGURE = "drakenberg-figure-6"


GOOD = """
queues: cluster, standby   # two queues
slots: [n01=1..4], [n02=1..4], [k007=cluster@1,3,5; standby@2,4,6]
groups: h1={n01}, h2={n02}, pair={n01..n02}, odd={k007.1, k007.3, n01.1..n01.2}
costs:
    when PEs in [1,4]: cluster@h1=[0,1], cluster@h2=[0,2], standby@odd=[0,7]
    otherwise: cluster@h1=[0,1], cluster@pair=[4,0], standby@h2=[3,0]
end-costs
constraints:
    when PEs in [1,4] : cost <= [4,6],
    standby@when PEs in [1,2] : cost lex <= [0,7],
    standby@otherwise : true,
    otherwise : cost <= ceil(1.2*MINCOST(PEs)) + [0,2]
options:
    lookahead = after 1
"""
