/**
 * Who may come in: the credentials of the account put together, and what they mean for the
 * resources it has at the moment.
 *
 * Invariants
 * - The keys are asked for anew with every request: a regenerated one counts at once, and nothing
 *   that was remembered of its predecessor is left.
 * - A permission is looked up with every request. It is about what its link names now; a token is
 *   about what the link named when it was made, so a container that was made again is another one,
 *   but a copy that took over the name of its source is the same one (`permittedPlace.ts`).
 * - A read-write key is let in after one look at its grant.
 * - A request of the web page carries no credential but its session, which stands for a key.
 */
import type { MaybePromise, Result } from "../../base/result.ts";
import type { Account } from "../../engine/account.ts";
import type { Container } from "../../engine/partition/container.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { AccountKey, KeyRing } from "../../protocol/auth/authorization.ts";
import { openAuthorizer } from "../../protocol/auth/authorization.ts";
import type { BearerTokens, Credentials } from "../../protocol/auth/credentials.ts";
import { openCredentials } from "../../protocol/auth/credentials.ts";
import { openEmulatorTokens } from "../../protocol/auth/emulatorToken.ts";
import type { AskedFor, Grant, PathStanding, Permission } from "../../protocol/auth/grants.ts";
import { refusalFor } from "../../protocol/auth/grants.ts";
import type { ResourceTokens } from "../../protocol/auth/resourceToken.ts";
import { openResourceTokens } from "../../protocol/auth/resourceToken.ts";
import { keyMeantIn, parseSentKey } from "../../protocol/request/sentKey.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { headerOf } from "../../protocol/wire/wire.ts";
import type { TokenMint } from "../routes/tokenMinting.ts";
import { WELL_KNOWN_KEY } from "../surroundings/options.ts";
import type { PageSessions } from "./pageSessions.ts";
import { permissionOf } from "./permittedPlace.ts";

export interface Gatekeeper {
  /** Why a request is turned away; `undefined` when it may come in. */
  refusalOf(asked: AskedFor): MaybePromise<Refusal | undefined>;
  readonly tokenMint: TokenMint;
}

interface GatekeeperSetting {
  readonly account: Account;
  readonly keys: KeyRing;
  /** Milliseconds since 1970. */
  wallNow(): number;
  readonly bearerTokens?: BearerTokens | undefined;
  /** Absent where no page is served. */
  readonly pages?: PageSessions | undefined;
}

export function openGatekeeper(setting: GatekeeperSetting): Gatekeeper {
  const { account } = setting;
  const lookup = { permission: (rid: string) => permissionOf(account, rid) };
  let keys: readonly AccountKey[] = [];
  let tokens: ResourceTokens;
  let credentials: Credentials;
  const renew = (): void => {
    keys = setting.keys.list;
    const wallNow = (): number => setting.wallNow();
    tokens = openResourceTokens({ primaryKey: keys[0]!.key, lookup, wallNow });
    credentials = openCredentials({
      keys: openAuthorizer({ keys, wallNow }),
      resourceTokens: tokens,
      bearerTokens: setting.bearerTokens,
      emulatorTokens:
        keys[0]!.key === WELL_KNOWN_KEY
          ? openEmulatorTokens({ key: WELL_KNOWN_KEY, wallNow })
          : undefined,
    });
  };
  const { pages } = setting;
  return {
    refusalOf(asked) {
      if (asked.headers["authorization"] === undefined && pages?.isOfPage(asked.headers) === true) {
        return admit(account, pages.check(asked), asked);
      }
      if (setting.keys.list !== keys) renew();
      const granted = credentials.check(signedRequestOf(asked));
      if (granted instanceof Promise) return granted.then((late) => admit(account, late, asked));
      return admit(account, granted, asked);
    },
    tokenMint: {
      mint(permissionRid, etag, expirySeconds) {
        if (setting.keys.list !== keys) renew();
        return tokens.mint(permissionRid, etag, expirySeconds);
      },
    },
  };
}

function signedRequestOf({ method, path, headers }: AskedFor): Parameters<Credentials["check"]>[0] {
  return {
    method,
    resourceType: path.resourceType,
    resourceLinks: path.resourceLinks,
    authorization: headerOf(headers, "authorization"),
    date: headerOf(headers, HEADER.date),
    httpDate: headerOf(headers, "date"),
  };
}

const NOWHERE: PathStanding = { isSameContainer: false, isSameChild: false };

function admit(
  account: Account,
  granted: Result<Grant, Refusal>,
  asked: AskedFor,
): MaybePromise<Refusal | undefined> {
  if (!granted.ok) return granted.error;
  const grant = granted.value;
  if (grant.kind !== "resourceToken") return refusalFor(grant, asked, NOWHERE);
  const standing = standingOf(account, grant.permission, asked);
  if (standing instanceof Promise) return standing.then((late) => refusalFor(grant, asked, late));
  return refusalFor(grant, asked, standing);
}

/** Where the path of a request stands to a permission. Names and rids lead to the same place. */
function standingOf(
  account: Account,
  { containerRid, child }: Permission,
  asked: AskedFor,
): MaybePromise<PathStanding> {
  const { path } = asked;
  if (!("container" in path)) return NOWHERE;
  const container = account.catalog.container(path.database, path.container);
  if (container === undefined || !isWithin(account, container, containerRid)) return NOWHERE;
  const inside = (isSameChild: boolean): PathStanding => ({ isSameContainer: true, isSameChild });
  if (child?.kind === "script" && path.kind === "resource") {
    const script = account.catalog.resources.get(container.rid, path.resource, path.id);
    return inside(script?.rid === child.name);
  }
  if (child?.kind !== "item" || path.kind !== "item") return inside(false);
  const isSame = isSameItem(account, container, asked, [child.name, path.id]);
  return isSame instanceof Promise ? isSame.then(inside) : inside(isSame);
}

/** Until the job of a copy that took over a name ends, its predecessor can be asked for by rid. */
function isWithin(account: Account, container: Container, permittedRid: string): boolean {
  if (container.rid === permittedRid) return true;
  return account.catalog.containerByRid(permittedRid)?.former?.old === container;
}

/** A rid has to be looked up under the partition key of the request. */
function isSameItem(
  account: Account,
  container: Container,
  { headers }: AskedFor,
  [permitted, named]: readonly [permitted: string, named: string],
): MaybePromise<boolean> {
  if (permitted === named) return true;
  const sent = parseSentKey(headers);
  if (!sent.ok) return false;
  const { partitionKey } = container.definition;
  const key = keyMeantIn(partitionKey, sent.value.key, sent.value.isOfOldProgram);
  const ids = [permitted, named].map((name) => account.itemIdOf(container, key, name));
  if (ids.some((id) => id instanceof Promise)) {
    return Promise.all(ids).then(([a, b]) => a !== undefined && a === b);
  }
  return ids[0] !== undefined && ids[0] === ids[1];
}
