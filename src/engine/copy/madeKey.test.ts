/** Keys that are written into copies, and taken out of them again. */
import { describe, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import type { KeyLevel } from "./madeKey.ts";
import { keyDefinitionOf, readKeyLevels, withKey, withoutKey } from "./madeKey.ts";

function levelsOf(key: readonly string[], properties: readonly string[] = []): readonly KeyLevel[] {
  const levels = readKeyLevels(key, properties);
  assert(levels.ok, levels.ok ? "" : levels.error);
  return levels.value;
}

function keyed(levels: readonly KeyLevel[], text: string, mayLack = false): string {
  const object = JSON.parse(text) as JsonObject;
  const result = withKey(levels, { object, text: Buffer.from(text), number: 7 }, mayLack);
  return result.kind === "keyed" ? result.text.toString() : `${result.kind}: ${result.reason}`;
}

describe("the key definition", () => {
  test.each([
    [["/tenant"], [], ["/tenant"], "Hash"],
    [["/tenant", "/user"], [], ["/tenant", "/user"], "MultiHash"],
    [["lower(/a)"], [], ["/partitionKey"], "Hash"],
    [["lower(/a)", "/b", "lower(/c)"], [], ["/partitionKey", "/b", "/partitionKey2"], "MultiHash"],
    [["lower(/a)"], ["/keys/own"], ["/keys/own"], "Hash"],
  ])("of %j with properties %j", (key, properties, paths, kind) => {
    expect(keyDefinitionOf(levelsOf(key, properties))).toEqual({ paths, kind, version: 2 });
  });

  test.each([
    [["nonsense("], [], /cannot be read/],
    [["/a"], ["/x"], /more properties/],
    [["lower(/a)"], ["not a path"], /not the path/],
    [["lower(/a)"], ["/id"], /over the id/],
    [["/a", "/a"], [], /same property/],
  ])("of %j with properties %j is refused", (key, properties, message) => {
    expect(JSON.stringify(readKeyLevels(key, properties))).toMatch(message);
  });
});

describe("an item", () => {
  const made = levelsOf(["concat(/a,'-',/b)"]);

  test("gets its key at its end, and is otherwise byte for byte as it was", () => {
    const text = '{"id":"1","a":"x","b":12345678901234567890,"c":1.50}';
    expect(keyed(made, text)).toBe(`${text.slice(0, -1)},"partitionKey":"x-12345678901234567000"}`);
  });

  test("that has the key already stays as it is", () => {
    const text = '{"id":"1","a":"x","b":2,"partitionKey":"x-2"}';
    expect(keyed(made, text)).toBe(text);
  });

  test("with another value there is not written over", () => {
    expect(keyed(made, '{"id":"1","a":"x","b":2,"partitionKey":"mine"}')).toMatch(/^occupied/);
  });

  test("without a value for the key has none, or is let through", () => {
    expect(keyed(made, '{"id":"1","a":"x"}')).toMatch(/^missing: .*concat/);
    expect(keyed(made, '{"id":"1","a":"x"}', true)).toBe('{"id":"1","a":"x"}');
  });

  test("gets a key inside of an object that it has, or that is made", () => {
    const deep = levelsOf(["lower(/a)"], ["/keys/own"]);
    expect(keyed(deep, '{"id":"1","a":"X"}')).toBe('{"id":"1","a":"X","keys":{"own":"x"}}');
    expect(keyed(deep, '{"id":"1","a":"X","keys":{"n":1}}')).toBe(
      '{"id":"1","a":"X","keys":{"n":1,"own":"x"}}',
    );
  });

  test("gets the same key each time, where the key is drawn", () => {
    const drawn = levelsOf(["suffix(/a, random(), 400)"]);
    const text = '{"id":"1","a":"x"}';
    expect(keyed(drawn, text)).toBe(keyed(drawn, text));
  });

  test("loses the key on the way back, and keeps the digits of its numbers", () => {
    const text = '{"id":"1","n":12345678901234567890,"partitionKey":"k"}';
    const object = JSON.parse(text) as JsonObject;
    expect(withoutKey(made, object, Buffer.from(text)).toString()).toBe(
      '{"id":"1","n":12345678901234567890}',
    );
  });
});
