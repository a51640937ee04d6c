"""What the part about papers adds to closeknit."""

from ..extensions import Extension

EXTENSION = Extension(
    title="papers",
    commands={
        "reproduce": (
            "papers.commands.reproduce",
            "reproduce a paper's table or figure",
        ),
    },
    reproductions={
        "bender-table1": "papers.bender2008_table1.study:study",
        "online-rule": "papers.online_rule.study:study",
        "mache-dispersal": "papers.mache1999.study:study",
        "mache-table2": "papers.mache1999_network.study:study",
        "navaridas-figure3": "papers.navaridas2009.study:study",
        "bender-figure2": "papers.bender2008_figures.study:figure2",
        "bender-figure3": "papers.bender2008_figures.study:figure3",
        "bender-flow": "papers.bender2008_flow.study:study",
        "drakenberg-quality": "papers.drakenberg2012.quality:study",
        "drakenberg-time": "papers.drakenberg2012.time:study",
        "drakenberg-linecards": "papers.drakenberg2012.linecards:study",
        "morgenstern-table1": "papers.morgenstern1994.study:table1",
        "morgenstern-table2": "papers.morgenstern1994.study:table2",
        "morgenstern-table3": "papers.morgenstern1994.study:table3",
        "morgenstern-beyond": "papers.morgenstern1994.beyond:study",
        "hops-or-seconds": "papers.hops_or_seconds.study:study",
        "frontier": "papers.frontier.study:study",
        "oeis": "papers.oeis.study:study",
        "network-validation": "papers.network_validation:study",
        "task-mapping": "papers.task_mapping.study:study",
        "morgenstern-undecided": "papers.morgenstern1994.undecided:study",
    },
)
