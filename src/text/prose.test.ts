/** What the words of a text are, in each language, and what a language is called. */
import { describe, expect, test } from "vitest";
import { LANGUAGES, type Language, languageOf } from "./language.ts";
import { proseOf } from "./prose.ts";
import { stemOf } from "./stem.ts";

/** Stop words are written as a dot. */
const READ: readonly (readonly [rule: string, language: Language, text: string, words: string])[] =
  [
    ["letters and digits make words", "en-US", "Red-hot: 42 lamps!", "red hot 42 lamp"],
    ["case does not matter", "en-US", "RUNNING Runs runNING", "run run run"],
    ["stop words leave their places", "en-US", "The king of Spain", ". king . spain"],
    ["also what an apostrophe leaves", "en-US", "the dog's bone", ". dog . bone"],
    ["common adverbs are stop words", "en-US", "also well known part", ". . . ."],
    ["numerals are not", "en-US", "first of 1,977", "first . 1 977"],
    ["accents belong to letters", "fr-FR", "l'été à Nîmes", ". . . nîm"],
    ["however they are written", "fr-FR", "Ni\u0302mes", "nîm"],
    ["German", "de-DE", "die Häuser der Städte", ". haus . stadt"],
    ["Spanish", "es-ES", "las canciones de la noche", ". cancion . . noch"],
    ["Italian", "it-IT", "le canzoni della notte", ". canzon . nott"],
    ["Portuguese of Brazil", "pt-BR", "as canções da noite", ". cançõ . noit"],
    ["Portuguese of Portugal", "pt-PT", "as canções da noite", ". cançõ . noit"],
    ["other scripts have no stems, but words", "en-US", "東京 Москва", "東京 москва"],
    ["a text may have none", "en-US", " -- ", ""],
  ];

describe("prose", () => {
  test.each(READ)("%s (%s): %s", (_, language, text, words) => {
    const prose = proseOf(text, language);
    expect(prose.words.map((word) => word ?? ".").join(" ")).toBe(words);
    expect(prose.wordCount).toBe(prose.words.filter((word) => word !== undefined).length);
  });

  test("a word is the same however many were read before it", () => {
    const before = stemOf("swimming", "en-US");
    for (let n = 0; n < 20_001; n++) stemOf(`w${n}`, "en-US");
    expect(stemOf("swimming", "en-US")).toBe(before);
  });

  test("what is too long for a word of any language stays as it is", () => {
    const long = `${"a".repeat(80)}ings`;
    expect(proseOf(long, "en-US").words).toEqual([long]);
  });
});

describe("languages", () => {
  test("each has a tag and a number", () => {
    expect(LANGUAGES).toHaveLength(7);
    expect(["en-US", "1033", "2070"].map(languageOf)).toEqual(["en-US", "en-US", "pt-PT"]);
  });

  test("letters may be small or capital", () => {
    expect(["en-us", "PT-br"].map(languageOf)).toEqual(["en-US", "pt-BR"]);
  });

  test("no others are known", () => {
    expect(["en-uk", "xx", "", "constructor"].map(languageOf)).toEqual(Array(4).fill(undefined));
  });
});
