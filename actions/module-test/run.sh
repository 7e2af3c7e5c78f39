#!/usr/bin/env bash
# Runs every script, also after one that has failed. Ends with 1 when a case has failed, and with 2 when a script is wrong
# or there is none.
set -uo pipefail

# Words and patterns are split and expanded on purpose: inputs of an action are text.
# shellcheck disable=SC2206
command=(${INPUT_COMMAND:-npx --yes "moorage@${INPUT_VERSION:-latest}"})
# shellcheck disable=SC2206
args=(${INPUT_ARGS:-})
shopt -s nullglob globstar
# shellcheck disable=SC2206
scripts=(${INPUT_SCRIPTS:-})
reports=${INPUT_REPORTS:-moorage-reports}

# What a failure says, as a note at its line: the line after FAILED is FILE:LINE: STEP, and the next one says why.
annotate() {
  awk '{ print }
    /^FAILED  / { place = NR + 1 }
    NR == place && match($0, /:[0-9]+: /) {
      file = substr($0, 1, RSTART - 1); line = substr($0, RSTART + 1, RLENGTH - 3); reason = NR + 1
    }
    NR == reason { print "::error file=" file ",line=" line "::" $0 }'
}

mkdir -p "$reports"
status=0
failed=0
rows=''
for script in ${scripts[@]+"${scripts[@]}"}; do
  name=${script//[^A-Za-z0-9._-]/_}
  echo "::group::$script"
  "${command[@]}" module --script "$script" --junit "$reports/$name.xml" ${args[@]+"${args[@]}"} 2>&1 | annotate
  code=${PIPESTATUS[0]}
  echo '::endgroup::'
  result=passed
  if [ "$code" -ne 0 ]; then
    result=failed
    failed=$((failed + 1))
    if [ "$code" -gt "$status" ]; then status=$code; fi
  fi
  rows+="| \`$script\` | $result |"$'\n'
done
if [ ${#scripts[@]} -eq 0 ]; then
  echo "::error::No script fits \"${INPUT_SCRIPTS:-}\""
  status=2
fi
{
  echo "reports=$reports"
  echo "failed=$failed"
} >>"${GITHUB_OUTPUT:-/dev/null}"
printf '| script | result |\n|---|---|\n%s' "$rows" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$status"
