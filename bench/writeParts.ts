/**
 * The parts of a write that `writes.mjs` measures one by one. It bundles this file with
 * `engineParts.ts` and loads both; because it is TypeScript, a part that was moved or renamed is an
 * error of `npm run check`.
 */

export { parseItem, stampedBody, stampObject } from "../src/engine/item/itemBody.ts";
export { itemTermsOf } from "../src/engine/item/itemTerms.ts";
export { openDirectory } from "../src/store/disk.ts";
export { frameOf } from "../src/store/journal/record.ts";
export { segmentName } from "../src/store/journal/segment.ts";
export { absorb } from "../src/store/lmdb/absorber.ts";
export { openEnvironment } from "../src/store/lmdb/environment.ts";
export { sumChangedPages } from "../src/store/lmdb/pages/changedPages.ts";
export { newestMeta, PageFile } from "../src/store/lmdb/pages/pageFile.ts";
export { childrenOf, headerOf, leafNodesOf } from "../src/store/lmdb/pages/pageFormat.ts";
export { PageSums } from "../src/store/lmdb/pages/pageSums.ts";
export { changesOf } from "../src/store/lmdb/segmentChanges.ts";
export { MemoryTable } from "../src/store/memory/memoryTable.ts";
export * from "./engineParts.ts";
