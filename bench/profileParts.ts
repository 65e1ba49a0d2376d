/**
 * The parts of the lab that `profile.mjs` measures. It bundles this file and loads it; because it is
 * TypeScript, a part that was moved or renamed is an error of `npm run check`.
 */
export { LineRecords } from "../src/itemFile/lineRecords.ts";
export { itemIn } from "../src/itemFile/parsedItem.ts";
export { Profiler } from "../src/lab/profile/profiler.ts";
export { Survey } from "../src/lab/profile/survey.ts";
