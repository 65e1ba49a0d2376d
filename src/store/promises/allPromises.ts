/** All that is promised of a store. */
import { ADOPTION_PROMISES } from "./adoptionPromises.ts";
import { COMMIT_PROMISES } from "./commitPromises.ts";
import type { StorePromise } from "./storePromise.ts";

export const STORE_PROMISES: readonly StorePromise[] = [...COMMIT_PROMISES, ...ADOPTION_PROMISES];
