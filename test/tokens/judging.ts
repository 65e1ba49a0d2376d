/** What an answer to an altered token may be: a refusal that says what to do, and nothing else. */
import type { Conversation, Told } from "./conversations.ts";

/** `undefined` if the answer is in order. */
export function complaintAbout({ status, page }: Told): string | undefined {
  if (status !== 400) return `${status}: ${page.slice(0, 200)}`;
  const isSaid = /ontinuation/.test(page) && /[Bb]egin again|not a continuation/.test(page);
  return isSaid ? undefined : `a refusal that does not help: ${page.slice(0, 200)}`;
}

/** Whether what arrives at the server is another token, and one at all. */
export function isAnother({ isInHeader }: Conversation, token: string, altered: string): boolean {
  const arrived = isInHeader ? altered.trim() : altered;
  // An empty one begins anew; clients that strip the quotes of an etag mean the same position.
  return arrived !== token && arrived !== "" && `"${arrived}"` !== token;
}
