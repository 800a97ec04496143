#!/usr/bin/env bash
# Spin and the states engine on the same protocol, one after the other in one run:
#   tests/benches/against-spin.sh [ACTORS:MMS...]
# Seconds are of CPU, Spin's without compilation; MiB is peak RSS. A search ends after LIMIT seconds
# (300), Spin's also at 12 GiB, mmspec's at 1 GiB. The ratio is Spin's seconds to those of the faster
# search of mmspec, where both take long enough to be measured.
set -euo pipefail
cd "$(dirname "$0")/../.."
limit=${LIMIT:-300}

need() {
	if ! command -v "$1" >/dev/null; then
		echo "against-spin.sh: $1 is missing: apt-get install $2" >&2
		exit 2
	fi
}
need spin spin
need gcc gcc
need /usr/bin/time time

configurations=("$@")
if [ $# -eq 0 ]; then
	configurations=(2:1 3:1 4:1 5:1 5:2 6:1 6:2 7:2 8:2 9:2 10:2)
fi

cargo build --quiet --release -p mmspec-benches --bin peers
runner=$(realpath "${CARGO_TARGET_DIR:-target}")/release/peers
model=$(pwd)/tests/benches/peers.pml
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# "STATES SECONDS KIB" of Spin; STATES says why if it did not finish.
spin_on() {
	local actors=$1 mms=$2 exiters=$(($1 > 4 ? $1 - 3 : 1))
	(
		cd "$scratch"
		spin -a -DEXITERS=$exiters -DMMS="$mms" -DOOM=$((actors > 2)) -DUSER=$((actors > 3)) "$model"
		gcc -w -O2 -DSAFETY -DMEMLIM=12288 -o pan pan.c
		# A small table that grows, so that the memory is that of the states.
		ulimit -t "$limit"
		/usr/bin/time -q -o used -f '%U %S %M' ./pan -w18 -m10000 >out 2>&1 || true
		awk '
			FILENAME == "out" && /states, stored/ { states = $1 }
			FILENAME == "out" && /errors:/ { errors = $NF }
			FILENAME == "out" && /out of memory|memory limit|max search depth too small/ { cut = "memory" }
			FILENAME == "used" { seconds = $1 + $2; kib = $3 }
			END {
				if (states == "") states = "time"; else if (cut) states = cut
				else if (errors != 0) states = "error"
				printf "%s %.2f %d\n", states, seconds, kib
			}' out used
	)
}

# "COUNT SECONDS KIB" of one search of mmspec: executions of DPOR, states of hashing.
mmspec_on() {
	{ "$runner" "$1" "$2" "$3" --seconds "$limit" --memory 1024 || true; } |
		awk -v search="$3" '{ print $1 == "complete" ? (search == "dpor" ? $2 : $4) : $1, $6, $7 }'
}

row='%-10s %12s %8s %6s   %12s %8s %6s   %12s %8s %6s   %6s\n'
# shellcheck disable=SC2059
printf "$row" actors:mms 'Spin states' s MiB 'DPOR exec.' s MiB 'hash. states' s MiB ratio
for configuration in "${configurations[@]}"; do
	IFS=: read -r actors mms <<<"$configuration"
	read -r states spin_s spin_kib < <(spin_on "$actors" "$mms")
	read -r executions dpor_s dpor_kib < <(mmspec_on "$actors" "$mms" dpor)
	read -r hashed hash_s hash_kib < <(mmspec_on "$actors" "$mms" hashing)
	ratio=$(awk -v a="$spin_s" -v b="$dpor_s" -v c="$hash_s" -v states="$states" \
		-v dpor="$executions" -v hashing="$hashed" 'BEGIN {
			best = -1
			if (dpor ~ /^[0-9]+$/) best = b
			if (hashing ~ /^[0-9]+$/ && (best < 0 || c < best)) best = c
			if (states !~ /^[0-9]+$/ || best < .02 || a < .02) print "-"
			else printf "%.1f", a / best
		}')
	# shellcheck disable=SC2059
	printf "$row" "$configuration" "$states" "$spin_s" $((spin_kib / 1024)) \
		"$executions" "$dpor_s" $((dpor_kib / 1024)) "$hashed" "$hash_s" $((hash_kib / 1024)) "$ratio"
done
