/** Which texts a certificate can carry, and the bytes of addresses. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseHostName } from "./hostName.ts";

/** `dns <name>`, `ip <hex>` or `no`. */
const NAMES: readonly (readonly [text: string, parsed: string])[] = [
  ["localhost", "dns localhost"],
  ["DB.Example.Test", "dns db.example.test"],
  ["my_host-1", "dns my_host-1"],
  ["xn--mnchen-3ya.test", "dns xn--mnchen-3ya.test"],
  ["*.example.test", "dns *.example.test"],
  ["3.example", "dns 3.example"],
  [`${"a".repeat(63)}.test`, `dns ${"a".repeat(63)}.test`],
  [`${"a".repeat(64)}.test`, "no"],
  [`${"a.".repeat(126)}a`, `dns ${"a.".repeat(126)}a`],
  [`${"a.".repeat(127)}a`, "no"],
  ["", "no"],
  [".", "no"],
  ["*", "no"],
  ["*.", "no"],
  ["a.*.test", "no"],
  ["example.", "no"],
  [".example", "no"],
  ["a..b", "no"],
  ["-a", "no"],
  ["a b", "no"],
  ["a/b", "no"],
  ["a:80", "no"],
  ["münchen.test", "no"],
  ["a\0b", "no"],
  ["127.1", "no"],
  ["1.2.3.256", "no"],
  ["[::1]", "no"],
  ["fe80::1%eth0", "no"],
  ["127.0.0.1", "ip 7f000001"],
  ["10.0.0.255", "ip 0a0000ff"],
  ["::", "ip 00000000000000000000000000000000"],
  ["::1", "ip 00000000000000000000000000000001"],
  ["fe80::", "ip fe800000000000000000000000000000"],
  ["2001:DB8::1:2", "ip 20010db8000000000000000000010002"],
  ["1:2:3:4:5:6:7:8", "ip 00010002000300040005000600070008"],
  ["1::3:4:5:6:7:8", "ip 00010000000300040005000600070008"],
  ["::ffff:1.2.3.4", "ip 00000000000000000000ffff01020304"],
];

describe("host names", () => {
  test.each(NAMES)("%j is %s", (text, parsed) => {
    expect(shownOf(text)).toBe(parsed);
  });

  test("every address is its bytes, and no text breaks the parser", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
        const hex = groups.map((group) => group.toString(16).padStart(4, "0"));
        expect(shownOf(groups.map((group) => group.toString(16)).join(":"))).toBe(
          `ip ${hex.join("")}`,
        );
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.domain()), (text) => {
        expect(shownOf(text)).toMatch(/^(no|dns [a-z0-9_.*-]+|ip ([0-9a-f]{8}|[0-9a-f]{32}))$/);
      }),
    );
  });
});

function shownOf(text: string): string {
  const host = parseHostName(text);
  if (host === undefined) return "no";
  return host.kind === "dns" ? `dns ${host.name}` : `ip ${Buffer.from(host.bytes).toString("hex")}`;
}
