/**
 * One contract over every store: all that is promised is asked of each. What there is to say of
 * kept versions alone is in `keptVersions.test.ts`.
 */
import { afterAll, describe, test } from "vitest";
import { seededRandom } from "../base/world.ts";
import { realTimer } from "../server/surroundings/realWorld.ts";
import { STORE_PROMISES } from "./promises/allPromises.ts";
import { followModel } from "./promises/randomHistory.ts";
import { StoreSubjects } from "./subjects.fake.ts";

const subjects = new StoreSubjects(realTimer);

afterAll(() => subjects.remove());

describe.each(subjects.all)("$name", (subject) => {
  test.each([1, 2, 3, 4, 5])("reads what a model reads, seed %i", async (seed) => {
    await followModel(subject, seededRandom(seed), subject.stepCount);
  });

  test.each(STORE_PROMISES)("$says", (promise) => promise.keep(subject));
});
