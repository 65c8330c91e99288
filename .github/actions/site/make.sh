#!/usr/bin/env bash
# Fit each file of $RESULTS (one a line) with the options $OPTIONS, and make the site $SITE of all.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trusted=true
read -ra options <<< "$OPTIONS"

# Exit status 1 says that a result must not be trusted: pages say so too, and the site is made.
try() {
  local status=0
  "$@" || status=$?
  if [ "$status" -eq 1 ]; then trusted=false; elif [ "$status" -ne 0 ]; then exit "$status"; fi
}

count=0
while IFS= read -r file; do
  file=$(printf '%s' "$file" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//')
  [ -n "$file" ] || continue
  if [ -d "$file" ]; then
    echo "::error::$file is a folder; name the files of results that are in it." >&2
    exit 2
  fi
  name=$(basename "$file")
  name=${name%.gz}
  name=${name%.*}
  if [ -e "$work/$name" ]; then
    echo "::error::two files of results are called $name; name one otherwise." >&2
    exit 2
  fi
  # The same seed each time: what changes comes from the results.
  try leaderbayes rank "$file" --out "$work/$name" --seed 1 ${options[@]+"${options[@]}"}
  count=$((count + 1))
done <<< "$RESULTS"
if [ "$count" -eq 0 ]; then
  echo "::error::results: name at least one file." >&2
  exit 2
fi

try leaderbayes report "$work" --site "$SITE" --title "$TITLE"

echo "site=$SITE" >> "${GITHUB_OUTPUT:-/dev/null}"
echo "trusted=$trusted" >> "${GITHUB_OUTPUT:-/dev/null}"
