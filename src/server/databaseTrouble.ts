/** Why a database cannot be used, in words for whoever named it. */
import { codeOf, reasonOf } from "../store/faults.ts";
import { StoreFault } from "../store/partitionStore.ts";
import { BadOption } from "./surroundings/options.ts";
import { storePlace } from "./surroundings/storeOption.ts";

/** Opens what is at `url`; a failure that nobody has put in words yet gets them here. */
export async function withDatabase<T>(
  url: string | readonly string[],
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof BadOption || error instanceof StoreFault) throw error;
    const reason = `The database ${storePlace(url)} cannot be used: ${wordsOf(error)}.`;
    throw new BadOption(reason, { cause: error });
  }
}

/** A host with several addresses fails with an error for each, and no words of its own. */
function wordsOf(error: unknown): string {
  const [first = error]: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const words = reasonOf(first).replace(/\.$/, "");
  return words === "" ? String(codeOf(first)) : words;
}
