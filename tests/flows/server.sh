# SPDX-License-Identifier: Apache-2.0
# What flows share that start a server in the background: its process is $server.
server=
stop() { [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server"; status=$?; server=; return $status; }; }

# until_ COMMAND...: waits until it succeeds, $patience seconds at most (10).
until_() {
    for _ in $(seq "${patience:-10}0"); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    wrong "in vain: $*"
    return 1
}
