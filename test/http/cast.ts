/**
 * Everybody who could ask: a server with two databases, and a credential of every kind for it, from
 * the account key down to none at all. Requests are sent as they are, without a client in between.
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { encodeToken, tokenKeyOf } from "../../src/protocol/auth/resourceToken.ts";
import { parseResourcePath } from "../../src/protocol/request/resourcePath.ts";
import { connectDirect } from "../direct/directClient.ts";
import { primaryOf } from "../direct/stage.ts";
import type { Call, Wire } from "./wire.ts";
import { authorizationOf, openWire } from "./wire.ts";

export type Credential =
  | "none"
  | "garbled"
  | "key"
  | "secondaryKey"
  | "readOnlyKey"
  | "strangeKey"
  | "containerRead"
  | "containerAll"
  | "keyRead"
  | "keyAll"
  | "itemRead"
  | "itemAll"
  | "procedureAll"
  | "expiredToken"
  | "strangeToken"
  | "bearer"
  | "bearerReader"
  | "expiredBearer"
  | "strangeBearer";

export interface Where {
  readonly place?: "own" | "otherContainer" | "absentContainer" | "otherDatabase";
  /** `other` is one that no permission is about. */
  readonly key?: "own" | "other" | "none";
  readonly isByRid?: boolean;
}

export interface Asked {
  readonly method: string;
  /** With `{d}` and `{c}` for database and container. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: object | undefined;
}

export interface Cast {
  readonly wire: Wire;
  pathOf(path: string, place: NonNullable<Where["place"]>): string;
  /** The status of the answer. */
  ask(asked: Asked, credential: Credential, where?: Where): Promise<number>;
  /** The same in direct mode; `undefined` where that has no frame for such a request. */
  askDirect(asked: Asked, credential: Credential, where?: Where): Promise<number | undefined>;
  close(): Promise<void>;
}

const ISSUER = "https://issuer.example/tenant";
const READER_ROLE = "data.reader";
const KEY_HEADER = "x-ms-documentdb-partitionkey";
const PLACES = {
  own: ["d", "c"],
  otherContainer: ["d", "c2"],
  absentContainer: ["d", "absent"],
  otherDatabase: ["e", "c"],
} as const;

/** What a permission of each name is about, besides its mode. */
const PERMISSIONS = {
  containerRead: {},
  containerAll: {},
  keyRead: { resourcePartitionKey: ["a"] },
  keyAll: { resourcePartitionKey: ["a"] },
  itemRead: { under: "/docs/i", resourcePartitionKey: ["a"] },
  itemAll: { under: "/docs/i", resourcePartitionKey: ["a"] },
  procedureAll: { under: "/sprocs/s" },
} as const;

export async function openCast(): Promise<Cast> {
  const [key, secondaryKey, readOnlyKey, strangeKey] = Array.from({ length: 4 }, newKey);
  const folder = mkdtempSync(join(tmpdir(), "orrery-cast-"));
  const issuer = openIssuer();
  const entraKeys = join(folder, "keys.json");
  writeFileSync(entraKeys, issuer.keySet);
  const entra = { entraIssuer: ISSUER, entraKeys, entraReaderRole: READER_ROLE };
  const keys = { key, secondaryKey, readOnlyKey };
  const wire = await openWire({ memory: true, ...keys, ...entra });
  const stage = await furnish(wire);
  const claims = { etag: '"e"', targetDigest: "", permissionRid: stage.permissionRid };
  const tokenOf = (primary: string, expiresAt: number): string =>
    encodeToken(tokenKeyOf(primary), { ...claims, expiresAt });
  const later = Date.now() + 60_000;
  const headers: ReadonlyMap<Credential, string> = new Map<Credential, string>([
    ["garbled", "type%3Dmaster%26ver%3D1.0%26sig%3Dnothing"],
    ...Object.entries(stage.tokens).map(([name, token]) => [name as Credential, token] as const),
    ["expiredToken", tokenOf(key!, Date.now() - 1000)],
    ["strangeToken", tokenOf(strangeKey!, later)],
    ["bearer", bearerOf(issuer.tokenOf({}))],
    ["bearerReader", bearerOf(issuer.tokenOf({ roles: ["other", READER_ROLE] }))],
    ["expiredBearer", bearerOf(issuer.tokenOf({ exp: Math.floor(Date.now() / 1000) - 10 }))],
    ["strangeBearer", bearerOf(openIssuer().tokenOf({}))],
  ]);
  const signing: Partial<Record<Credential, string>> = {
    key: key!,
    secondaryKey: secondaryKey!,
    readOnlyKey: readOnlyKey!,
    strangeKey: strangeKey!,
  };

  const credentialOf = (credential: Credential, method: string, path: string) => {
    const signer = signing[credential];
    if (signer !== undefined) return signed(signer, method, path);
    const header = headers.get(credential);
    return header === undefined ? {} : { authorization: encodeURIComponent(header) };
  };
  const direct = await connectDirect(wire.server);
  const replicaPath = await primaryOf(wire, "d", "c");
  const callOf = (
    asked: Asked,
    credential: Credential,
    { place = "own", key = "own", isByRid = false }: Where = {},
  ): Call & { readonly path: string } => {
    const { method, body } = asked;
    const named = pathOf(asked.path, place);
    const path = isByRid ? stage.byRids(named) : named;
    const keyHeader: Record<string, string> =
      key === "none" ? {} : { [KEY_HEADER]: key === "own" ? '["a"]' : '["b"]' };
    return {
      path,
      key: null,
      headers: { ...keyHeader, ...asked.headers, ...credentialOf(credential, method, path) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  };
  return {
    wire,
    pathOf,
    async ask(asked, credential, where) {
      const call = callOf(asked, credential, where);
      return (await wire.call(asked.method, [], call)).status;
    },
    async askDirect(asked, credential, where) {
      const call = callOf(asked, credential, where);
      return (await direct.send(asked.method, call.path, { ...call, replicaPath }))?.status;
    },
    async close() {
      await direct[Symbol.asyncDispose]();
      await wire[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const bearerOf = (token: string): string => `type=aad&ver=1.0&sig=${token}`;

const newKey = (): string => randomBytes(64).toString("base64");

function pathOf(path: string, place: NonNullable<Where["place"]>): string {
  const [database, container] = PLACES[place];
  return path.replace("{d}", database).replace("{c}", container);
}

function signed(key: string, method: string, path: string): Record<string, string> {
  const { resourceType, resourceLinks } = parseResourcePath(path)!;
  const date = new Date().toUTCString();
  const authorization = authorizationOf(key, [method, resourceType, resourceLinks[0]!, date]);
  return { authorization, "x-ms-date": date };
}

interface Furnished {
  readonly tokens: Readonly<Record<string, string>>;
  readonly permissionRid: string;
  byRids(path: string): string;
}

/** The same names everywhere, so that only the place tells one from the other. */
async function furnish(wire: Wire): Promise<Furnished> {
  const make = async (
    segments: readonly string[],
    body: object,
    headers: Record<string, string> = {},
  ): Promise<{ readonly _rid: string; readonly _token: string }> => {
    const answer = await wire.call("POST", segments, { headers, body: JSON.stringify(body) });
    expect([200, 201, 409], answer.body.toString()).toContain(answer.status);
    const read = answer.status === 409 ? await wire.call("GET", [...segments, idIn(body)]) : answer;
    return JSON.parse(read.body.toString());
  };
  const rids = new Map<string, string>();
  for (const [database, container] of [PLACES.own, PLACES.otherContainer, PLACES.otherDatabase]) {
    const { _rid: databaseRid } = await make(["dbs"], { id: database });
    const inDatabase = ["dbs", database];
    const definition = { id: container, partitionKey: { paths: ["/pk"] } };
    const { _rid: containerRid } = await make([...inDatabase, "colls"], definition);
    const inContainer = [...inDatabase, "colls", container];
    const body = "function () { return 1; }";
    const trigger = { id: "s", body, triggerType: "Pre", triggerOperation: "All" };
    const made = {
      "docs/i": await make([...inContainer, "docs"], { id: "i", pk: "a" }),
      "sprocs/s": await make([...inContainer, "sprocs"], { id: "s", body }),
      "triggers/s": await make([...inContainer, "triggers"], trigger),
      "udfs/s": await make([...inContainer, "udfs"], { id: "s", body }),
    };
    await make([...inContainer, "docs"], { id: "i", pk: "b" });
    await make([...inDatabase, "users"], { id: "u" });
    const wrapped = { wrappedDataEncryptionKey: "AAAA", keyWrapMetadata: WRAP };
    const encryptionAlgorithm = "AEAD_AES_256_CBC_HMAC_SHA256";
    await make([...inDatabase, "clientencryptionkeys"], {
      id: "k",
      encryptionAlgorithm,
      ...wrapped,
    });
    if (rids.size > 0) continue;
    rids.set("dbs/d", `dbs/${databaseRid}`).set("colls/c", `colls/${containerRid}`);
    for (const [name, { _rid }] of Object.entries(made)) {
      rids.set(name, `${name.split("/")[0]}/${encodeURIComponent(_rid)}`);
    }
  }
  const tokens: Record<string, string> = {};
  let permissionRid = "";
  for (const [id, about] of Object.entries(PERMISSIONS)) {
    const { under = "", ...key } = { under: "", ...about };
    const permissionMode = id.endsWith("All") ? "All" : "Read";
    // A user has at most one permission for a resource.
    const user = id === "containerRead" ? "u" : `user of ${id}`;
    await make(["dbs", "d", "users"], { id: user });
    const permission = { id, permissionMode, resource: `dbs/d/colls/c${under}`, ...key };
    const made = await make(["dbs", "d", "users", user, "permissions"], permission);
    tokens[id] = made._token;
    permissionRid = made._rid;
  }
  return {
    tokens,
    permissionRid,
    byRids: (path) =>
      [...rids].reduce((changed, [name, rid]) => {
        return changed.replace(new RegExp(`(?<=/)${name}(?=/|$)`), rid);
      }, path),
  };
}

const WRAP = { type: "t", name: "n", value: "v" };

const idIn = (body: object): string => String((body as { id?: unknown }).id);

/** Somebody who signs bearer tokens, and publishes the key for that. */
export function openIssuer(): {
  readonly name: string;
  readonly keySet: string;
  tokenOf(claims: object): string;
} {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const encoded = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  return {
    name: ISSUER,
    keySet: JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one" }] }),
    tokenOf(claims) {
      const exp = Math.floor(Date.now() / 1000) + 3600;
      const own = { iss: ISSUER, aud: "https://cosmos.azure.com", exp };
      const text = `${encoded({ alg: "ES256", kid: "one" })}.${encoded({ ...own, ...claims })}`;
      const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
      const signature = sign("sha256", Buffer.from(text), key).toString("base64url");
      return `${text}.${signature}`;
    },
  };
}
