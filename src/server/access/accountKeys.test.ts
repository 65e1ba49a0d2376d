/** Where the account's keys come from, and how they are exchanged. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { KEY_NAMES } from "../../protocol/admin.ts";
import { WELL_KNOWN_KEY } from "../surroundings/options.ts";
import type { AccountKeysSetting } from "./accountKeys.ts";
import { AccountKeys } from "./accountKeys.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-keys-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const random = seededRandom(1);
const keyOf = (fill: string): string => Buffer.alloc(64, fill).toString("base64");

function open(setting: Partial<AccountKeysSetting> = {}): AccountKeys {
  return new AccountKeys({ options: {}, mayUseWellKnown: true, directory, random, ...setting });
}

const origins = (keys: AccountKeys): readonly string[] => keys.entries().map((one) => one.origin);

describe("at first", () => {
  test("there is the well-known key, where it may be", () => {
    expect(open().list).toEqual([{ key: WELL_KNOWN_KEY, isReadOnly: false }]);
    expect(origins(open())).toEqual(["wellKnown", "none", "none", "none"]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("else one that is made once and kept", () => {
    const made = open({ mayUseWellKnown: false });
    expect(made.primary).not.toBe(WELL_KNOWN_KEY);
    expect(open({ mayUseWellKnown: false }).list).toEqual(made.list);
    expect(open({ mayUseWellKnown: false, directory: undefined }).primary).not.toBe(made.primary);
    expect(statSync(join(directory, "account.key")).mode & 0o777).toBe(0o600);
  });

  test("a key that servers made before keys had names is still read", () => {
    writeFileSync(join(directory, "account.key"), `${keyOf("old")}\n`);
    expect(open({ mayUseWellKnown: false }).primary).toBe(keyOf("old"));
  });

  test("options say which there are", () => {
    const options = {
      key: keyOf("1"),
      secondaryKey: keyOf("2"),
      readOnlyKey: keyOf("3"),
      secondaryReadOnlyKey: keyOf("4"),
    };
    const keys = open({ options });
    expect(keys.list).toEqual([
      { key: keyOf("1"), isReadOnly: false },
      { key: keyOf("2"), isReadOnly: false },
      { key: keyOf("3"), isReadOnly: true },
      { key: keyOf("4"), isReadOnly: true },
    ]);
    expect(origins(keys)).toEqual(["option", "option", "option", "option"]);
  });
});

describe("a regenerated key", () => {
  test.each(KEY_NAMES)(
    "%s takes the place of the one before, also after a restart",
    async (name) => {
      const keys = open();
      const before = keys.list;
      const first = await keys.regenerate(name);
      const second = await keys.regenerate(name);
      if (!first.ok || !second.ok) throw new Error("not regenerated");
      expect(second.value).toMatchObject({ name, origin: "generated" });
      expect(Buffer.from(second.value.key!, "base64")).toHaveLength(64);
      expect(second.value.key).not.toBe(first.value.key);
      expect(keys.list).not.toBe(before);
      const isReadOnly = name.endsWith("ReadOnly");
      expect(keys.list).toContainEqual({ key: second.value.key, isReadOnly });
      expect(keys.list.filter(({ key }) => key === first.value.key)).toEqual([]);
      expect(open().list).toEqual(keys.list);
      expect(statSync(join(directory, "account.keys")).mode & 0o777).toBe(0o600);
      expect(readdirSync(directory)).toEqual(["account.keys"]);
    },
  );

  test("of the primary name ends the well-known one, whatever is said about that", async () => {
    await open().regenerate("primary");
    expect(open({ mayUseWellKnown: true }).primary).not.toBe(WELL_KNOWN_KEY);
  });

  test("is none where an option gives the key", async () => {
    const keys = open({ options: { key: keyOf("1") } });
    const refused = await keys.regenerate("primary");
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining("option") });
    expect(keys.primary).toBe(keyOf("1"));
    expect(existsSync(join(directory, "account.keys"))).toBe(false);
  });

  test("that could not be kept changes nothing", async () => {
    const keys = open({ directory: join(directory, "absent") });
    await expect(keys.regenerate("primary")).rejects.toThrow();
    expect(keys.list).toEqual([{ key: WELL_KNOWN_KEY, isReadOnly: false }]);
  });

  test("goes with a throw-away server", async () => {
    const keys = open({ directory: undefined });
    expect((await keys.regenerate("secondary")).ok).toBe(true);
    expect(keys.list).toHaveLength(2);
    expect(readdirSync(directory)).toEqual([]);
  });
});

test("two keys that are made at once are both kept", async () => {
  const keys = open();
  const made = await Promise.all([keys.regenerate("primary"), keys.regenerate("secondary")]);
  expect(open().list.map(({ key }) => key)).toEqual(made.map((one) => one.ok && one.value.key));
});

test("keys that servers have in common are kept there, and taken over from there", async () => {
  const told: object[] = [];
  const keep = async (all: object): Promise<void> => void told.push(all);
  const keys = open({ shared: { kept: { secondary: keyOf("2") }, keep } });
  expect(keys.list).toHaveLength(2);
  const made = await keys.regenerate("primary");
  expect(told).toEqual([{ secondary: keyOf("2"), primary: made.ok && made.value.key }]);
  keys.takeOver({ primary: keyOf("3") });
  expect(keys.list).toEqual([{ key: keyOf("3"), isReadOnly: false }]);
  expect(readdirSync(directory)).toEqual([]);
});

test.each(["", "{", "[]x", "null", '{"primary":"short"}', '{"other":"x"}', '{"primary":1}'])(
  "kept keys that are damaged are not passed over: %s",
  (text) => {
    writeFileSync(join(directory, "account.keys"), text);
    expect(() => open()).toThrow(/damaged.*Put back a copy/);
  },
);
