/** Ways to alter a token, each a function of a token, of others like it, and of chance. */
import type { Random } from "../../src/base/world.ts";

interface Tampering {
  readonly name: string;
  alter(token: string, random: Random, others: readonly string[]): string;
}

const below = (random: Random, count: number): number => Math.floor(random.next() * count);

const printable = (random: Random): string => String.fromCharCode(0x20 + below(random, 0x5f));

function at(
  token: string,
  random: Random,
  change: (before: string, character: string, after: string) => string,
): string {
  const place = below(random, token.length);
  return change(token.slice(0, place), token[place] ?? "", token.slice(place + 1));
}

export const TAMPERINGS: readonly Tampering[] = [
  {
    name: "a bit flipped",
    alter: (token, random) =>
      at(token, random, (before, character, after) => {
        const flipped = character.charCodeAt(0) ^ (1 << below(random, 7));
        return (
          before + String.fromCharCode(flipped < 0x20 || flipped > 0x7e ? 0x7e : flipped) + after
        );
      }),
  },
  {
    name: "a character replaced",
    alter: (token, random) =>
      at(token, random, (before, _, after) => before + printable(random) + after),
  },
  {
    name: "a character left out",
    alter: (token, random) => at(token, random, (before, _, after) => before + after),
  },
  {
    name: "a character put in",
    alter: (token, random) =>
      at(
        token,
        random,
        (before, character, after) => before + printable(random) + character + after,
      ),
  },
  { name: "cut off", alter: (token, random) => token.slice(0, below(random, token.length)) },
  { name: "without its beginning", alter: (token, random) => token.slice(1 + below(random, 9)) },
  { name: "with more behind it", alter: (token, random) => `${token}${printable(random)}0` },
  {
    name: "two neighbours exchanged",
    alter: (token, random) =>
      at(
        token,
        random,
        (before, character, after) => before + after.slice(0, 1) + character + after.slice(1),
      ),
  },
  {
    name: "a letter in the other case",
    alter: (token, random) =>
      at(token, random, (before, character, after) => {
        const upper = character.toUpperCase();
        return before + (upper === character ? character.toLowerCase() : upper) + after;
      }),
  },
  {
    name: "a number raised",
    alter: (token) => token.replace(/"n":(\d+)/, (_, n: string) => `"n":${Number(n) + 1}`),
  },
  {
    name: "half of another one",
    alter: (token, random, others) => {
      const other = others[below(random, others.length)] ?? "";
      const place = below(random, token.length);
      return token.slice(0, place) + other.slice(place);
    },
  },
  {
    name: "the signature of another one",
    alter: (token, random, others) => {
      const other = others[below(random, others.length)] ?? "";
      return token.replace(
        /[\w-]{16}("?\}?)$/,
        `${/[\w-]{16}(?="?\}?$)/.exec(other)?.[0] ?? ""}$1`,
      );
    },
  },
  {
    name: "a member left out",
    alter: (token, random) =>
      parsed(token, (members) => {
        const names = Object.keys(members);
        delete members[names[below(random, names.length)] ?? ""];
        return JSON.stringify(members);
      }),
  },
  {
    name: "written with spaces",
    alter: (token) =>
      parsed(token, (members) => JSON.stringify(members, null, 1).replaceAll(/\n */g, " ")),
  },
  { name: "escaped for a URL", alter: (token) => encodeURIComponent(token) },
  { name: "in base64", alter: (token) => Buffer.from(token).toString("base64") },
  { name: "twice", alter: (token) => token + token },
];

function parsed(token: string, change: (members: Record<string, unknown>) => string): string {
  try {
    return change(JSON.parse(token) as Record<string, unknown>);
  } catch {
    return `${token}=`;
  }
}
