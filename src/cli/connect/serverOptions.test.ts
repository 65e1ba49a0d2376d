/** Which server a command asks: options, connection strings, variables, the settings file. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BadOption, WELL_KNOWN_KEY } from "../../server/surroundings/options.ts";
import { withConfig } from "./configured.ts";
import { parseConnectionString } from "./connectionString.ts";
import { accountOf, type Environment, type ServerValues } from "./serverOptions.ts";

const KEY = "a2V5IG9mIHNpeHRlZW4gYnl0ZXM=";
const STRING = `AccountEndpoint=https://a.example:443/;AccountKey=${KEY};`;

describe("a connection string", () => {
  test.each([
    ["as the portal prints it", STRING],
    ["without the last semicolon", STRING.slice(0, -1)],
    ["the other way round", `AccountKey=${KEY};AccountEndpoint=https://a.example:443/`],
    [
      "in other letters, with spaces",
      `accountendpoint = https://a.example:443/; ACCOUNTKEY=${KEY}`,
    ],
  ])("is read %s", (_how, text) => {
    const endpoint = "https://a.example:443/";
    expect(parseConnectionString(text, "it")).toEqual({ endpoint, key: KEY, isUnverified: false });
  });

  test("may say that the certificate is not to be looked at", () => {
    const text = `${STRING}DisableServerCertificateValidation=True;`;
    expect(parseConnectionString(text, "it").isUnverified).toBe(true);
  });

  test.each([
    ["without an endpoint", `AccountKey=${KEY};`, "it has no AccountEndpoint"],
    ["that is a key", KEY.replace("=", ""), "it is no connection string"],
    ["with a name that is misspelt", "AccountEndpiont=x;", "Did you mean 'AccountEndpoint'?"],
    ["with two of one", `${STRING}AccountKey=x`, "it has two of AccountKey"],
    [
      "with half a yes",
      `${STRING}DisableServerCertificateValidation=maybe`,
      "must be True or False",
    ],
  ])("%s is refused, and never shown", (_what, text, said) => {
    const read = (): unknown => parseConnectionString(text, "it");
    expect(read).toThrow(BadOption);
    expect(read).toThrow(said);
    expect(read).not.toThrow(KEY.slice(0, 12));
  });
});

describe("the account", () => {
  const account = (values: ServerValues, environment: Environment = {}) => {
    const { endpoint, key, isUnverified } = accountOf(values, environment);
    return [endpoint.href, key, isUnverified === true];
  };
  const variable = { ORRERY_CONNECTION_STRING: STRING };

  test("is the local one when nothing is said", () => {
    expect(account({})).toEqual(["http://127.0.0.1:8081/", WELL_KNOWN_KEY, false]);
    expect(account({}, { PORT: "9000", PROTOCOL: "https" })[0]).toBe("https://127.0.0.1:9000/");
  });

  test("is that of a connection string, by option before variable", () => {
    expect(account({}, variable)).toEqual(["https://a.example/", KEY, false]);
    expect(account({ "connection-string": "AccountEndpoint=http://b:1/" }, variable)).toEqual([
      "http://b:1/",
      WELL_KNOWN_KEY,
      false,
    ]);
    expect(account({ key: "b3RoZXI=" }, variable)).toEqual([
      "https://a.example/",
      "b3RoZXI=",
      false,
    ]);
  });

  test("with an endpoint of its own does not get the key of another", () => {
    expect(account({ endpoint: "http://b:1" }, variable)[1]).toBe(WELL_KNOWN_KEY);
  });

  test("is not said twice", () => {
    expect(() => account({ "connection-string": STRING, key: KEY })).toThrow(BadOption);
    expect(() => account({ endpoint: "ftp://b" })).toThrow("--endpoint is 'ftp://b'");
    expect(() => account({ "connection-string": "AccountEndpoint=b" })).toThrow(
      "AccountEndpoint of --connection-string is 'b'",
    );
  });
});

describe("a settings file", () => {
  const folder = mkdtempSync(join(tmpdir(), "orrery-config-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "orrery.config.yaml");
  const told = async (text: string, environment: Environment = {}, args: string[] = []) => {
    writeFileSync(file, text);
    const { endpoint, key } = accountOf({}, await withConfig(environment, args, folder));
    return [endpoint.href, key];
  };
  const STARTED = `start:\n  port: 9001\n  https: true\n  key: ${KEY}\n`;
  const CONNECTED = `${STARTED}connection:\n  connectionString: ${STRING}\n`;

  test("says where its server is, or another one", async () => {
    expect(await told(STARTED)).toEqual(["https://127.0.0.1:9001/", KEY]);
    expect(await told(CONNECTED)).toEqual(["https://a.example/", KEY]);
    expect(await told("connection:\n  endpoint: http://c:2\n")).toEqual([
      "http://c:2/",
      WELL_KNOWN_KEY,
    ]);
    expect(await told("# nothing yet\n")).toEqual(["http://127.0.0.1:8081/", WELL_KNOWN_KEY]);
  });

  test("counts less than the environment", async () => {
    const other = { ORRERY_CONNECTION_STRING: "AccountEndpoint=http://d:3" };
    expect(await told(CONNECTED, other)).toEqual(["http://d:3/", WELL_KNOWN_KEY]);
    expect(await told(STARTED, { PORT: "9000" })).toEqual([
      "http://127.0.0.1:9000/",
      WELL_KNOWN_KEY,
    ]);
  });

  test("may be another one, which has to be there", async () => {
    writeFileSync(join(folder, "other.yaml"), "connection: { endpoint: 'http://e:4' }\n");
    const args = ["ls", `--config=${join(folder, "other.yaml")}`];
    expect((await told(STARTED, {}, args))[0]).toBe("http://e:4/");
    const named = { ORRERY_CONFIG: join(folder, "other.yaml") };
    expect((await told(STARTED, named))[0]).toBe("http://e:4/");
    await expect(told(STARTED, {}, ["--config", "no.yaml"])).rejects.toThrow(
      "--config names no.yaml, which does not exist.",
    );
  });
});
