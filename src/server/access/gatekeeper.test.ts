/**
 * What the link of a permission leads to. What tokens allow there is asked of a running server:
 * `test/http/authorizationTokens.test.ts`.
 */
import { expect, test } from "vitest";
import { containerIn, databaseIn, simulatedAccount } from "../../engine/simulatedAccount.fake.ts";
import { parseResourcePath } from "../../protocol/request/resourcePath.ts";
import { WELL_KNOWN_KEY } from "../surroundings/options.ts";
import { openGatekeeper } from "./gatekeeper.ts";

test.each<[rule: string, container: string, link: string, isAllowed: boolean]>([
  ["names as they are", "b c", "dbs/my db/colls/b c", true],
  ["slashes around them", "b c", "/dbs/my db/colls/b c/", true],
  ["names as in a URL", "b c", "dbs/my%20db/colls/b%20c", true],
  ["a name that looks like one in a URL", "b%20c", "dbs/my db/colls/b%20c", true],
  ["another name", "b c", "dbs/my db/colls/b", false],
  ["an escape that is none", "b c", "dbs/my db/colls/b%2", false],
])("a permission on %s: '%s' by %s", async (_rule, id, link, isAllowed) => {
  const { account, time } = await simulatedAccount();
  const database = await databaseIn(account, undefined, "my db");
  await containerIn(account, database, undefined, { id });
  const { resources } = account.catalog;
  const user = await resources.create(database, "user", { id: "u", content: {} });
  if (!user.ok) throw new Error(user.error.kind);
  const content = { permissionMode: "Read", resource: link };
  const permission = await resources.create(user.value, "permission", { id: "p", content });
  if (!permission.ok) throw new Error(permission.error.kind);

  const keys = { list: [{ key: "a2V5", isReadOnly: false }] };
  const { wallNow } = time.clock;
  const gatekeeper = openGatekeeper({ account, keys, wallNow });
  const { rid, record } = permission.value;
  const authorization = encodeURIComponent(gatekeeper.tokenMint.mint(rid, record.etag, 60));
  const path = parseResourcePath(`/dbs/my%20db/colls/${encodeURIComponent(id)}`)!;
  const refusal = await gatekeeper.refusalOf({ method: "GET", path, headers: { authorization } });
  expect(refusal === undefined, JSON.stringify(refusal)).toBe(isAllowed);
});

test.each<[rule: string, key: string, isAllowed: boolean]>([
  ["where the well-known key is the primary one", WELL_KNOWN_KEY, true],
  ["with another key nowhere, not even with that key in it", "a2V5", false],
])("the emulators' own token counts %s", async (_rule, key, isAllowed) => {
  const { account, time } = await simulatedAccount();
  const keys = { list: [{ key, isReadOnly: false }] };
  const gatekeeper = openGatekeeper({ account, keys, wallNow: time.clock.wallNow });
  const header = { alg: "RS256", kid: "CosmosEmulatorPrimaryMaster" };
  const claims = { exp: 8e9 };
  const parts = [JSON.stringify(header), JSON.stringify(claims), key];
  const jwt = parts.map((part) => Buffer.from(part).toString("base64url")).join(".");
  const authorization = encodeURIComponent(`type=aad&ver=1.0&sig=${jwt}`);
  const path = parseResourcePath("/dbs")!;
  const refusal = await gatekeeper.refusalOf({ method: "GET", path, headers: { authorization } });
  expect(refusal === undefined, JSON.stringify(refusal)).toBe(isAllowed);
});
