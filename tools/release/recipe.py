"""Read and render ``packaging/recipe.yaml`` as rattler-build does; no channel is asked.

Needs `py-rattler-build`, which is rattler-build: it refuses unknown fields and what a
field cannot hold. Rendered for the oldest Python that is supported, as conda-forge's
feedstocks render pure packages.
"""

from __future__ import annotations

import sys
from pathlib import Path

import rattler_build

RECIPE = Path(__file__).resolve().parents[2] / "packaging" / "recipe.yaml"


def main() -> int:
    """Print what is rendered; a recipe that is refused ends with its reason."""
    try:
        recipe = rattler_build.Stage0Recipe.from_yaml(RECIPE.read_text("utf-8"))
        variants = rattler_build.VariantConfig({"python_min": ["3.11"]})
        rendered = [one.recipe for one in recipe.render(variants)]
    except rattler_build.RattlerBuildError as error:
        print(f"{RECIPE.name}: {error}", file=sys.stderr)
        return 1
    for one in rendered:
        needs = [str(name) for name in one.requirements.run]
        print(f"{one.package.name} {one.package.version} needs {', '.join(needs)}")
    return 0 if rendered else 1


if __name__ == "__main__":
    sys.exit(main())
