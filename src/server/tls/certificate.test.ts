/** What node's own certificate reader says about the certificates made here. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../base/units.ts";

import { seededRandom } from "../../base/world.ts";
import { type Authority, caCertificateOf, leafCertificateOf, newKey } from "./certificate.ts";
import { isCovered, parseHostName } from "./hostName.ts";

const NOW = Date.parse("2026-03-04T05:06:07.890Z");

const sourceAt = (now: number): Parameters<typeof caCertificateOf>[1] => ({
  wallNow: () => now,
  randomBytes: seededRandom(1).bytes,
});

function authorityAt(now: number): Authority {
  const key = createPrivateKey(newKey());
  return { key, certificate: new X509Certificate(caCertificateOf(key, sourceAt(now))) };
}

function leafAt(now: number, ca: Authority, names: readonly string[]): X509Certificate {
  const hosts = names.map((name) => parseHostName(name)!);
  const key = createPrivateKey(newKey());
  return new X509Certificate(leafCertificateOf(ca, { key, hosts }, sourceAt(now)));
}

const endOf = (certificate: X509Certificate): number => Date.parse(certificate.validTo);
const startOf = (certificate: X509Certificate): number => Date.parse(certificate.validFrom);

describe("the authority", () => {
  const { key, certificate } = authorityAt(NOW);

  test("signs itself, may sign others, and is named after its key", () => {
    expect(certificate.ca).toBe(true);
    expect(certificate.checkPrivateKey(key)).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.subject).toMatch(/^CN=Orrery local CA [0-9a-f]{8}$/);
    expect(authorityAt(NOW).certificate.subject).not.toBe(certificate.subject);
  });

  test("lives ten years from an hour ago", () => {
    expect(certificate.validFrom).toBe("Mar  4 04:06:07 2026 GMT");
    expect(certificate.validTo).toBe("Mar  3 04:06:07 2036 GMT");
  });

  test("may end after 2049, where the form of times changes", () => {
    const late = authorityAt(Date.parse("2045-06-01T00:00:00Z")).certificate;
    expect(late.validTo).toBe("May 31 23:00:00 2055 GMT");
  });
});

describe("a leaf", () => {
  const ca = authorityAt(NOW);
  const names = ["localhost", "*.example.test", "127.0.0.1", "::1", "2001:db8::7"];
  const leaf = leafAt(NOW, ca, names);

  test("is issued by the authority and cannot issue", () => {
    expect(leaf.ca).toBe(false);
    expect(leaf.verify(ca.certificate.publicKey)).toBe(true);
    expect(leaf.checkIssued(ca.certificate)).toBe(true);
    expect(leaf.verify(authorityAt(NOW).certificate.publicKey)).toBe(false);
    expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]); // Node shows the extended usage here.
  });

  test("names its hosts and nothing else", () => {
    expect(leaf.subjectAltName).toBe(
      "DNS:localhost, DNS:*.example.test, IP Address:127.0.0.1, " +
        "IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:0:7",
    );
    expect(leaf.checkHost("localhost")).toBe("localhost");
    expect(leaf.checkHost("a.example.test")).toBe("*.example.test");
    expect(leaf.checkHost("example.test")).toBeUndefined();
    expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(leaf.checkIP("0:0::1")).toBe("0:0::1");
    expect(leaf.checkIP("127.0.0.2")).toBeUndefined();
  });

  test("covers what it names; a wildcard covers itself only", () => {
    const covered = (name: string): boolean => isCovered(parseHostName(name)!, leaf);
    expect(names.map(covered)).toEqual(names.map(() => true));
    expect(["a.example.test", "::2", "other"].map(covered)).toEqual([false, false, false]);
  });

  test("lives 397 days, both ends counted", () => {
    expect(endOf(leaf) - startOf(leaf)).toBe(397 * DAY_MS - 1_000);
    expect(leaf.validFrom).toBe("Mar  4 04:06:07 2026 GMT");
  });

  test("lies within the life of its authority, whenever it is made", () => {
    const anyDay = fc.nat(3_651);
    fc.assert(
      fc.property(anyDay, (day) => {
        const made = leafAt(NOW + day * DAY_MS, ca, ["localhost"]);
        expect(startOf(made)).toBeGreaterThanOrEqual(startOf(ca.certificate));
        expect(endOf(made)).toBeLessThanOrEqual(endOf(ca.certificate));
        expect(endOf(made) - startOf(made)).toBeLessThan(397 * DAY_MS);
      }),
      { numRuns: 30, examples: [[0], [3_651]] },
    );
  });

  test("covers any list of names, long ones too", () => {
    const anyName = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(fc.array(anyName, { minLength: 1, maxLength: 60 }), (texts) => {
        const hosts = texts.flatMap((text) => parseHostName(text) ?? []);
        fc.pre(hosts.length > 0);
        const made = leafAt(
          NOW,
          ca,
          hosts.map((host) => host.name),
        );
        expect(hosts.filter((host) => !isCovered(host, made))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

describe("serial numbers", () => {
  test.each([
    ["zeros", 0x00, "40000000000000000000000000000000"],
    ["ones", 0xff, "7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"],
  ])("stay positive when chance gives only %s", (_, byte, serial) => {
    const key = createPrivateKey(newKey());
    const randomBytes = (count: number): Uint8Array => new Uint8Array(count).fill(byte);
    const text = caCertificateOf(key, { wallNow: () => NOW, randomBytes });
    expect(new X509Certificate(text).serialNumber).toBe(serial);
  });
});
