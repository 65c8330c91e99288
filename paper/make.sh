#!/usr/bin/env bash
# Remake the paper: figures, then paper/paper.pdf by Debian's pandoc.
#   apt-get install --no-install-recommends pandoc texlive-xetex texlive-fonts-recommended lmodern
#   bash paper/make.sh
set -euo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" != --text ]; then
  uv run --group evidence python figures.py
fi
# \autoref is JOSS' own (inara); pandoc hands it to hyperref.
pandoc paper.md --citeproc --from markdown --pdf-engine xelatex --output paper.pdf \
  -M author="The leaderbayes developers" -V geometry:margin=2.5cm -V fontsize=10pt -V colorlinks=true -V linkcolor=blue
echo "paper/paper.pdf"
