#!/bin/bash
# All static checks: tools/lint.sh BUILD (a build folder with compile_commands.json), or tools/lint.sh --format.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(find include src problems cli tests bench fuzz examples -name '*.[ch]' | sort)
if [ "${1:-}" = --format ]; then
  clang-format -i "${sources[@]}"
  exit
fi
build=${1:-build}
failed=()

check() {
  local name=$1 start=$SECONDS
  shift
  if "$@"; then
    echo "$name: ok ($((SECONDS - start)) s)"
  else
    echo "$name: FAILED"
    failed+=("$name")
  fi
}

# Tests have two compilers' warnings, cppcheck, sanitizers and valgrind; clang-tidy on them took as long as on the rest.
# Programs of peers need the peers.
tidy() {
  printf '%s\n' "${sources[@]}" | grep '\.c$' | grep -v -E '^(tests|fuzz|bench/peers)/' |
    xargs -P "$(nproc)" -n 4 clang-tidy --quiet --warnings-as-errors='*' -p "$build" 2>&1 |
    { grep -v -E '^[0-9]+ warnings? (generated|treated)|^Suppressed |^Use -header-filter' || true; }
}

analyze() {
  cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches -j "$(nproc)" \
    -I include -I src -I . "${sources[@]}"
}

scripts() {
  mapfile -t shell < <(grep -lE '^#!/bin/(ba)?sh' -r tools tests .ci bench 2>/dev/null | sort)
  shellcheck "${shell[@]}"
}

check clang-format clang-format --dry-run -Werror "${sources[@]}"
check "rooms self-test" python3 tools/check_deps.py --self-test
check rooms python3 tools/check_deps.py
check shellcheck scripts
check cppcheck analyze
check clang-tidy tidy

if [ ${#failed[@]} -gt 0 ]; then
  echo "lint: FAILED: ${failed[*]}"
  exit 1
fi
echo "lint: ok, ${#sources[@]} files"
