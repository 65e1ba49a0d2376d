/**
 * Session tokens: how a client says which state of which physical partition it has seen.
 *
 * One part is `{rangeId}:{version}#{lsn}`, in accounts with several regions followed by
 * `#{region}={lsn}`; a client may join the parts of a whole container with commas. Clients refuse
 * two tokens of one range that list different regions, so this server writes none, ever.
 *
 * Not here: what the physical partition has really committed.
 */
import { type Lsn, lsn } from "../../base/units.ts";
import { HEADER } from "./headerNames.ts";
import type { WireHeaders } from "./wire.ts";
import { headerOf } from "./wire.ts";

/** A state of one physical partition, as a token names it. */
export interface SessionPoint {
  /** Grows when a merge starts a new history of LSNs. */
  readonly version: number;
  readonly lsn: Lsn;
}

/** By range id. Ids that this server does not know, or no longer has, may be among them. */
type SessionToken = ReadonlyMap<string, SessionPoint>;

/** What a request says of the states that its sender has seen. */
export type SentSession =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: SessionToken }
  | { readonly kind: "malformed"; readonly text: string };

const NO_SESSION: SentSession = { kind: "none" };

/** A malformed token is kept as such: many requests do not depend on what their sender has seen. */
export function sentSession(headers: WireHeaders): SentSession {
  const text = headerOf(headers, HEADER.sessionToken);
  if (text === undefined) return NO_SESSION;
  const token = parseSessionToken(text);
  return token === undefined ? { kind: "malformed", text } : { kind: "token", token };
}

export function encodeSessionToken(rangeId: string, point: SessionPoint): string {
  return `${rangeId}:${point.version}#${point.lsn}`;
}

/** `undefined` when malformed. Empty text asks for nothing; a comma may also stand at the end. */
export function parseSessionToken(text: string): SessionToken | undefined {
  const points = new Map<string, SessionPoint>();
  if (text === "") return points;
  for (const part of text.replace(/,$/, "").split(/, ?/)) {
    const idEnd = part.indexOf(":");
    if (idEnd <= 0) return undefined;
    const point = parsePoint(part.slice(idEnd + 1));
    if (point === undefined) return undefined;
    const rangeId = part.slice(0, idEnd);
    points.set(rangeId, laterOf(points.get(rangeId), point));
  }
  return points;
}

/**
 * The state a read must not be older than, given the id of the physical partition that serves it
 * and those of its ancestors. A client that has not noticed a split holds the parent's point, and
 * a child continues the LSNs of its parent, so the latest of them counts.
 */
export function requiredLsn(
  token: SessionToken,
  rangeIds: readonly string[],
): SessionPoint | undefined {
  let required: SessionPoint | undefined;
  for (const rangeId of rangeIds) {
    const point = token.get(rangeId);
    if (point !== undefined) required = laterOf(required, point);
  }
  return required;
}

/** Whether `a` names a later state than `b`: a later version, or a later LSN of the same. */
export function isLater(a: SessionPoint, b: SessionPoint): boolean {
  return a.version > b.version || (a.version === b.version && a.lsn > b.lsn);
}

function laterOf(a: SessionPoint | undefined, b: SessionPoint): SessionPoint {
  return a !== undefined && isLater(a, b) ? a : b;
}

function parsePoint(text: string): SessionPoint | undefined {
  const [first = "", second, ...regions] = text.split("#");
  // The oldest form is a bare LSN. It knew no versions, so it speaks of the first one.
  const version = second === undefined ? 0 : parseInteger(first, -1);
  const position = parseInteger(second ?? first, 0);
  if (version === undefined || position === undefined) return undefined;
  return regions.every(isRegionPart) ? { version, lsn: lsn(position) } : undefined;
}

function isRegionPart(text: string): boolean {
  const [region = "", position = "", ...rest] = text.split("=");
  const isPair = rest.length === 0;
  return (
    isPair && parseInteger(region, 0) !== undefined && parseInteger(position, -1) !== undefined
  );
}

function parseInteger(text: string, min: number): number | undefined {
  const number = Number(text);
  // Comparing the spelling keeps out blanks, exponents, leading zeros and lost digits.
  return number >= min && Number.isSafeInteger(number) && String(number) === text
    ? number
    : undefined;
}
