/** What may follow where somebody is writing a query: keywords, functions, paths, parameters. */
import { KEYWORDS } from "../../session/keyQuery.ts";
import { parameterNames, queryTokens } from "../query/queryTokens.ts";

interface Offer {
  readonly label: string;
  readonly kind: "keyword" | "function" | "property" | "parameter" | "alias";
  /** Types of the values, and in how many items. */
  readonly detail?: string | undefined;
}

interface Offers {
  /** Where the word begins that an offer replaces. */
  readonly from: number;
  readonly offers: readonly Offer[];
}

/** As the server tells them. */
export interface QueryWords {
  readonly functions: readonly string[];
  readonly paths: readonly {
    readonly path: string;
    readonly itemCount: number;
    readonly types: readonly string[];
  }[];
  readonly sampledCount: number;
}

/** Nothing inside of texts and comments, and nothing before a letter unless it is asked for. */
export function offersAt(
  text: string,
  at: number,
  words: QueryWords | undefined,
  isAsked: boolean,
): Offers | undefined {
  const inside = queryTokens(text).find(({ from, to }) => from < at && at <= to);
  if (inside?.kind === "string" || inside?.kind === "comment") return undefined;
  const before = text.slice(0, at);
  const parameter = /@\w*$/.exec(before);
  if (parameter !== null) {
    const names = parameterNames(text).filter((name) => name !== parameter[0]);
    return {
      from: parameter.index,
      offers: names.map((label) => ({ label, kind: "parameter" as const })),
    };
  }
  const [, steps, word = ""] = /((?:[A-Za-z_]\w*\.)*)(\w*)$/.exec(before) ?? [];
  const from = at - word.length;
  if (steps !== undefined && steps !== "") {
    const [root, ...inner] = steps.slice(0, -1).split(".");
    if (root !== aliasIn(text)) return undefined;
    return { from, offers: pathOffers(inner, words) };
  }
  if (before[from - 1] === "." || (word === "" && !isAsked)) return undefined;
  return {
    from,
    offers: [
      { label: aliasIn(text), kind: "alias" as const },
      ...KEYWORDS.map((label) => ({ label, kind: "keyword" as const })),
      ...(words?.functions ?? []).map((label) => ({ label, kind: "function" as const })),
    ],
  };
}

/** What an item of the container is called in the query. */
export function aliasIn(text: string): string {
  const found = /\bFROM\s+([A-Za-z_]\w*)(?:\s+(?:AS\s+)?([A-Za-z_]\w*))?/i.exec(text);
  const second = found?.[2];
  if (second !== undefined && !KEYWORDS.includes(second.toUpperCase())) return second;
  return found?.[1] ?? "c";
}

/** Members one step below; names that need quotes cannot follow a dot. */
function pathOffers(inner: readonly string[], words: QueryWords | undefined): readonly Offer[] {
  const start = inner.map((step) => `${step}.`).join("");
  return (words?.paths ?? []).flatMap(({ path, itemCount, types }) => {
    const label = path.slice(start.length);
    if (!path.startsWith(start) || !/^\w+$/.test(label)) return [];
    const detail = `${types.join(", ")}, in ${itemCount} of ${words?.sampledCount}`;
    return [{ label, kind: "property" as const, detail }];
  });
}
