/**
 * The tables pin the bytes down: read them first. The properties compare the fast encoder with a
 * plain one, and the order of item numbers with the order clients read out of the rids.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  CHILD_NUMBER_MAX,
  CONTAINER_NUMBER_MAX,
  childRidPrefix,
  containerRid,
  DATABASE_NUMBER_MAX,
  databaseRid,
  itemRid,
  offerNumber,
  offerRid,
  parseRid,
  rangeRid,
  resourceRid,
} from "./rid.ts";

describe("the bytes of a rid", () => {
  test.each([
    { rule: "a database is its number, big-endian", rid: databaseRid(1), hex: "00000001" },
    { rule: "all 32 bits of it", rid: databaseRid(0xab_62_76_00), hex: "ab627600" },
    { rule: "a container has its top bit set", rid: containerRid(1, 2), hex: "0000000180000002" },
    {
      rule: "an item number is little-endian after the container",
      rid: itemRid(childRidPrefix(1, 2), 0x0102),
      hex: "00000001800000020201000000000000",
    },
    {
      rule: "item numbers pass 32 bits",
      rid: itemRid(childRidPrefix(1, 2), 2 ** 53 - 1),
      hex: "0000000180000002ffffffffffff1f00",
    },
    {
      rule: "a physical partition has type 5 in the last byte",
      rid: rangeRid(childRidPrefix(1, 2), 7),
      hex: "00000001800000020700000000000050",
    },
    {
      rule: "a user has no top bit",
      rid: resourceRid("user", databaseRid(1), 2),
      hex: "0000000100000002",
    },
    {
      rule: "a permission is a number after its user",
      rid: resourceRid("permission", resourceRid("user", databaseRid(1), 2), 0x0102),
      hex: "00000001000000020201000000000000",
    },
    {
      rule: "a client encryption key is one after its database",
      rid: resourceRid("clientEncryptionKey", databaseRid(1), 3),
      hex: "000000010300000000000000",
    },
    {
      rule: "a function has type 6",
      rid: resourceRid("userDefinedFunction", containerRid(1, 2), 3),
      hex: "00000001800000020300000000000060",
    },
    {
      rule: "a trigger has type 7",
      rid: resourceRid("trigger", containerRid(1, 2), 3),
      hex: "00000001800000020300000000000070",
    },
    {
      rule: "a stored procedure has type 8",
      rid: resourceRid("storedProcedure", containerRid(1, 2), CHILD_NUMBER_MAX),
      hex: "0000000180000002ffffffffffff1f80",
    },
    {
      rule: "the offer of a database is twice its number",
      rid: offerRid(offerNumber({ kind: "database", number: 1 })),
      hex: "000002",
    },
    {
      rule: "that of a container is odd",
      rid: offerRid(offerNumber({ kind: "container", number: 1 })),
      hex: "000003",
    },
    {
      rule: "the last offer of three bytes",
      rid: offerRid(offerNumber({ kind: "container", number: 2 ** 23 - 1 })),
      hex: "ffffff",
    },
    {
      rule: "higher numbers take six",
      rid: offerRid(offerNumber({ kind: "database", number: DATABASE_NUMBER_MAX })),
      hex: "0001fffffffe",
    },
  ])("$rule", ({ rid, hex }) => {
    expect(bytesOf(rid).toString("hex")).toBe(hex);
  });

  test("lengths are 8, 12 and 24 characters", () => {
    const lengths = [databaseRid(9), containerRid(9, 9), itemRid(childRidPrefix(9, 9), 9)];
    expect(lengths.map((rid) => rid.length)).toEqual([8, 12, 24]);
  });

  test("a slash is written as a minus", () => {
    expect(databaseRid(0xffff_ffff)).toBe("-----w==");
  });
});

describe("texts that are no rid", () => {
  test.each([
    ["", "nothing"],
    ["AAAA", "3 bytes"],
    ["AAAAAQ", "no padding"],
    ["AAAAAR==", "spare bits that are not zero"],
    ["/////w==", "a slash"],
    ["____-w==", "another alphabet"],
    ["AAAAAQ== ", "a space"],
    ["AAAAAQAAAAI=", "a user: top bit clear"],
    ["AAAAAYAAAAIBAAAAAAAAgA==", "a stored procedure"],
    ["AAAAAYAAAAL----------w==", "a number beyond 2^53"],
    ["products", "a name"],
  ])("%j: %s", (text) => {
    expect(parseRid(text)).toBeUndefined();
  });
});

describe("rid properties", () => {
  const anyDatabase = fc.nat(DATABASE_NUMBER_MAX);
  const anyContainer = fc.nat(CONTAINER_NUMBER_MAX);
  const anyChild = fc.oneof(fc.nat(1000), fc.maxSafeNat());

  test("numbers come back from their rid", () => {
    fc.assert(
      fc.property(anyDatabase, anyContainer, anyChild, (database, container, child) => {
        const prefix = childRidPrefix(database, container);
        const place = { database, container };
        expect(parseRid(databaseRid(database))).toEqual({ kind: "database", database });
        expect(parseRid(containerRid(database, container))).toEqual({
          kind: "container",
          ...place,
        });
        expect(parseRid(itemRid(prefix, child))).toEqual({ kind: "item", ...place, child });
        expect(parseRid(rangeRid(prefix, child))).toEqual({ kind: "range", ...place, child });
      }),
    );
  });

  test("the fast encoder writes what a plain one writes", () => {
    fc.assert(
      fc.property(anyDatabase, anyContainer, anyChild, (database, container, child) => {
        const bytes = Buffer.alloc(16);
        bytesOf(containerRid(database, container)).copy(bytes);
        bytes.writeBigUInt64LE(BigInt(child), 8);
        const plain = bytes.toString("base64").replaceAll("/", "-");
        expect(itemRid(childRidPrefix(database, container), child)).toBe(plain);
      }),
      { examples: [[0, 0, CHILD_NUMBER_MAX]] },
    );
  });

  test("clients read item numbers in their order", () => {
    const prefix = childRidPrefix(3, 4);
    fc.assert(
      fc.property(anyChild, anyChild, (a, b) => {
        const readByClient = (item: number) => bytesOf(itemRid(prefix, item)).readBigUInt64LE(8);
        expect(readByClient(a) < readByClient(b)).toBe(a < b);
      }),
    );
  });

  test("any text parses to numbers that spell it again, or not at all", () => {
    const anyAlmostRid = fc
      .uint8Array({ maxLength: 20 })
      .map((bytes) => Buffer.from(bytes).toString("base64").replaceAll("/", "-"));
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyAlmostRid), (text) => {
        const numbers = parseRid(text);
        if (numbers?.kind === "database") expect(databaseRid(numbers.database)).toBe(text);
        if (numbers?.kind === "container") {
          expect(containerRid(numbers.database, numbers.container)).toBe(text);
        }
        if (numbers?.kind === "item") {
          const prefix = childRidPrefix(numbers.database, numbers.container);
          expect(itemRid(prefix, numbers.child)).toBe(text);
        }
      }),
    );
  });
});

const bytesOf = (rid: string): Buffer => Buffer.from(rid.replaceAll("-", "/"), "base64");
