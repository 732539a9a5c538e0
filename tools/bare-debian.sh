#!/bin/bash
# The promise of the README on a bare Debian 12: a chroot with git, make and gcc and nothing else, a fresh clone,
# make demo, make test. So a missing install step cannot hide.
#
#   tools/bare-debian.sh [--worktree] [COMMAND]
#
# Takes the last commit, or with --worktree the files as they are now. COMMAND replaces "make demo && make test".
# Where no such chroot can be made it says so and ends well; it fails only if the chroot was there and the promise
# was not kept. Packages come from where this machine's own apt gets them.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=bookworm
from=commit
if [ "${1:-}" = --worktree ]; then
  from=worktree
  shift
fi
promise=${1:-make demo && make test}

skip() {
  echo "bare Debian: skipped: $1"
  exit 0
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"

# What goes into the chroot: a bundle that is cloned there.
bundle() {
  git rev-parse -q --verify HEAD >/dev/null || from=worktree
  if [ "$from" = commit ]; then
    [ -z "$(git status --porcelain)" ] || echo "bare Debian: uncommitted changes are left out"
    git bundle create -q "$scratch/flyball.bundle" HEAD
  else
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
      if [ -e "$file" ]; then printf '%s\0' "$file"; fi
    done | xargs -0 cp --parents -at "$scratch/tree"
    git -C "$scratch/tree" init -q -b main
    git -C "$scratch/tree" add -A
    git -C "$scratch/tree" -c user.name=bare -c user.email=bare@localhost commit -q --no-verify -m "the tree as it is"
    git -C "$scratch/tree" bundle create -q "$scratch/flyball.bundle" HEAD
  fi
  chmod 644 "$scratch/flyball.bundle"
}

# This machine's Debian sources, if it has the same suite; otherwise mmdebstrap's own default.
sources() {
  local list
  list() {
    apt-get indextargets --format "\$(ORIGIN)|\$(REPO_URI)|\$(RELEASE)|\$(COMPONENT)" 'Created-By: Packages' |
      awk -F '|' -v suite="$suite" '$1 == "Debian" && index($3, suite) == 1 && $4 == "main" {
        print "deb", $2, $3, $4 }' | sort -u
  }
  list=$(list)
  if [ -z "$list" ] && [ "$(id -u)" = 0 ]; then
    apt-get -qq update >/dev/null 2>&1 || true
    list=$(list)
  fi
  if grep -q " $suite main" <<<"$list"; then printf '%s\n' "$list" >"$scratch/sources.list"; fi
}

# How this machine's apt reaches them: proxies, certificates, patience.
settings() {
  apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until|ForceIPv[46])' >"$scratch/apt.conf" || true
  echo 'Acquire::Languages "none";' >>"$scratch/apt.conf"
}

tools/install-deps chroot >/dev/null 2>&1 || true
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed and cannot be"
command -v apt-get >/dev/null || skip "there is no apt here to take packages from"
mkdir "$scratch/tree"
bundle
sources
settings
mkdir -m 777 "$scratch/state"

# Runs outside with the chroot as its argument: the host's certificates and host names, the clone, the promise.
cat >"$scratch/hook" <<'HOOK'
#!/bin/bash
set -euo pipefail
root=$1
touch "$STATE/created"
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
  mkdir -p "$root/etc/ssl/certs"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
fi
cp /etc/hosts "$root/etc/hosts"
# As on an installed system: no package lists yet, recommended packages on.
rm -rf "$root"/var/lib/apt/lists/*
rm -f "$root/etc/apt/apt.conf.d/00mmdebstrap"
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PROMISE="$PROMISE" \
  ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
  ${no_proxy:+no_proxy="$no_proxy"} bash -euo pipefail -c '
    cd /root
    for tool in cmake clang python3 pkg-config; do
      if command -v $tool >/dev/null; then echo "not bare: $tool is here"; exit 1; fi
    done
    git -c advice.detachedHead=false clone -q /tmp/flyball.bundle flyball
    cd flyball
    bash -euo pipefail -c "$PROMISE"'
touch "$STATE/kept"
HOOK
chmod 755 "$scratch/hook"

started=$SECONDS
echo "bare Debian: making a $suite chroot with git, make and gcc"
arguments=(--variant=minbase "--include=git,make,gcc,ca-certificates" --aptopt="$scratch/apt.conf"
  --dpkgopt=force-unsafe-io --skip=cleanup/mmdebstrap --customize-hook="copy-in $scratch/flyball.bundle /tmp"
  --customize-hook="$scratch/hook \"\$1\"" --format=null "$suite" /dev/null)
if [ -f "$scratch/sources.list" ]; then arguments+=("$scratch/sources.list"); fi

status=0
STATE=$scratch/state PROMISE=$promise timeout 1200 mmdebstrap --quiet "${arguments[@]}" 2>&1 | tee "$scratch/log" ||
  status=$?

if [ -f "$scratch/state/kept" ]; then
  echo "bare Debian: ok ($((SECONDS - started)) s): $promise"
elif [ -f "$scratch/state/created" ]; then
  echo "bare Debian: FAILED: $promise"
  exit 1
else
  skip "mmdebstrap cannot make a chroot here (status $status): $(grep -m 1 '^E:' "$scratch/log")"
fi
