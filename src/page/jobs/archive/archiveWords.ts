/** Archives in the words of the page. */
import type { ArchiveEntry } from "../../../model/archiveJob.ts";
import type { TagTone } from "../../parts/tag.tsx";

interface ArchiveWords {
  readonly tone: TagTone;
  readonly word: string;
  readonly says: string;
}

/** What each state means for whoever wants the items back. */
export const ARCHIVE_WORDS: Readonly<Record<ArchiveEntry["state"], ArchiveWords>> = {
  proven: {
    tone: "now",
    word: "proven",
    says: "All files were read back and found right; the items are being deleted.",
  },
  archived: {
    tone: "good",
    word: "archived",
    says: "All files were read back and found right; the items are gone from the container.",
  },
  partly: {
    tone: "warn",
    word: "archived in part",
    says: "All files were read back and found right; some items are still in the container.",
  },
  kept: {
    tone: "good",
    word: "kept",
    says: "All files were read back and found right; all items are still in the container.",
  },
  found: {
    tone: "info",
    word: "found",
    says: "This server did not make it and has not read its files; a restore reads them first.",
  },
  missing: {
    tone: "bad",
    word: "missing",
    says: "Its folder is gone. Put it back to restore from it.",
  },
  damaged: {
    tone: "bad",
    word: "damaged",
    says: "Its manifest cannot be read. Put back a good copy of the folder to restore from it.",
  },
};

/** Undefined if something can be restored from it. */
export function whyNoRestore({ state }: Pick<ArchiveEntry, "state">): string | undefined {
  return state === "missing" || state === "damaged" ? ARCHIVE_WORDS[state].says : undefined;
}
