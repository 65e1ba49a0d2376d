/**
 * Whether a client in direct mode asks the right replica. It may have found it before a split, or
 * before a container was deleted and made again; then it is told so in the way that makes it look
 * again, and sends the request once more by itself.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Account } from "../../engine/account.ts";
import type { Container } from "../../engine/partition/container.ts";
import type { Refusal } from "../../model/refusal.ts";
import { rangeIdOf } from "../../protocol/request/requestHeaders.ts";
import type { ReplicaPlace } from "../../protocol/rntbd/replicaPath.ts";
import type { DirectRequest } from "../../protocol/rntbd/requestFrame.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { isOldMeant } from "../routes/session.ts";

/** The request with all that its replica adds to it, or why that one cannot answer. */
export function placed(
  account: Account,
  sent: DirectRequest,
  place: ReplicaPlace,
): Result<DirectRequest, Refusal> {
  const { path } = sent;
  if (place.kind === "master" || !("container" in path)) return ok(sent);
  const named = account.catalog.container(path.database, path.container);
  // The routes say what is not there.
  if (named === undefined) return ok(sent);
  const container = meantIn(named, place.containerRid);
  if (container === undefined) return no({ kind: "replicaOfAnother" });
  const asked = rangeIdOf(sent.headers);
  if (!container.partitions.has(place.rangeId)) {
    // Clients take the one for a reason to try again with the ranges of now only where they named
    // a range, and the other only where they named none.
    return no({ kind: asked === undefined ? "replicaSplit" : "rangeGone" });
  }
  if (asked !== undefined && !container.partitions.has(asked)) return no({ kind: "rangeGone" });
  const headers: Record<string, string> = {
    ...sent.headers,
    [HEADER.intendedRid]: place.containerRid,
  };
  // A replica has the items of its range, and those only are asked for.
  if (path.kind === "items" && !isConfined(sent)) headers[HEADER.rangeId] = place.rangeId;
  return ok({ ...sent, headers });
}

/** The container whose replica was asked, if that may still be taken for the one of the name. */
function meantIn(named: Container, rid: string): Container | undefined {
  if (named.rid === rid) return named;
  return isOldMeant({ intendedRid: rid }, named) ? named.former?.old : undefined;
}

function isConfined({ headers }: DirectRequest): boolean {
  return CONFINING.some((name) => headers[name] !== undefined);
}

const CONFINING = [HEADER.partitionKey, HEADER.rangeId, HEADER.startEpk, HEADER.endEpk];
