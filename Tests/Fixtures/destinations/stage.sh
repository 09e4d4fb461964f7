#!/bin/sh
# Two machines, each in a network namespace: this one with the proxy and a server, and one at 10.98.0.2 that asks it.
# Run by `unshare --net`: stage.sh FOLDER PROXY NAMESERVER. It prints a line for each request, or why it can't be done.
set -u
folder=$1 proxy=$2 nameserver=$3
skip() { echo "skipped $*"; exit 0; }
unshare --net sleep 60 & other=$!
trap 'kill $(jobs -p) 2>/dev/null' EXIT
sleep 0.3
ip link set lo up || skip "no loopback interface"
ip link add near type veth peer name far netns "$other" || skip "no pair of interfaces"
ip addr add 10.98.0.1/24 dev near && ip link set near up || skip "no address"
there() { nsenter --target "$other" --net "$@"; }
there ip link set lo up && there ip addr add 10.98.0.2/24 dev far && there ip link set far up || skip "no other machine"

python3 "$nameserver" 5300 "$folder/zone" "$folder/log" &
cd "$folder/site" && python3 -m http.server --protocol HTTP/1.1 --bind 0.0.0.0 8000 >/dev/null 2>&1 &
"$proxy" run --config "$folder/rules.yaml" --workers 1 >"$folder/output" 2>&1 &
tries=0
until curl --silent --output /dev/null http://127.0.0.1:8000/ && curl --silent --output /dev/null -x http://127.0.0.1:3128 http://127.0.0.1:8000/; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { cat "$folder/output"; exit 1; }
    sleep 0.1
done
ask() { curl --silent --output /dev/null --write-out '%{http_code}' --noproxy '' "$@"; }
through='-x http://10.98.0.1:3128'
for host in own.test 127.0.0.1 10.98.0.1 '[::ffff:127.0.0.1]' 0.0.0.0; do
    echo "far $host $(there curl --silent --output /dev/null --write-out '%{http_code}' $through "http://$host:8000/")"
    echo "near $host $(ask -x http://127.0.0.1:3128 "http://$host:8000/")"
    echo "again $host $(there curl --silent --output /dev/null --write-out '%{http_code}' $through "http://$host:8000/")"
done
echo "far fixed $(there curl --silent --output /dev/null --write-out '%{http_code}' http://10.98.0.1:3129/)"
