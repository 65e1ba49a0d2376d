/**
 * The floor plan: which room may import which. A room is a folder of `src`, or a folder in one of
 * those, and every room has a row.
 *
 * To change the architecture, change this table and docs/inside/architecture.md in one commit; a
 * new arrow needs a decision in docs/inside/decisions first.
 */

interface Row {
  /** Rooms of which anything may be imported, besides `base`. No ring of these is allowed. */
  readonly values: readonly string[];
  /** Rooms of which only types may be imported: they stand above, or beside. */
  readonly types?: readonly string[];
}

export type Law = Readonly<Record<string, Row>>;

/** The names of rooms, with spaces between them. */
function row(values: string, types?: string): Row {
  const listed = (names: string): readonly string[] =>
    names.split(" ").filter((name) => name !== "");
  return types === undefined
    ? { values: listed(values) }
    : { values: listed(values), types: listed(types) };
}

/** Folders from the lowest to the highest, and the rooms of each in the same order. */
export const LAW: Law = {
  base: row(""),
  json: row(""),
  yaml: row("", "json"),
  text: row(""),
  model: row("", "json"),
  "model/request": row("model json", "partition"),
  geo: row("json"),
  store: row("", "store/memory"),
  "store/journal": row("store"),
  "store/memory": row("store store/journal"),
  "store/backup": row("store store/journal store/memory"),
  "store/commit": row("store store/journal", "store/memory"),
  "store/embedded": row("store/journal store/memory store/commit", "store"),
  "store/lmdb": row("store store/journal store/memory"),
  "store/postgres": row("store"),
  "store/promises": row("store"),
  "store/fleet": row("store"),
  "store/wholeCopy": row("store"),
  "store/doctor": row("store store/postgres store/promises"),
  "script/prelude": row(""),
  script: row("json script/prelude"),
  partition: row("json", "model"),
  index: row("model json text geo"),
  throughput: row("model"),
  statistics: row("partition", "model json"),
  "alerts/rules": row("model", "json statistics"),
  alerts: row("alerts/rules json", "statistics"),
  "query/regex": row(""),
  "query/functions": row("model json text geo query/regex"),
  query: row("", "model query/language"),
  "query/language": row("model query"),
  "query/bind": row("model text query/functions query/language", "json query"),
  "query/evaluate": row(
    "json text geo query/regex query/functions query query/bind",
    "partition index query/language",
  ),
  "query/plan": row(
    "json text geo index query/functions query query/bind query/evaluate",
    "query/language",
  ),
  "query/execute": row(
    "json partition text index query/functions query/evaluate query/plan",
    "query query/bind",
  ),
  "query/explain": row("model query/language query/plan", "json index query/execute"),
  "query/keyRanges": row("json partition query/functions query/language", "model"),
  "query/clientPlan": row(
    "partition text query/functions query query/language query/bind query/keyRanges",
    "json",
  ),
  recording: row("json query/language query/keyRanges", "model"),
  itemFile: row("json"),
  seed: row("json yaml", "model"),
  archive: row("json itemFile"),
  "protocol/wire": row("", "json"),
  "protocol/request": row("model json protocol/wire partition", "model/request"),
  "protocol/auth": row("model json protocol/wire partition protocol/request"),
  protocol: row("", "model json statistics alerts"),
  "protocol/answer": row("model json protocol/wire protocol/request", "partition"),
  "protocol/hybridRow": row("model protocol/answer", "json protocol/request"),
  "protocol/rntbd": row("model protocol/wire protocol/request protocol/answer", "json"),
  keys: row(""),
  "keys/client": row("protocol/wire keys"),
  "keys/code": row("keys"),
  router: row("protocol keys keys/client"),
  "lab/counting": row("", "model json"),
  "lab/profile": row("json keys lab/counting", "model"),
  "lab/price": row(
    "model json index query/language query/bind query/evaluate query/plan query/execute throughput",
    "query",
  ),
  "lab/wording": row("", "lab/counting lab/simulate"),
  "lab/workload": row(
    "model json yaml index query/language query/keyRanges keys lab/wording",
    "query",
  ),
  "lab/candidate": row(
    "partition keys lab/profile lab/price lab/workload",
    "model lab/data lab/simulate",
  ),
  "lab/data": row(
    "json keys lab/counting lab/profile lab/wording lab/workload",
    "model lab/candidate",
  ),
  "lab/simulate": row(
    "model partition index throughput statistics keys lab/counting lab/price lab/workload lab/candidate lab/data",
    "json",
  ),
  "lab/advise": row(
    "model index keys lab/profile lab/price lab/wording lab/workload lab/candidate lab/simulate",
    "lab/counting lab/data",
  ),
  "lab/placement": row(
    "model partition keys lab/profile lab/data lab/advise lab",
    "json protocol lab/candidate",
  ),
  lab: row(
    "keys lab/profile lab/price lab/workload lab/candidate lab/data lab/simulate lab/advise",
    "model",
  ),
  "lab/drawing": row("lab/wording", "model lab/simulate"),
  "lab/report": row(
    "model keys lab/wording lab/drawing lab/advise",
    "json lab/counting lab/profile lab/data lab/simulate lab/scenario",
  ),
  "lab/scenario": row("json lab/workload lab/candidate lab/data", "lab/advise"),
  "lab/prove": row(
    "model json partition query/language keys lab/counting lab/profile lab/wording lab/workload lab/candidate lab/data lab/simulate lab lab/report lab/scenario",
    "lab/advise",
  ),
  "lab/verify": row("json lab/wording", "lab/counting"),
  "lab/migrate": row(
    "index keys lab/workload lab/simulate lab/verify lab",
    "model json lab/profile lab/advise",
  ),
  "lab/lifecycle": row(
    "keys lab/price lab/wording lab/workload lab/candidate lab/data lab/simulate lab lab/scenario lab/prove",
    "model json",
  ),
  "lab/observed": row("model json partition query/language recording keys lab/workload lab/data"),
  "engine/definition": row(
    "model json partition text index query/functions query/language query/bind",
  ),
  "engine/item": row(
    "model json partition index query/language query/bind engine/definition query/evaluate query/execute throughput",
    "store query engine/partition model/request",
  ),
  "engine/vectors": row(
    "store json partition query/functions engine/item",
    "model index query/bind engine/definition query/plan query/execute engine/partition",
  ),
  "engine/partition": row(
    "store model partition index query/language query/bind engine/definition query/plan throughput engine/item engine/vectors",
    "json query query/execute model/request statistics",
  ),
  "engine/cursor": row("model json partition", "query/execute model/request"),
  "engine/feed": row(
    "store model json partition query/execute throughput engine/item engine/cursor",
    "engine/partition model/request",
  ),
  "engine/query": row(
    "model json partition index query/functions query/language query/bind query/plan query/execute throughput engine/item engine/vectors engine/partition engine/cursor model/request query/explain query/keyRanges query/clientPlan",
    "store query/evaluate script",
  ),
  "engine/jobs": row("store", "model"),
  "engine/catalog": row(
    "store model partition index engine/definition throughput engine/item engine/partition engine/cursor engine/jobs statistics",
    "json",
  ),
  "engine/verify": row(
    "store model json partition index engine/item engine/partition engine/catalog",
    "store/backup",
  ),
  "engine/report": row(
    "model partition engine/item engine/partition statistics",
    "store json engine/catalog engine/reshape engine/copy engine/views engine/lifecycle",
  ),
  "engine/script": row(
    "store store/memory model json partition throughput engine/item engine/partition engine/feed model/request engine/query",
    "engine/cursor script",
  ),
  "engine/upkeep": row(
    "model partition engine/item engine/jobs statistics engine/catalog",
    "store index engine/partition",
  ),
  "engine/reshape": row(
    "model partition engine/item engine/jobs engine/catalog",
    "store engine/partition statistics",
  ),
  "engine/mirror": row(
    "json model/request partition query/language query/keyRanges query/clientPlan throughput engine/item engine/query engine/jobs",
    "store model engine/partition",
  ),
  "engine/compare": row(
    "model partition throughput engine/item engine/feed",
    "store json engine/partition",
  ),
  "engine/copy": row(
    "store model json partition keys throughput query/language query/bind query/evaluate query/execute engine/definition engine/item engine/partition engine/jobs engine/catalog engine/compare",
    "model/request statistics",
  ),
  "engine/views": row(
    "model json partition engine/definition engine/item engine/jobs engine/copy",
    "store statistics engine/partition engine/catalog",
  ),
  "engine/lifecycle": row(
    "store model json partition keys index throughput engine/definition engine/item engine/partition engine/jobs engine/copy",
    "statistics engine/catalog",
  ),
  "engine/archive": row(
    "archive store json keys model partition throughput engine/definition engine/item engine/partition engine/jobs engine/copy",
    "engine/catalog",
  ),
  engine: row(
    "model query/evaluate engine/item engine/vectors engine/partition engine/feed engine/query engine/mirror engine/jobs engine/catalog engine/report engine/script engine/upkeep engine/reshape engine/copy engine/views engine/lifecycle throughput engine/archive",
    "archive store json engine/cursor model/request",
  ),
  "server/surroundings": row("model alerts protocol/auth", "json seed server/connections"),
  "server/directory": row("store server/surroundings"),
  "server/archives": row("archive store"),
  "server/http": row("protocol/wire", "protocol/answer"),
  "server/connections": row("protocol/answer server/http", "protocol/wire server/surroundings"),
  "server/door": row("protocol/answer server/connections", "server/http"),
  "server/requests": row("protocol/wire", "protocol server/surroundings"),
  "server/routes": row(
    "store model json protocol/wire partition protocol/request server/surroundings engine/definition throughput engine/item engine/partition protocol/answer protocol/hybridRow protocol/rntbd engine/cursor engine/feed model/request query/explain query/clientPlan engine/query engine/catalog",
    "engine/script engine",
  ),
  "server/admin": row(
    "server/requests store store/journal store/backup store/lmdb model json protocol/wire partition protocol/request protocol/auth engine/item protocol protocol/answer server/http protocol/hybridRow model/request statistics engine/query engine/catalog engine/verify engine/copy recording engine/lifecycle engine/archive",
    "alerts server/surroundings engine/partition engine/report engine/reshape engine/views engine server/access server/lab",
  ),
  "server/lab": row(
    "json keys engine/item lab/price lab/workload lab/placement lab/scenario lab/observed",
    "store model protocol recording",
  ),
  "server/seed": row(
    "json model partition itemFile seed protocol/answer server/surroundings engine/definition engine/item engine/catalog",
    "engine/partition engine",
  ),
  "server/tls": row(""),
  "server/access": row(
    "json protocol/wire partition protocol/request protocol/auth server/surroundings protocol server/tls server/http",
    "model engine/partition engine/catalog server/routes engine",
  ),
  "server/direct": row(
    "model protocol/wire protocol/request protocol/answer protocol/rntbd server/connections server/routes",
    "engine engine/partition server/access server/door",
  ),
  "server/nodes": row(
    "store/postgres store protocol/wire protocol/answer server/surroundings server/http server/connections server/access server/admin",
    "protocol",
  ),
  "server/page": row("protocol protocol/wire server/http", "server/access server/surroundings"),
  server: row(
    "store store/wholeCopy store/fleet store/backup store/commit store/embedded store/lmdb store/postgres model alerts/rules alerts protocol/wire protocol/request protocol/auth server/surroundings server/directory engine/partition protocol protocol/answer server/http server/connections server/door server/requests server/routes server/admin server/lab engine script server/tls server/access server/page server/archives server/direct server/nodes server/seed",
    "statistics seed",
  ),
  "cli/terminal": row("json server/surroundings", "cli/connect"),
  "cli/config": row("yaml server/surroundings cli/terminal"),
  "cli/connect": row("protocol/wire server/surroundings protocol cli/terminal cli/config"),
  "cli/completion": row("", "cli/terminal"),
  "cli/trust": row("protocol server/surroundings cli/terminal cli/connect"),
  "cli/start": row("model server/surroundings server/seed cli/trust", "server"),
  "cli/check": row(
    "store store/backup server/surroundings server/directory protocol server/admin cli/terminal cli/connect",
  ),
  "cli/cluster": row("server/surroundings cli/terminal cli/connect", "protocol"),
  "cli/partitions": row(
    "partition server/surroundings cli/terminal cli/connect",
    "json protocol statistics",
  ),
  "cli/jobs": row(
    "server/surroundings cli/terminal cli/connect cli/partitions",
    "model json protocol",
  ),
  "cli/demo": row(
    "protocol/wire server/surroundings protocol server cli/terminal cli/connect cli/partitions",
    "statistics",
  ),
  "cli/query": row("json server/surroundings cli/terminal cli/connect"),
  "cli/export": row(
    "json protocol/wire server/surroundings cli/terminal cli/connect itemFile cli/query",
  ),
  "cli/input": row("cli/terminal itemFile"),
  "cli/import": row(
    "model json protocol/wire partition server/surroundings keys cli/terminal cli/connect itemFile cli/input",
  ),
  "cli/resources": row(
    "model json protocol/wire server/surroundings cli/terminal cli/connect itemFile cli/input cli/import cli/query",
  ),
  "cli/twoAccounts": row(
    "model json partition server/surroundings keys cli/terminal cli/connect cli/jobs itemFile cli/import",
  ),
  "cli/snapshot": row(
    "json seed yaml server server/seed server/directory server/surroundings cli/connect cli/export",
    "model",
  ),
  "cli/storeCopy": row(
    "store store/wholeCopy server server/surroundings server/directory cli/terminal cli/connect",
  ),
  "cli/copy": row(
    "model json server/surroundings keys cli/terminal cli/connect cli/jobs cli/twoAccounts cli/storeCopy",
  ),
  "cli/archive": row(
    "archive keys model server/archives server/surroundings cli/terminal cli/connect cli/jobs",
    "json",
  ),
  "cli/lab": row(
    "model json protocol/wire server/surroundings server keys cli/terminal cli/connect itemFile cli/input lab/counting lab/profile lab/wording lab/workload lab/data lab/advise lab lab/report lab/scenario lab/prove lab/verify lab/migrate lab/observed lab/lifecycle",
    "protocol statistics recording lab/candidate lab/simulate",
  ),
  "cli/lifecycle": row(
    "server/surroundings cli/terminal cli/connect cli/jobs lab/price lab/lifecycle cli/lab",
    "model protocol statistics",
  ),
  cli: row(
    "store store/backup store/doctor model json protocol/wire server/surroundings server/directory protocol recording server/admin server/tls server cli/terminal cli/config cli/connect cli/completion cli/start cli/check cli/cluster cli/partitions cli/jobs cli/lifecycle cli/demo cli/query cli/export cli/import cli/copy cli/resources cli/archive cli/snapshot cli/trust lab/workload lab/observed cli/lab",
  ),
  "page/session": row("protocol protocol/wire", "model"),
  "page/control": row("page/session"),
  "page/parts": row("page/session page/control", "alerts"),
  "page/chart": row("page/parts"),
  "page/overview": row(
    "page/session page/control page/parts page/chart",
    "protocol alerts statistics",
  ),
  "page/explorer": row("page/session page/control page/parts protocol/wire", "protocol model json"),
  "page/partitions": row(
    "page/session page/control page/parts page/chart",
    "protocol statistics model",
  ),
  "page/lab": row(
    "page/session page/control page/parts keys model lab/wording lab/drawing",
    "protocol json",
  ),
  "page/jobs": row("page/session page/control page/parts keys", "model json protocol"),
  "page/alerts": row("page/session page/control page/parts", "protocol alerts alerts/rules"),
  "page/requests": row("page/control page/parts", "protocol"),
  "page/settings": row("page/control page/parts", "protocol"),
  "page/examples": row("page/control page/parts page/chart"),
  "page/shell": row(
    "page/session page/control page/parts page/overview page/explorer page/partitions page/lab page/jobs page/alerts page/requests page/settings page/examples",
    "protocol model",
  ),
  "index.ts": row("server/surroundings server", "seed server/seed"),
  "keys.ts": row("keys keys/client keys/code"),
  "router.ts": row("router"),
};
