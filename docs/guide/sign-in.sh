# The guides begin with it, in bash from the root of the clone: `. docs/guide/sign-in.sh`. It signs in as the
# administrator and has what they need more than once. MOORAGE_PASSWORD is the password that the first start has
# printed; without it the one of the guides is tried. A script ends at the first failure.
case $- in *i*) ;; *) set -eo pipefail ;; esac

api=${api:-http://127.0.0.1:8080}
json='content-type: application/json'

# A field of an answer; a refusal, or a field that is not there, is a failure with its text.
field() {
  FIELD=$1 node -e '
    const answer = JSON.parse(fs.readFileSync(0, "utf8"));
    const value = answer.statusCode >= 400 ? undefined : new Function("answer", `return answer${process.env.FIELD}`)(answer);
    if (value === undefined) {
      console.error(answer.message ?? `The answer has no ${process.env.FIELD}`);
      process.exit(1);
    }
    console.log(value);'
}

# Makes a record with a POST to this path, or finds the one that is there by its code, label or uuid; its id.
make() {
  local answer list=$1?limit=500
  answer=$(curl -sS "$api$1" -H "$auth" -H "$json" -d "$2")
  case $answer in
    *'"code":"DUPLICATE"'*) ;;
    *) printf '%s' "$answer" | field .id; return ;;
  esac
  # Those of a platform are in its record.
  case $1 in */flavors | */firmwares) list=${1%/*} ;; */provision) list=${1%/*}?limit=500 ;; esac
  curl -sS "$api$list" -H "$auth" | BODY=$2 NAME=${1##*/} node -e '
    const wanted = Object.entries(JSON.parse(process.env.BODY)).filter(([name]) =>
      ["code", "label", "version", "platform_id", "uuid"].includes(name));
    const answer = JSON.parse(fs.readFileSync(0, "utf8"));
    const list = answer[process.env.NAME] ?? answer;
    const found = list.find((one) => wanted.every(([name, value]) => one[name] === value));
    if (!found) throw new Error("A record is there already, and is not in the list");
    console.log(found.id);'
}

sign_in() {
  local password=${MOORAGE_PASSWORD:-correct horse} answer
  answer=$(curl -sS "$api/api/auth/login" -H "$json" \
    -d "{\"username\": \"${MOORAGE_ADMIN_EMAIL:-admin@localhost}\", \"password\": \"$password\"}")
  token=$(printf '%s' "$answer" | field .token) && auth="authorization: Bearer $token" && return
  echo "MOORAGE_PASSWORD has to be the password that the first start has printed (or start with --data ./try)" >&2
  return 1
}
sign_in
