/** The embedding API: a server inside your own process, for tests. */
export type { OrreryOptions } from "./server/options.ts";
export { BadOption, WELL_KNOWN_KEY } from "./server/options.ts";
export type { CloseOptions, OrreryServer } from "./server/start.ts";
export { startOrrery } from "./server/start.ts";
