/**
 * The parts of the server that benchmarks call without HTTP. `inside.mjs` bundles this file and
 * loads it; because it is TypeScript, a part that was moved or renamed is an error of `npm run check`.
 */
export { ru } from "../src/base/units.ts";
export { Account } from "../src/engine/account.ts";
export { HIGH_CALLER } from "../src/model/caller.ts";
export { SERVICE_LIMITS } from "../src/model/limits.ts";
export { decodeRequest } from "../src/protocol/request/decodeRequest.ts";
export { parseResourcePath } from "../src/protocol/request/resourcePath.ts";
export { answer } from "../src/server/routes/gateway.ts";
export { realClock, realRandom, realTimer } from "../src/server/surroundings/realWorld.ts";
export { EmbeddedStore } from "../src/store/embedded/embeddedStore.ts";
