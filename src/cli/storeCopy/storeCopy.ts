/** `orrery copy --from <place> --to <place>`: a whole store, byte for byte, to another place. */
import { shortBytesText } from "../../base/wording.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { CopiedStore, StoreCopyProgress } from "../../store/wholeCopy/copyStore.ts";
import { copyStore } from "../../store/wholeCopy/copyStore.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { Interruption } from "../terminal/interruption.ts";
import { ProgressLine } from "../terminal/progressLine.ts";
import type { StorePlace } from "./place.ts";
import { isSamePlace, openSource, openTarget, placeText, storePlaceOf } from "./place.ts";

const INTERRUPTED = 130;

interface StoreCopyTerms {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly isJson: boolean;
  readonly environment: Environment;
}

export async function copyWholeStore({
  from,
  to,
  isJson,
  environment,
}: StoreCopyTerms): Promise<void> {
  if (from === undefined || to === undefined) {
    throw new BadOption("A whole store is copied --from one place --to another; name both.");
  }
  const source = storePlaceOf("--from", from);
  const target = storePlaceOf("--to", to);
  if (isSamePlace(source, target)) throw new BadOption("--from and --to are the same place.");
  const copied = await finished(source, target, new ProgressLine(environment));
  if (copied === undefined) {
    process.stderr.write("Interrupted. The same command goes on where this one ended.\n");
    process.exitCode = INTERRUPTED;
    return;
  }
  const { itemCount, itemBytes, partCount } = copied;
  if (isJson) {
    const places = { from: placeText(source), to: placeText(target) };
    process.stdout.write(`${JSON.stringify({ ...places, itemCount, itemBytes, partCount })}\n`);
  } else process.stdout.write(outcomeText(copied, target));
}

async function finished(
  from: StorePlace,
  to: StorePlace,
  progress: ProgressLine,
): Promise<CopiedStore | undefined> {
  const interruption = new Interruption();
  const source = await openSource(from);
  try {
    const target = await openTarget(to);
    try {
      const copied = await copyStore({
        source: source.store,
        target: target.store,
        onProgress: (now) => progress.show(() => progressText(now)),
        isStopped: () => interruption.isOver,
      });
      progress.clear();
      return copied;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
    interruption.close();
  }
}

function progressText({ phase, itemCount, totalCount }: StoreCopyProgress): string {
  const word = phase === "copying" ? "copied" : "verified";
  const percent = totalCount === 0 ? 100 : Math.floor((100 * itemCount) / totalCount);
  return `${word} ${itemCount.toLocaleString("en")} items, ${Math.min(100, percent)} %`;
}

function outcomeText(copied: CopiedStore, to: StorePlace): string {
  const { itemCount, itemBytes, isFirst } = copied;
  const size = `${itemCount.toLocaleString("en")} items (${shortBytesText(itemBytes)})`;
  const begun = isFirst ? "" : " It went on with a copy that was ended before.";
  const start = to.kind === "directory" ? `--data ${to.path}` : "--store <the same address>";
  return (
    `Copied and verified: ${size} are in ${placeText(to)}, with their numbers, etags, indexes ` +
    `and feeds.${begun}\nStart a server on it: orrery start ${start}\n` +
    "Account keys, certificates and archives stay in the data directory that a server had before.\n"
  );
}
