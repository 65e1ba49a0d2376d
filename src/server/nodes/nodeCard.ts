/** What a node tells the others of itself, in the book that they keep in the database. */

export interface NodeCard {
  /** Where other nodes reach it: host and port. */
  readonly address: string;
  /** Where clients reach it. */
  readonly endpoint: string;
  readonly version: string;
  readonly startedAt: number;
  readonly process: number;
  /** The same for a node and the one that took its place on the same machine and directory. */
  readonly place: string;
  /** Since when it works; absent where it does not. */
  readonly worksSince?: number | undefined;
  /** Digests of the settings that all nodes must have in common, by what they are about. */
  readonly settings: Readonly<Record<string, string>>;
}

const TEXTS = ["address", "endpoint", "version", "place"] as const;
const NUMBERS = ["startedAt", "process"] as const;

export function cardText(card: NodeCard): string {
  return JSON.stringify(card);
}

/** `undefined` for what another version wrote, if it is not understood. */
export function parseCard(text: string): NodeCard | undefined {
  const card = objectIn(text);
  if (card === undefined) return undefined;
  const { settings, worksSince } = card;
  if (TEXTS.some((name) => typeof card[name] !== "string")) return undefined;
  if (NUMBERS.some((name) => typeof card[name] !== "number")) return undefined;
  if (worksSince !== undefined && typeof worksSince !== "number") return undefined;
  if (typeof settings !== "object" || settings === null) return undefined;
  return card as unknown as NodeCard;
}

/** The settings in which a newcomer differs from a node that is there. */
export function differingSettings(own: NodeCard, other: NodeCard): readonly string[] {
  return Object.keys(own.settings).filter(
    (name) => other.settings[name] !== undefined && other.settings[name] !== own.settings[name],
  );
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    return value as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
