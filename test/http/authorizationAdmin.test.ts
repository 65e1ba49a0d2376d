/**
 * Who may do what under `/_orrery/`: every route that its index lists × every credential × from
 * this machine and from elsewhere. A new route is in the index, so it is looked at here as well.
 *
 * Only refusals are told apart. What is allowed is asked about a container that there is not, or
 * about a key of no such name, so nothing is changed.
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IndexAnswer, RouteEntry } from "../../src/protocol/admin.ts";
import { ADMIN_API } from "../../src/protocol/admin.ts";
import type { Wire } from "./wire.ts";
import { openWire } from "./wire.ts";

const newKey = (): string => randomBytes(64).toString("base64");
const [KEY, SECONDARY, READ_ONLY, STRANGE] = [newKey(), newKey(), newKey(), newKey()];

const CREDENTIALS = {
  none: {},
  garbled: { authorization: "Bearer" },
  strangeKey: { authorization: `Bearer ${STRANGE}` },
  signature: { authorization: "type%3Dmaster%26ver%3D1.0%26sig%3DAAAA" },
  readOnlyKey: { authorization: `Bearer ${READ_ONLY}` },
  key: { authorization: `Bearer ${KEY}` },
  secondaryKey: { authorization: `Bearer ${SECONDARY}` },
} as const;
type Credential = keyof typeof CREDENTIALS;

/** Whose answers are keys, or all there is: also on this machine they take a read-write key. */
const GUARDED = [`${ADMIN_API}keys`, `${ADMIN_API}backup`];
const ALLOWED = "allowed";

let wire: Wire;
beforeAll(async () => {
  wire = await openWire({
    memory: true,
    admin: "any",
    key: KEY,
    secondaryKey: SECONDARY,
    readOnlyKey: READ_ONLY,
  });
});
afterAll(() => wire[Symbol.asyncDispose]());

test("every route of the index, for every credential, from here and from elsewhere", async () => {
  const index = await wire.call("GET", [], { path: ADMIN_API, key: null });
  const { routes } = JSON.parse(index.body.toString()) as IndexAnswer;
  expect(routes.length).toBeGreaterThan(20);
  const [expected, found]: [string[], string[]] = [[], []];
  for (const route of routes) {
    for (const credential of Object.keys(CREDENTIALS) as Credential[]) {
      for (const isFar of [false, true]) {
        const cell = `${route.method} ${route.path} ${credential} ${isFar ? "far" : "here"}`;
        expected.push(`${cell}: ${outcomeOf(route, credential, isFar)}`);
        found.push(`${cell}: ${await asked(route, credential, isFar)}`);
      }
    }
  }
  expect(found).toEqual(expected);
});

/** The rule, as docs/operate/admin.md and docs/use/authorization.md have it. */
function outcomeOf(
  { method, path }: RouteEntry,
  credential: Credential,
  isFar: boolean,
): number | string {
  const isGuarded = GUARDED.some((guarded) => path.startsWith(guarded));
  if (!isFar && !isGuarded) return ALLOWED;
  switch (credential) {
    case "key":
    case "secondaryKey":
      return ALLOWED;
    case "readOnlyKey":
      return method === "GET" && !isGuarded ? ALLOWED : 403;
    default:
      return 401;
  }
}

async function asked(
  { method, path }: RouteEntry,
  credential: Credential,
  isFar: boolean,
): Promise<number | string> {
  const { status } = await wire.call(method, [], {
    path: path.replace(/\{\w+\}/g, "absent"),
    key: null,
    headers: {
      "content-type": "application/json",
      ...CREDENTIALS[credential],
      ...(isFar && { "x-forwarded-for": "10.0.0.1" }),
    },
    ...(method === "POST" && { body: "{}" }),
  });
  return status === 401 || status === 403 ? status : ALLOWED;
}
