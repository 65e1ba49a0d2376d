/** What surrounds a request in a test: nobody goes away, and no token is asked for. */
import { assert } from "../../base/assert.ts";
import type { RequestContext } from "./requestContext.ts";

export function contextFor(activityId: string): RequestContext {
  return {
    activityId,
    endpoint: "",
    replicaHost: undefined,
    program: () => "test/1",
    isGone: () => false,
    tokens: {
      mint: () => {
        assert(false, "no token is made in this test");
      },
    },
  };
}
