/**
 * What is kept, what is made anew and what is refused, on a real disk; then real handshakes.
 * Time is a variable, except where the TLS library reads the clock itself.
 */

import { randomBytes, X509Certificate } from "node:crypto";
import * as fs from "node:fs";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../base/units.ts";

import { parseHostName } from "./hostName.ts";
import { LocalCaFault, readOrCreate } from "./keptFile.ts";
import { type LocalCa, openLocalCa } from "./localCa.ts";

const START = Date.parse("2026-03-04T05:06:07Z");
const FILES = ["ca.key", "ca.pem", "server.key", "server.pem"] as const;
type FileName = (typeof FILES)[number];

let root = "";
let directory = "";
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "orrery-ca-"));
  directory = join(root, "deep", "tls");
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const open = (hostNames: readonly string[] = [], now = START): LocalCa =>
  openLocalCa({ directory, hostNames, wallNow: () => now, randomBytes });
const pathOf = (name: FileName): string => join(directory, name);
const textOf = (name: FileName): string => fs.readFileSync(pathOf(name), "utf8");
const leafOf = (ca: LocalCa): X509Certificate => new X509Certificate(ca.cert);

/** Which of the two is the same as before: `"ca leaf"`, `"ca"` or nothing. */
function keptBy(before: LocalCa, after: LocalCa): string {
  const isCaKept = before.caCert === after.caCert;
  const isLeafKept =
    before.key === after.key && leafOf(before).fingerprint256 === leafOf(after).fingerprint256;
  return [isCaKept ? "ca" : "", isLeafKept ? "leaf" : ""].join(" ").trim();
}

function faultOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(LocalCaFault);
    return String(error);
  }
  return "none";
}

describe("a first open", () => {
  test("makes four files, the keys for the owner only", () => {
    open();
    expect(fs.readdirSync(directory).sort()).toEqual([...FILES]);
    if (process.platform === "win32") return;
    const modeOf = (path: string): number => fs.statSync(path).mode & 0o777;
    expect(modeOf(directory)).toBe(0o700);
    expect([modeOf(pathOf("ca.key")), modeOf(pathOf("server.key"))]).toEqual([0o600, 0o600]);
  });

  test("returns the key, the leaf with its CA, and the CA", () => {
    const made = open(["db.example.test", "192.168.7.7"]);
    const ca = new X509Certificate(made.caCert);
    expect(made.cert).toBe(textOf("server.pem") + textOf("ca.pem"));
    expect(made.caCert).toBe(textOf("ca.pem"));
    expect(made.key).toBe(textOf("server.key"));
    expect(leafOf(made).checkIssued(ca) && leafOf(made).verify(ca.publicKey)).toBe(true);
    const names = ["localhost", "host.docker.internal", "db.example.test"];
    expect(names.map((name) => leafOf(made).checkHost(name))).toEqual(names);
    const addresses = ["127.0.0.1", "::1", "192.168.7.7"];
    expect(addresses.map((address) => leafOf(made).checkIP(address))).toEqual(addresses);
    const machine = parseHostName(hostname());
    if (machine?.kind === "dns") expect(leafOf(made).checkHost(machine.name)).toBe(machine.name);
  });

  test.each(["", "a b", "http://x", "fe80::1%eth0", "münchen"])("refuses the name %j", (name) => {
    expect(faultOf(() => open([name]))).toContain(JSON.stringify(name));
    expect(fs.existsSync(directory)).toBe(false);
  });
});

interface Reopening {
  readonly rule: string;
  readonly names?: readonly string[];
  readonly days?: number;
  readonly kept: string;
}

/** The first open asked for `a.test` and `10.0.0.1`. */
const REOPENINGS: readonly Reopening[] = [
  { rule: "nothing changed", names: ["a.test", "10.0.0.1"], kept: "ca leaf" },
  { rule: "fewer names", names: [], kept: "ca leaf" },
  { rule: "another spelling", names: ["A.TEST", "::0001"], kept: "ca leaf" },
  { rule: "a new name", names: ["a.test", "b.test"], kept: "ca" },
  { rule: "a new address", names: ["10.0.0.2"], kept: "ca" },
  { rule: "a wildcard over a kept name", names: ["*.test"], kept: "ca" },
  { rule: "31 days before the leaf ends", days: 397 - 31, kept: "ca leaf" },
  { rule: "30 days before the leaf ends", days: 397 - 30, kept: "ca" },
  { rule: "after the leaf ended", days: 500, kept: "ca" },
  { rule: "almost ten years later", days: 3_651, kept: "ca" },
];

describe("a second open", () => {
  test.each(REOPENINGS)("$rule: keeps $kept", ({ names = [], days = 0, kept }) => {
    const before = open(["a.test", "10.0.0.1"]);
    const after = open(names, START + days * DAY_MS);
    expect(keptBy(before, after)).toBe(kept);
    expect(keptBy(after, open(names, START + days * DAY_MS))).toBe("ca leaf");
    expect(fs.readdirSync(directory).sort()).toEqual([...FILES]);
  });

  test("a leaf that ends with its CA is not made anew in vain", () => {
    open();
    const last = open([], START + 3_640 * DAY_MS);
    expect(leafOf(last).validTo).toBe(new X509Certificate(last.caCert).validTo);
    expect(keptBy(last, open([], START + 3_645 * DAY_MS))).toBe("ca leaf");
  });

  test("a leaf of another CA is made anew", () => {
    const before = open();
    fs.rmSync(pathOf("ca.key"));
    fs.rmSync(pathOf("ca.pem"));
    const after = open();
    expect(keptBy(before, after)).toBe("");
    expect(leafOf(after).verify(new X509Certificate(after.caCert).publicKey)).toBe(true);
  });

  test("a server key and certificate that do not fit, as a crash leaves them, mend", () => {
    const before = open();
    const keyBefore = textOf("server.key");
    open(["new.test"]);
    fs.writeFileSync(pathOf("server.key"), keyBefore);
    expect(keptBy(before, open())).toBe("ca");
  });

  test("any set of missing files mends, but for a CA certificate without its key", () => {
    const before = open();
    const texts = FILES.map((name) => [name, textOf(name)] as const);
    for (let mask = 0; mask < 16; mask++) {
      const present = texts.filter((_, position) => (mask & (1 << position)) !== 0);
      fs.rmSync(directory, { recursive: true });
      fs.mkdirSync(directory);
      for (const [name, text] of present) fs.writeFileSync(pathOf(name), text);
      const has = (name: FileName): boolean => present.some(([other]) => other === name);
      if (has("ca.pem") && !has("ca.key")) {
        expect(faultOf(open)).toContain("ca.key is missing");
        continue;
      }
      const after = open();
      const isLeafKept = has("server.key") && has("server.pem") && has("ca.key");
      expect(after.key === before.key).toBe(isLeafKept);
      expect(after.caCert === before.caCert).toBe(has("ca.pem"));
      if (has("ca.key")) expect(textOf("ca.key")).toBe(texts[0]![1]);
      expect(leafOf(after).verify(new X509Certificate(after.caCert).publicKey)).toBe(true);
    }
  });
});

const DAMAGES: readonly (readonly [name: string, damaged: (text: string) => string])[] = [
  ["empty", () => ""],
  ["garbage", () => "not PEM at all"],
  ["cut in half", (text) => text.slice(0, text.length / 2)],
];

describe("a damaged file", () => {
  const cases = FILES.flatMap((name) => DAMAGES.map(([how, damaged]) => ({ name, how, damaged })));

  test.each(cases)("$name, $how, is refused by name and left alone", ({ name, damaged }) => {
    open();
    const text = damaged(textOf(name));
    fs.writeFileSync(pathOf(name), text);
    const fault = faultOf(open);
    expect(fault).toContain(pathOf(name));
    expect(fault).toMatch(/[Dd]elete/);
    expect(textOf(name)).toBe(text);
  });

  test.each(FILES)("%s that cannot be read is refused by name", (name) => {
    open();
    fs.rmSync(pathOf(name));
    fs.mkdirSync(pathOf(name));
    expect(faultOf(open)).toContain(`${pathOf(name)} cannot be read (EISDIR)`);
  });

  test("the remedy of a lost CA says what it costs", () => {
    open();
    fs.writeFileSync(pathOf("ca.key"), "");
    expect(faultOf(open)).toBe(
      `LocalCaFault: ${pathOf("ca.key")} is damaged: it holds no P-256 private key in PEM. ` +
        "Restore it from a backup; or delete both ca.key and ca.pem to make a new CA, " +
        "which clients must then trust anew.",
    );
  });

  test("a key and a certificate of two CAs are refused", () => {
    open();
    const key = textOf("ca.key");
    fs.rmSync(directory, { recursive: true });
    open();
    fs.writeFileSync(pathOf("ca.key"), key);
    expect(faultOf(open)).toContain("ca.key and ca.pem do not belong together");
  });

  test("a CA certificate outside its validity is refused; deleting it renews it", () => {
    const before = open();
    expect(faultOf(() => open([], START - DAY_MS))).toContain("ca.pem is valid from Mar  4 04");
    const late = START + 3_653 * DAY_MS;
    expect(faultOf(() => open([], late))).toContain("the clock says 2036-03-04T05:06:07.000Z");
    fs.rmSync(pathOf("ca.pem"));
    const after = open([], late);
    const [old, renewed] = [before, after].map(({ caCert }) => new X509Certificate(caCert));
    expect(renewed!.publicKey.equals(old!.publicKey)).toBe(true);
    expect(renewed!.subject).toBe(old!.subject);
  });

  test("one flipped bit anywhere is refused, or does no harm", () => {
    const anyFlip = fc.tuple(fc.constantFrom(...FILES), fc.nat(), fc.nat(7), fc.boolean());
    fc.assert(
      fc.property(anyFlip, ([name, position, bit, isLeafLost]) => {
        fs.rmSync(directory, { recursive: true, force: true });
        open();
        const [first = "", ...rest] = textOf(name).trim().split("\n");
        const bytes = Buffer.from(rest.slice(0, -1).join(""), "base64");
        bytes[position % bytes.length]! ^= 1 << bit;
        const text = [first, bytes.toString("base64"), rest.at(-1), ""].join("\n");
        fs.writeFileSync(pathOf(name), text.replace(/.{64}(?=.)/g, "$&\n"));
        if (isLeafLost && name.startsWith("ca.")) fs.rmSync(pathOf("server.pem"));
        const fault = faultOf(() => {
          const after = open();
          const ca = new X509Certificate(after.caCert);
          expect(leafOf(after).checkIssued(ca) && leafOf(after).verify(ca.publicKey)).toBe(true);
        });
        if (fault !== "none") expect(fault).toContain(directory);
      }),
      { numRuns: 150 },
    );
  });
});

describe("two processes at once", () => {
  test("the first one's file stays, and is what the second gets", () => {
    const file = { path: join(root, "kept"), mode: 0o600, remedy: "" };
    const second = readOrCreate(file, () => {
      expect(readOrCreate(file, () => "first")).toBe("first");
      return "second";
    });
    expect([second, fs.readFileSync(file.path, "utf8")]).toEqual(["first", "first"]);
    expect(fs.readdirSync(root)).toEqual(["kept"]);
  });
});

describe("a handshake", () => {
  const cases = [
    { rule: "an address", servername: "", trusts: true, outcome: "hello" },
    { rule: "localhost", servername: "localhost", trusts: true, outcome: "hello" },
    { rule: "a given name", servername: "db.example.test", trusts: true, outcome: "hello" },
    {
      rule: "a name not given",
      servername: "other.test",
      trusts: true,
      outcome: "ERR_TLS_CERT_ALTNAME_INVALID",
    },
    {
      rule: "a client that does not trust the CA",
      servername: "localhost",
      trusts: false,
      outcome: "SELF_SIGNED_CERT_IN_CHAIN",
    },
  ];

  test.each(cases)("with $rule: $outcome", async ({ servername, trusts, outcome }) => {
    const { key, cert, caCert } = open(["db.example.test"], Date.now());
    const server = https.createServer({ key, cert }, (_, response) => response.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const trust = trusts ? { ca: caCert } : {};
    const name = servername === "" ? {} : { servername };
    const seen = await answerOf({ host: "127.0.0.1", port, ...trust, ...name });
    await new Promise((resolve) => server.close(resolve));
    expect(seen).toBe(outcome);
  });
});

/** The body, or the code of the error. */
function answerOf(options: https.RequestOptions): Promise<string> {
  return new Promise((resolve) => {
    const request = https.get(
      { ...options, rejectUnauthorized: true, agent: false },
      (response) => {
        response.setEncoding("utf8");
        response.on("data", (text: string) => resolve(text));
      },
    );
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
