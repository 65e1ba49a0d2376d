/** What is wrong with a query, and where in its text, out of the message of a refusal. */

export interface PlacedProblem {
  readonly message: string;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

interface WireError {
  readonly message: string;
  readonly code?: string;
  readonly location?: { readonly start: number; readonly end: number };
}

export function queryProblems(message: string): readonly PlacedProblem[] {
  const told = message.replace(/\r?\nActivityId:[^\n]*$/, "");
  const json = /^(?:Message: )?(\{.*\})$/s.exec(told)?.[1];
  if (json === undefined) return [{ message: told }];
  try {
    const { errors, Errors: texts } = JSON.parse(json) as {
      readonly errors?: readonly WireError[];
      readonly Errors?: readonly string[];
    };
    if (texts !== undefined) return texts.map((text) => ({ message: text }));
    return (errors ?? []).map(({ message: text, code, location }) => ({
      message: code === undefined ? text : `${text} (${code})`,
      start: location?.start,
      end: location?.end,
    }));
  } catch {
    return [{ message: told }];
  }
}

/** Line and column, from 1, as editors count them. */
export function positionText(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/** What to underline in a text of this length, which may have become shorter meanwhile. */
export function underlined(
  problems: readonly PlacedProblem[],
  length: number,
): readonly { readonly from: number; readonly to: number }[] {
  return problems.flatMap(({ start, end }) => {
    if (start === undefined || length === 0) return [];
    // What is missing at the end is marked at the last sign there is.
    const from = Math.min(start, length - 1);
    return [{ from, to: Math.min(Math.max(end ?? 0, from + 1), length) }];
  });
}
