/**
 * Connection strings as the portal of the service, its emulators and `orrery start` print them:
 * `AccountEndpoint=https://…;AccountKey=…;`, in any order and any letter case, with or without the
 * last semicolon.
 */
import { nearestName } from "../../base/nearestName.ts";
import { BadOption } from "../../server/surroundings/options.ts";

interface Connection {
  readonly endpoint: string;
  readonly key: string | undefined;
  /** Whether a certificate is accepted that nobody vouches for. */
  readonly isUnverified: boolean;
}

const NAMES = ["AccountEndpoint", "AccountKey", "DisableServerCertificateValidation"] as const;
type Name = (typeof NAMES)[number];

/** `source` is where it was given, for messages; the string itself has the key and is not shown. */
export function parseConnectionString(text: string, source: string): Connection {
  const parts = partsIn(text, source);
  const endpoint = parts.get("AccountEndpoint");
  if (endpoint === undefined) throw new BadOption(`${source} has no AccountEndpoint. ${FORM}`);
  const unverified = parts.get("DisableServerCertificateValidation")?.toLowerCase() ?? "false";
  if (unverified !== "true" && unverified !== "false") {
    throw new BadOption(
      `${source}: DisableServerCertificateValidation is '${unverified}'; it must be True or False.`,
    );
  }
  return { endpoint, key: parts.get("AccountKey"), isUnverified: unverified === "true" };
}

const FORM = "It looks like AccountEndpoint=https://…;AccountKey=…;";

function partsIn(text: string, source: string): ReadonlyMap<Name, string> {
  const parts = new Map<Name, string>();
  for (const part of text.split(";")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    if (at < 0) throw new BadOption(`${source} is no connection string. ${FORM}`);
    const written = part.slice(0, at).trim();
    const name = NAMES.find((known) => known.toLowerCase() === written.toLowerCase());
    if (name === undefined) throw unknownPart(written, source);
    if (parts.has(name)) throw new BadOption(`${source} has two of ${name}.`);
    parts.set(name, part.slice(at + 1).trim());
  }
  return parts;
}

function unknownPart(written: string, source: string): BadOption {
  const meant = nearestName(written, NAMES);
  const hint = meant === undefined ? `There are ${NAMES.join(", ")}.` : `Did you mean '${meant}'?`;
  // A text without names may be a key, which is nobody's business.
  const shown = /^\w{1,40}$/.test(written) ? `'${written}'` : "what it has";
  return new BadOption(`${source}: ${shown} is no part of a connection string. ${hint}`);
}

export function connectionStringOf(connection: Connection): string {
  const { endpoint, key, isUnverified } = connection;
  return (
    `AccountEndpoint=${endpoint};${key === undefined ? "" : `AccountKey=${key};`}` +
    `${isUnverified ? "DisableServerCertificateValidation=True;" : ""}`
  );
}
