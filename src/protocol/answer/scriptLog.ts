/** What a script wrote to its console, for a client that asked for it. */
import { HEADER } from "../wire/headerNames.ts";
import type { WireAnswer } from "../wire/wire.ts";

/** Clients refuse answers with more than a few kilobytes of headers. */
const CHARACTERS_MAX = 8 * 1024;
const CUT = encodeURIComponent(" ... (the rest is left out)");

export function withScriptLog(answer: WireAnswer, log: string): WireAnswer {
  if (log === "") return answer;
  const headers = [...answer.headers, HEADER.scriptLog, encoded(log)];
  return { ...answer, headers };
}

function encoded(log: string): string {
  let text = "";
  for (const character of log) {
    // Half of a pair cannot be encoded, and is nothing that anybody wrote.
    const next = /^[\ud800-\udfff]$/.test(character) ? "%EF%BF%BD" : encodeURIComponent(character);
    if (text.length + next.length > CHARACTERS_MAX) return text + CUT;
    text += next;
  }
  return text;
}
