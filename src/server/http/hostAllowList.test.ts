/** One table of hosts, one of allow lists, and a property: a page's own name never gets in. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isAllowedHost } from "./hostAllowList.ts";

describe("hosts that always mean this machine", () => {
  test.each([
    "localhost",
    "localhost:8081",
    "LocalHost:8081",
    "localhost.",
    "localhost.:8081",
    "orrery.localhost",
    "a.b.localhost:1",
    "127.0.0.1",
    "127.0.0.1:8081",
    "127.255.255.255",
    "[::1]",
    "[::1]:8081",
    "host.docker.internal:8081",
  ])("%s is allowed", (host) => {
    expect(isAllowedHost(host, [])).toBe(true);
  });

  test.each([
    undefined,
    "",
    ":8081",
    ".",
    "example.com",
    "localhost.example.com",
    "evil-localhost",
    "xlocalhost:8081",
    "127.0.0.1.example.com",
    "127.example.com",
    "127.0.0.256",
    "127.0.0.01",
    "127.1",
    "128.0.0.1",
    "0.0.0.0",
    "10.0.0.1:8081",
    "[::2]",
    "[::1",
    "[]:1",
    "[::1]x",
    "localhost:80a",
    "localhost:",
    "user@localhost",
    "localhost/",
    "localhost, example.com",
    " localhost",
    "host.docker.internal.example.com",
  ])("%s is not", (host) => {
    expect(isAllowedHost(host, [])).toBe(false);
  });
});

describe("hosts that were named for this server", () => {
  test.each([
    { rule: "a name", host: "orrery:8081", allow: ["orrery"], expected: true },
    { rule: "case does not count", host: "Orrery", allow: ["oRRERY"], expected: true },
    { rule: "a port in the list does not count", host: "db:1", allow: ["db:2"], expected: true },
    { rule: "the bound address", host: "10.0.0.5:8081", allow: ["10.0.0.5"], expected: true },
    { rule: "IPv6, bare in the list", host: "[FE80::1]:8081", allow: ["fe80::1"], expected: true },
    { rule: "IPv6, bracketed", host: "[fe80::1]", allow: ["[fe80::1]:80"], expected: true },
    { rule: "not its subdomains", host: "a.db.test", allow: ["db.test"], expected: false },
    { rule: "not its parent", host: "test", allow: ["db.test"], expected: false },
    { rule: "an empty entry means nothing", host: "", allow: [""], expected: false },
    { rule: "a star means everything", host: "example.com", allow: ["x", "*"], expected: true },
    { rule: "even no host", host: undefined, allow: ["*"], expected: true },
  ])("$rule: $host against $allow", ({ host, allow, expected }) => {
    expect(isAllowedHost(host, allow)).toBe(expected);
  });
});

describe("a server that listens on all addresses", () => {
  test.each([
    ["an address of the machine", "192.168.1.5:8081", true],
    ["an address of the other kind", "[fd00::5]:8081", true],
    ["the name of a container", "cosmos:8081", true],
    ["a name that a page may have", "cosmos.example.com:8081", false],
    ["what only looks like an address", "192.168.1.5.example.com", false],
    ["a name whose last dot says that it is whole", "cosmos.", true],
    ["no name at all", "", false],
  ])("%s: %s", (_what, host, expected) => {
    expect(isAllowedHost(host, ["0.0.0.0", "db"])).toBe(expected);
    expect(isAllowedHost(host, ["::"])).toBe(expected);
    expect(isAllowedHost(host, ["10.0.0.1"])).toBe(false);
  });
});

test("a name under another domain never gets in", () => {
  const anyLabel = fc.oneof(fc.constantFrom("localhost", "127", "0", "1", "db"), fc.domain());
  fc.assert(
    fc.property(fc.array(anyLabel), fc.option(fc.nat(65_535)), (labels, port) => {
      const name = [...labels, "rebind.example"].join(".");
      const host = port === null ? name : `${name}:${port}`;
      expect(isAllowedHost(host, ["db", "db.localhost", "10.0.0.1"])).toBe(false);
    }),
  );
});

test("no text makes it throw", () => {
  fc.assert(fc.property(fc.string(), (host) => isAllowedHost(host, [host]) !== undefined));
});
