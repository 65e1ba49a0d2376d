/** What was found beside what was promised. */
import { isDeepStrictEqual } from "node:util";

/** A promise that was not kept. */
export class Broken extends Error {
  override readonly name = "Broken";
}

interface Found {
  is(wanted: unknown): void;
  /** Has at least these members, and they are so. */
  has(wanted: object): void;
  hasLength(length: number): void;
}

export function found(value: unknown): Found {
  const check = (isKept: boolean, wanted: unknown): void => {
    if (!isKept) throw new Broken(`found ${shown(value)} instead of ${shown(wanted)}`);
  };
  return {
    is: (wanted) => check(isDeepStrictEqual(value, wanted), wanted),
    has: (wanted) => {
      const members = value as Readonly<Record<string, unknown>> | undefined;
      const isKept = Object.entries(wanted).every(([name, one]) =>
        isDeepStrictEqual(members?.[name], one),
      );
      check(isKept, wanted);
    },
    hasLength: (length) => check((value as readonly unknown[]).length === length, length),
  };
}

/** Rejects unless the attempt is refused, by an error of this class or with these words. */
export async function refused(
  attempt: Promise<unknown>,
  why: (new (...of: never[]) => Error) | string,
): Promise<void> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const isSo =
    typeof why === "string"
      ? error instanceof Error && error.message.includes(why)
      : error instanceof why;
  if (!isSo) throw new Broken(`was not refused: ${shown(error)}`);
}

const SHOWN_MAX = 300;

function shown(value: unknown): string {
  const text = value instanceof Error ? value.message : (JSON.stringify(value) ?? "nothing");
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
