/**
 * What single keys hash to. The table holds facts about the service; anything that changes one
 * of them would move the items of existing containers, and send clients to the wrong range.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { Defect } from "../base/assert.ts";
import type { KeyComponent, PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "./epk.ts";
import { WHOLE_RANGE } from "./epkRange.ts";
import { initialRanges } from "./initialRanges.ts";
import { murmur128 } from "./murmur3.ts";

type Rule = "V1" | "V2" | "MultiHash";

const FACTS: readonly (readonly [rule: Rule, key: readonly KeyComponent[], epk: string])[] = [
  ["V1", [], ""],
  ["V1", [undefined], "05C1D529E345DC00"],
  ["V1", [null], "05C1ED45D7475601"],
  ["V1", [false], "05C1DB857D857C02"],
  ["V1", [true], "05C1D7C5A903D803"],
  ["V1", [0], "05C1BF6DA11560058000"],
  ["V1", [-0], "05C1E703ED99A0058000"],
  ["V1", [-1.5], "05C1E901090F44054008"],
  ["V1", [2 ** 53], "05C1E53167392405C340"],
  ["V1", [""], "05C1CF33970FF80800"],
  ["V1", ["Seattle"], "05C1CDB5FD3A0854666275756D6600"],
  ["V1", ["é"], "05C1B3CD91912008C4AA00"],
  ["V1", ["😀a"], "05C1C185FD539808F1A099816200"],
  ["V1", ["a".repeat(100)], `05C1EB5921F70608${"62".repeat(100)}00`],
  ["V1", ["a".repeat(101)], `05C1EB5921F70608${"62".repeat(100)}00`],
  ["V2", [], ""],
  ["V2", [undefined], "11622DAA78F835834610ABE56EFF5CB5"],
  ["V2", [null], "378867E4430E67857ACE5C908374FE16"],
  ["V2", [false], "2FE1BE91E90A3439635E0E9E37361EF2"],
  ["V2", [true], "0E711127C5B5A8E4726AC6DD306A3E59"],
  ["V2", [0], "155B95BEDAC4B1E9EC1CDC9BB0DDDE58"],
  ["V2", [-0], "3D018BB1DF3DB27235766E81FD10406E"],
  ["V2", [1.5], "35C5DDEB6C795D16A9963C73C54E97BC"],
  ["V2", [2 ** 53], "15335910D01122E3D99DA5DE569B065D"],
  ["V2", [""], "32E9366E637A71B4E710384B2F4970A0"],
  ["V2", ["Seattle"], "1FA1E63F928D920107C8D7720A70328B"],
  ["V2", ["日本語"], "3F0624929BDE45571F050DCA6A1CB775"],
  ["V2", ["😀"], "28D7FCB721E75FBE0DAC3D71DAB82766"],
  ["V2", ["a".repeat(1024)], "332BDF5512AE49615F32C7D98C2DB86C"],
  ["MultiHash", [], ""],
  ["MultiHash", ["a"], "3A5381E1114EB8D3FCC90795045B49B7"],
  ["MultiHash", ["a", null], "3A5381E1114EB8D3FCC90795045B49B7378867E4430E67857ACE5C908374FE16"],
];

describe("keys and their EPKs", () => {
  test.each(FACTS)("%s %j", (rule, key, epk) => {
    expect(epkOf(definitionOf(rule, key.length), key)).toBe(epk);
  });

  test("a long non-Latin V1 string is cut to 100 units, then to 101 bytes without an end", () => {
    const epk = epkOf(definitionOf("V1", 1), ["я".repeat(100)]);
    expect(epk).toMatch(/^05C1[0-9A-F]{10}08(D290){50}D2$/);
    expect(epkOf(definitionOf("V1", 1), [`${"я".repeat(100)}!`])).toBe(epk);
  });

  test("a key much longer than any before it changes nothing for the others", () => {
    const small = epkOf(definitionOf("V2", 1), ["Seattle"]);
    const large = epkOf(definitionOf("V2", 2), ["€".repeat(100_000), "Seattle"]);
    expect(epkOf(definitionOf("V2", 2), ["€".repeat(100_000), "Seattle"])).toBe(large);
    expect(epkOf(definitionOf("V2", 1), ["Seattle"])).toBe(small);
  });

  test.each([Number.NaN, Infinity, -Infinity])("%d is a defect of the caller", (amount) => {
    for (const rule of ["V1", "V2", "MultiHash"] as const) {
      expect(() => epkOf(definitionOf(rule, 1), [amount])).toThrow(Defect);
    }
  });
});

/** A larger set of reference values; whoever has one says where. */
const REFERENCE = process.env["ORRERY_EPK_VECTORS"] ?? "";

interface Reference {
  readonly vectors: readonly {
    readonly kind: "Hash" | "MultiHash" | "Range" | "BinaryEncodingOnly";
    readonly version: 1 | 2;
    readonly values: readonly unknown[];
    readonly epk: string;
    readonly useForServer?: boolean;
  }[];
  readonly evenRangeBoundaries: {
    readonly table: readonly {
      readonly partitionCount: number;
      readonly V1: readonly string[];
      readonly V2_and_MultiHash: readonly string[];
    }[];
  };
}

describe.skipIf(!existsSync(REFERENCE))("the reference values, where they are at hand", () => {
  const reference = (): Reference => JSON.parse(readFileSync(REFERENCE, "utf8"));

  test("every vector that holds for a server", () => {
    const vectors = reference().vectors.filter((vector) => vector.useForServer !== false);
    const wrong = vectors.filter(({ kind, version, values, epk }) => {
      const key = values.map(componentOf);
      if (kind === "Range" || kind === "BinaryEncodingOnly") return !endsV1(key, epk);
      // No JSON holds an infinity, so no key does: these vectors are about the hash alone.
      if (typeof key[0] === "number" && !Number.isFinite(key[0])) return hashOf(key[0]) !== epk;
      const rule = kind === "MultiHash" ? kind : version === 1 ? "V1" : "V2";
      return epkOf(definitionOf(rule, key.length), key) !== epk;
    });
    expect(vectors.length).toBeGreaterThan(300);
    expect(wrong).toEqual([]);
  });

  test("every table of even boundaries", () => {
    for (const row of reference().evenRangeBoundaries.table) {
      const bounds = (rule: Rule): string[] => {
        const ranges = initialRanges(definitionOf(rule, 1), row.partitionCount);
        return [...ranges.map((range) => range.min), ranges.at(-1)!.max];
      };
      expect(bounds("V1")).toEqual(row.V1);
      expect(bounds("V2")).toEqual(row.V2_and_MultiHash);
      expect(bounds("MultiHash")).toEqual(row.V2_and_MultiHash);
    }
  });
});

function definitionOf(rule: Rule, pathCount: number): PartitionKeyDefinition {
  const paths = Array.from({ length: pathCount }, (_, index) => `/level${index}`);
  if (rule === "MultiHash") return { paths, kind: "MultiHash", version: 2 };
  return { paths, kind: "Hash", version: rule === "V1" ? 1 : 2 };
}

/** Reads the notation of the reference: what JSON cannot say is an object with a `$` key. */
function componentOf(written: unknown): KeyComponent {
  if (typeof written !== "object" || written === null) return written as KeyComponent;
  if ("$number" in written) return Number(written.$number);
  if ("$repeat" in written && "count" in written) {
    return String(written.$repeat).repeat(Number(written.count));
  }
  return "$infinity" in written ? Infinity : undefined;
}

/** Whether an encoding without a hash is what follows the hash in the V1 EPK of the same key. */
function endsV1(key: readonly KeyComponent[], encoding: string): boolean {
  if (key[0] === Infinity) return encoding === WHOLE_RANGE.max;
  return epkOf(definitionOf("V1", key.length), key).endsWith(encoding);
}

/** What V2 makes of a number, written out: mark, little-endian double, hash, two bits cleared. */
function hashOf(amount: number): string {
  const input = new DataView(new ArrayBuffer(9));
  input.setUint8(0, 5);
  input.setFloat64(1, amount, true);
  const words = new Uint32Array(4);
  murmur128(new Uint8Array(input.buffer), 9, words);
  words[3]! &= 0x3fffffff;
  const digits = Array.from(words, (word) => word.toString(16).padStart(8, "0"));
  return digits.reverse().join("").toUpperCase();
}
