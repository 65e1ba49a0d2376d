/**
 * What lives under databases and containers besides items: scripts, users and their permissions,
 * client encryption keys, conflicts; and addresses, which only clients in direct mode ask for.
 *
 * The verbs of such resources are the same for all types: their probes are made from one pattern.
 */
import type { Area, Probe, Step } from "./probe.ts";
import { COLL, create, KEY, probe, QUERY_HEADERS, read, rows } from "./probe.ts";

interface Kind {
  /** As paths spell it. */
  readonly type: string;
  readonly parent: string;
  /** The array of a feed. */
  readonly plural: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly changed: Readonly<Record<string, unknown>>;
  /** What must be there before. */
  readonly before?: readonly Step[];
  readonly lacks?: readonly Verb[];
}

type Verb = "upsert" | "replace" | "delete" | "query";

const SCRIPT = { id: "s", body: "function () { getContext().getResponse().setBody(1); }" };
const CHANGED_SCRIPT = { id: "s", body: "function () { getContext().getResponse().setBody(2); }" };
const USER: Step = { ask: "POST dbs/{db}/users", body: { id: "u" }, status: 201 };

const KINDS: readonly Kind[] = [
  {
    type: "sprocs",
    parent: COLL,
    plural: "StoredProcedures",
    body: SCRIPT,
    changed: CHANGED_SCRIPT,
  },
  {
    type: "triggers",
    parent: COLL,
    plural: "Triggers",
    body: { ...SCRIPT, triggerType: "Pre", triggerOperation: "All" },
    changed: { ...SCRIPT, triggerType: "Post", triggerOperation: "All" },
  },
  {
    type: "udfs",
    parent: COLL,
    plural: "UserDefinedFunctions",
    body: { id: "s", body: "function (x) { return x + 1; }" },
    changed: { id: "s", body: "function (x) { return x + 2; }" },
  },
  {
    type: "users",
    parent: "dbs/{db}",
    plural: "Users",
    body: { id: "s" },
    changed: { id: "renamed" },
  },
  {
    type: "permissions",
    parent: "dbs/{db}/users/u",
    plural: "Permissions",
    body: { id: "s", permissionMode: "Read", resource: COLL },
    changed: { id: "s", permissionMode: "All", resource: COLL },
    before: [USER],
  },
  {
    type: "clientencryptionkeys",
    parent: "dbs/{db}",
    plural: "ClientEncryptionKeys",
    body: {
      id: "s",
      encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
      wrappedDataEncryptionKey: "AAECAwQFBgc=",
      keyWrapMetadata: { type: "TYPE", name: "key", value: "value", algorithm: "RSA-OAEP" },
    },
    changed: {
      id: "s",
      encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
      wrappedDataEncryptionKey: "CAkKCwwNDg8=",
      keyWrapMetadata: { type: "TYPE", name: "key", value: "other", algorithm: "RSA-OAEP" },
    },
    lacks: ["upsert", "delete"],
  },
];

/** The usual verbs of one type, each a probe. */
function verbsOf({ type, parent, plural, body, changed, before = [], lacks = [] }: Kind): Probe[] {
  const feed = `${parent}/${type}`;
  const shown = `${parent.replace("{db}", "{database}").replace("{c}", "{container}")}/${type}`;
  const name = shown.replace(/^.*\/(?=(users|permissions|[a-z]+)$)/, "…/");
  const made: Step = { ask: `POST ${feed}`, body, status: 201, has: { id: "s" } };
  const isThere = (verb: Verb): boolean => !lacks.includes(verb);
  const all: [string, readonly Step[], boolean][] = [
    [`\`POST ${name}\``, [made, { ...made, status: 409, has: { code: "Conflict" } }], true],
    [
      `\`POST ${name}\`, an upsert`,
      [made, { ...made, headers: { "x-ms-documentdb-is-upsert": "true" }, status: 200 }],
      isThere("upsert"),
    ],
    [
      `\`GET ${name}\``,
      [made, { ask: `GET ${feed}`, status: 200, has: { [plural]: [{ id: "s" }] } }],
      true,
    ],
    [
      `\`POST ${name}\`, a query`,
      [
        made,
        {
          ask: `POST ${feed}`,
          headers: QUERY_HEADERS,
          body: { query: "SELECT * FROM root r WHERE r.id = 's'" },
          status: 200,
          has: { [plural]: [{ id: "s" }] },
        },
      ],
      isThere("query"),
    ],
    [`\`GET ${name}/{id}\``, [made, { ask: `GET ${feed}/s`, status: 200, has: { id: "s" } }], true],
    [
      `\`PUT ${name}/{id}\``,
      [made, { ask: `PUT ${feed}/s`, body: changed, status: 200, has: changed }],
      isThere("replace"),
    ],
    [
      `\`DELETE ${name}/{id}\``,
      [made, { ask: `DELETE ${feed}/s`, status: 204 }, { ask: `GET ${feed}/s`, status: 404 }],
      isThere("delete"),
    ],
  ];
  return all
    .filter(([, , is]) => is)
    .map(([feature, steps]) => probe(feature, [...before, ...steps]));
}

const verbsOfType = (type: string): Probe[] =>
  KINDS.filter((kind) => kind.type === type).flatMap(verbsOf);

/** A stored procedure with this body, run once with these arguments. */
function running(body: string, args: unknown, rest: Partial<Step>): readonly Step[] {
  return [
    { ask: `POST ${COLL}/sprocs`, body: { id: "s", body }, status: 201 },
    { ask: `POST ${COLL}/sprocs/s`, headers: KEY, body: args, status: 200, ...rest },
  ];
}

const WRITES_AND_THROWS = `function () {
  const container = getContext().getCollection();
  container.createDocument(container.getSelfLink(), { id: "1", pk: "a" }, function () {
    throw new Error("enough");
  });
}`;

const QUERIES = `function () {
  const container = getContext().getCollection();
  container.queryDocuments(container.getSelfLink(), "SELECT VALUE c.id FROM c", function (_, rows) {
    getContext().getResponse().setBody(rows);
  });
}`;

const execution: readonly Probe[] = [
  probe(
    "`POST …/sprocs/{id}`: arguments and the body of the answer",
    running("function (a, b) { getContext().getResponse().setBody(a + b); }", [1, 2], {
      says: /^3$/,
    }),
  ),
  probe("a query inside a stored procedure sees its logical partition only", [
    create({ id: "1" }),
    create({ id: "2", pk: "b" }, { headers: { "x-ms-documentdb-partitionkey": '["b"]' } }),
    ...running(QUERIES, [], { says: /^\["1"\]$/ }),
  ]),
  probe("what a stored procedure throws takes back what it wrote", [
    ...running(WRITES_AND_THROWS, [], { status: 400, says: /enough/ }),
    read("1", { status: 404 }),
  ]),
  probe(
    "`console.log` in a stored procedure",
    running("function () { console.log(451); }", [], {
      headers: { ...KEY, "x-ms-documentdb-script-enable-logging": "true" },
      answers: { "x-ms-documentdb-script-log-results": /451/ },
    }),
  ),
];

function trigger(triggerType: string, triggerOperation: string, body: string): Step {
  const described = { id: "t", triggerType, triggerOperation, body };
  return { ask: `POST ${COLL}/triggers`, body: described, status: 201 };
}

const MARKS = `function () {
  const request = getContext().getRequest();
  const item = request.getBody();
  item.marked = true;
  request.setBody(item);
}`;
const PRE = { "x-ms-documentdb-pre-trigger-include": "t" };
const POST = { "x-ms-documentdb-post-trigger-include": "t" };

const triggers: readonly Probe[] = [
  probe("a pre-trigger changes what is written", [
    trigger("Pre", "All", MARKS),
    create({ id: "1" }, { headers: PRE, has: { marked: true } }),
  ]),
  probe("a post-trigger that throws takes the write back", [
    trigger("Post", "Create", 'function () { throw new Error("not this one"); }'),
    create({ id: "1" }, { headers: POST, status: 400, says: /not this one/ }),
    read("1", { status: 404 }),
  ]),
  probe("a trigger for another operation is refused", [
    trigger("Pre", "Delete", MARKS),
    create({ id: "1" }, { headers: PRE, status: 400 }),
    read("1", { status: 404 }),
  ]),
];

const functions: readonly Probe[] = [
  probe("`udf.name()` in SELECT", [
    {
      ask: `POST ${COLL}/udfs`,
      body: { id: "twice", body: "function (x) { return 2 * x; }" },
      status: 201,
    },
    create({ id: "1", n: 4 }),
    rows("SELECT VALUE udf.twice(c.n) FROM c", [8]),
  ]),
  probe("`udf.name()` in WHERE", [
    {
      ask: `POST ${COLL}/udfs`,
      body: { id: "even", body: "function (x) { return x % 2 === 0; }" },
      status: 201,
    },
    create({ id: "1", n: 4 }),
    create({ id: "2", n: 5 }),
    rows("SELECT VALUE c.id FROM c WHERE udf.even(c.n)", ["1"]),
  ]),
  probe("a function that is not there is refused", [
    create({ id: "1" }),
    { ...rows("SELECT VALUE udf.none(c.n) FROM c", []), status: 400, has: { code: "BadRequest" } },
  ]),
];

const conflicts: readonly Probe[] = [
  probe("`GET …/conflicts`, of which there are none with one region", [
    { ask: `GET ${COLL}/conflicts`, status: 200, has: { Conflicts: [], _count: 0 } },
  ]),
  probe("`POST …/conflicts`, a query", [
    {
      ask: `POST ${COLL}/conflicts`,
      headers: QUERY_HEADERS,
      body: { query: "SELECT * FROM root" },
      status: 200,
      has: { Conflicts: [] },
    },
  ]),
  probe("`GET …/conflicts/{id}`", [{ ask: `GET ${COLL}/conflicts/none`, status: 404 }]),
  probe("`DELETE …/conflicts/{id}`", [{ ask: `DELETE ${COLL}/conflicts/none`, status: 404 }]),
  probe("`GET //addresses/`, which only clients in direct mode ask for", [
    {
      ask: `GET /addresses/?$resolveFor=${COLL}/docs`,
      signs: `${COLL}/docs`,
      status: 200,
      says: /"Addresss"/,
    },
  ]),
];

export const CHILD_AREAS: readonly Area[] = [
  {
    title: "Stored procedures",
    about: "",
    probes: [...verbsOfType("sprocs"), ...execution],
  },
  { title: "Triggers", about: "", probes: [...verbsOfType("triggers"), ...triggers] },
  { title: "User-defined functions", about: "", probes: [...verbsOfType("udfs"), ...functions] },
  {
    title: "Users and permissions",
    about: "",
    probes: [...verbsOfType("users"), ...verbsOfType("permissions")],
  },
  { title: "Client encryption keys", about: "", probes: verbsOfType("clientencryptionkeys") },
  { title: "Conflicts and addresses", about: "", probes: conflicts },
];
