#!/usr/bin/env bash
# Write $SITE/changes.md on the pull request $NUMBER; a further run changes its own comment.
set -euo pipefail

if [ ! -e "$SITE/changes.md" ]; then
  echo "There is no earlier site to compare with: no comment."
  exit 0
fi
body=$(mktemp)
trap 'rm -f "$body"' EXIT
{ echo "## Leaderboards"; echo; cat "$SITE/changes.md"; } > "$body"
# GitHub takes 65 536 characters.
head -c 60000 "$body" > "$body.cut"
gh pr comment "$NUMBER" --edit-last --create-if-none --body-file "$body.cut"
rm -f "$body.cut"
