/** Words that are not handed to the algorithms are those that they leave alone. */
// @ts-expect-error The package comes without types.
import { newStemmer } from "snowball-stemmers";
import { expect, test } from "vitest";
import { seededRandom } from "../base/world.ts";
import { stemOf } from "./stem.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const FREQUENT = "aeiouysltnrdgc0189bkp";
const ENDINGS = ["", "", "s", "ing", "ed", "ational", "ness", "heit", "lich", "ement", "amos"];

test.each([
  ["en-US", "english"],
  ["de-DE", "german"],
  ["es-ES", "spanish"],
  ["fr-FR", "french"],
  ["it-IT", "italian"],
  ["pt-PT", "portuguese"],
] as const)("%s", (language, algorithm) => {
  const stemmer: { stem(word: string): string } = newStemmer(algorithm);
  const random = seededRandom(11);
  const oneOf = (list: string | readonly string[]): string =>
    list[Math.floor(random.next() * list.length)]!;
  for (let count = 0; count < 3_000; count++) {
    const letters = oneOf([LETTERS, FREQUENT]);
    const length = 1 + Math.floor(random.next() * 12);
    const beginning = Array.from({ length }, () => oneOf(letters)).join("");
    const word = beginning + oneOf(ENDINGS) + (random.next() < 0.5 ? oneOf(letters) : "");
    expect(stemOf(word, language)).toBe(stemmer.stem(word));
  }
});

test("keys that nobody has seen take little time", () => {
  const keys = Array.from({ length: 20_000 }, (_, n) => `w${(n * 7_919) % 999_983}x${n % 10}`);
  const before = process.cpuUsage();
  for (const key of keys) stemOf(key, "en-US");
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(100_000);
});
