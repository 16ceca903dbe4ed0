# SPDX-License-Identifier: Apache-2.0
# world.sh: many sites from a table, for tests of the census. To be sourced after nginx.sh:
#
#     world_new "$dir" && world_fill <table && web_start || exit 1
#     papaver census add "$WEB/domains" && papaver census run $(world_options)
#
# A line of the table: CLASS COUNT OUTCOME [ERRORS CHANNELS SKILLS]. Sites are CLASS-1.crawl.test ...; what each class does
# stands in world_class. All are of one wildcard certificate, which makes thousands of them cheap.

world_new() {
    web_new "$1" || return 1
    : >"$WEB/domains"
    : >"$WEB/connects"
    web_site world.crawl.test 'name=*.crawl.test' 'as=~[.]crawl[.]test$' || return 1
    web_rule world.crawl.test 'root $WORLD/$host; default_type application/json; expires 5m;'
    sed -i "s,root \$WORLD,root $WEB/world,; " "$WEB/rules/world.crawl.test"
    sed -i '/^ *root /d' "$WEB/servers/world.crawl.test"
    web_rule world.crawl.test 'add_header Access-Control-Allow-Origin *; open_file_cache off;'
    mkdir -p "$WEB/world"
}

# world_server CLASS RULES...: sites of the class share a server.
world_server() {
    class=$1
    shift
    [ -e "$WEB/servers/$class.crawl.test" ] && return 0
    web_site "$class.crawl.test" "${WORLD_CERT-name=*.crawl.test}" "as=~^$class-[0-9]+[.]crawl[.]test" || return 1
    for rule; do web_rule "$class.crawl.test" "$rule"; done
}

# poppy FOLDER HOST [MORE]: a poppy.json without faults that needs no other host.
world_poppy() {
    mkdir -p "$1/.well-known"
    printf '{ "protocol_version": "0.1", "organization": { "name": "Shop", "domain": "%s" },\n  "web": {}%s }\n' "$2" "${3-}" \
        >"$1/.well-known/poppy.json"
}

world_skill() {
    mkdir -p "$1/s/opening-hours"
    printf -- '---\nname: opening-hours\ndescription: Tells when the shop is open. Use when somebody asks for opening hours.\n---\n\nNine to five.\n' \
        >"$1/s/opening-hours/SKILL.md"
    digest=$(sha256sum "$1/s/opening-hours/SKILL.md" | cut -d' ' -f1)
    printf '{ "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [ { "name": "opening-hours",\n  "description": "Tells when the shop is open. Use when somebody asks for opening hours.", "type": "skill-md", "url": "/s/opening-hours/SKILL.md", "digest": "sha256:%s" } ] }' "$digest"
}

# world_class CLASS HOST: makes what the host serves.
world_class() {
    folder=$WEB/world/$2
    case $1 in
    absent) ;;
    gone410) world_server $1 'location / { return 410; }' ;;
    page) world_server $1 'location / { default_type text/html; return 200 "<!doctype html><title>Shop</title><p>Welcome"; }' ;;
    json) world_server $1 'location / { default_type application/json; return 200 "{\"status\": \"ok\"}"; }' ;;
    busy) world_server $1 'location / { return 503; }' ;;
    closed) world_server $1 'location / { return 403; }' ;;
    circle) world_server $1 'location / { return 302 /other$uri; }' 'location /other/ { return 302 /.well-known/poppy.json; }' ;;
    plain) world_server $1 'location / { return 301 http://$host$uri; }' ;;
    huge) world_server $1 "$(web_type /.well-known/poppy.json application/json)" &&
        mkdir -p "$WEB/sites/$1.crawl.test/.well-known" &&
        web_zeros "$WEB/sites/$1.crawl.test/.well-known/poppy.json" 3 ;;
    slow) world_server $1 "$(web_slow /.well-known/poppy.json)" &&
        mkdir -p "$WEB/sites/$1.crawl.test/.well-known" &&
        head -c 4000 /dev/zero | tr '\0' ' ' >"$WEB/sites/$1.crawl.test/.well-known/poppy.json" ;;
    expired) WORLD_CERT=expired world_server $1 'location / { return 404; }' ;;
    stranger) WORLD_CERT=stranger world_server $1 'location / { return 404; }' ;;
    refused) echo "$2:443:127.0.0.1:1" >>"$WEB/connects" ;;
    noname) echo "$2:443:nowhere.invalid:443" >>"$WEB/connects" ;;
    good) world_poppy "$folder" "$2" ;;
    wrongname) world_poppy "$folder" other.example ;;
    skills) mkdir -p "$folder" && index=$(world_skill "$folder") && world_poppy "$folder" "$2" ", \"skill_index\": $index" ;;
    stale) mkdir -p "$folder" && index=$(world_skill "$folder") && world_poppy "$folder" "$2" ", \"skill_index\": $index" &&
        echo 'Ten to six.' >>"$folder/s/opening-hours/SKILL.md" ;;
    indexonly) mkdir -p "$folder/.well-known/agent-skills" && world_skill "$folder" >"$folder/.well-known/agent-skills/index.json" ;;
    *) echo "world: no class $1" >&2; return 1 ;;
    esac
}

world_fill() {
    while read -r class count rest; do
        case $class in '' | '#'*) continue ;; esac
        for i in $(seq "$count"); do
            echo "$class-$i.crawl.test" >>"$WEB/domains"
            world_class "$class" "$class-$i.crawl.test" || return 1
        done
    done
}

world_options() {
    echo "--cacert $WEB/ca.pem --allow-private --unlimited"
    sed 's/^/--connect-to /' "$WEB/connects"
    echo "--connect-to ::127.0.0.1:$WEB_PORT"
}
