#!/bin/sh
# A first draft: the headings are there, and little else.
set -eu
folder="grimoires/prd-to-sprint"
mkdir -p "$folder"
{
  echo "# Recipe reader"
  for title in Problem Goals Users "Functional Requirements" "Non-Functional Requirements" Scope Risks; do
    printf '\n## %s\n\n' "$title"
    if [ "$title" = Problem ]; then cat context/*.md; else echo TBD; fi
  done
} > "$folder/prd.md"
echo "drafted $folder/prd.md" >&2
