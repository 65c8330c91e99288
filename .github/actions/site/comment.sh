#!/usr/bin/env bash
# Write $SITE/changes.md on the pull request $NUMBER; a further run changes its own comment.
set -euo pipefail

stop() {
  echo "::error::no comment was written: $1" >&2
  exit 2
}

if [ ! -e "$SITE/changes.md" ]; then
  echo "There is no earlier site to compare with: no comment."
  exit 0
fi
without='or leave the comment out with comment: "false"; the site is made, and what has changed stands in its changes.md.'
command -v gh > /dev/null || stop "this runner has no GitHub CLI; install gh (GitHub's own runners have it), $without"
[ -n "${GH_TOKEN:-}" ] || stop "the input token is empty; give one that may write on pull requests, $without"
[ -n "${NUMBER:-}" ] || stop "the event has no pull request; run on pull_request, $without"
body=$(mktemp)
trap 'rm -f "$body"' EXIT
# GitHub takes 65 536 characters.
python -c '
import sys
said = "## Leaderboards\n\n" + open(sys.argv[1], encoding="utf-8", newline="").read()
sys.stdout.buffer.write(said[:60000].encode())
' "$SITE/changes.md" > "$body"
gh pr comment "$NUMBER" --edit-last --create-if-none --body-file "$body" ||
  stop "gh failed, see above. Give the job 'permissions: pull-requests: write' (pull requests from forks have a token that only reads), and gh 2.68 or later, $without"
