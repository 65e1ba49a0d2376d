/** The embedding API: a server inside your own process, for tests. */

export type { InitContainer, InitDatabase, InitSeed } from "./seed/initSeed.ts";
export type { InitReport } from "./server/seed/initReport.ts";
export type { CloseOptions, OrreryServer } from "./server/start.ts";
export { startOrrery } from "./server/start.ts";
export { BadOption, WELL_KNOWN_KEY } from "./server/surroundings/options.ts";
export type { OrreryOptions } from "./server/surroundings/orreryOptions.ts";
