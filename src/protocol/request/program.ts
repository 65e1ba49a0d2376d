/**
 * What the sender of a request calls itself, as a short name that can be counted: the product that
 * its user agent names and the first number of its version. Of several products, that of a client
 * library counts, since applications put their own names before it.
 */
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf } from "../wire/wire.ts";

const UNKNOWN = "unknown";
const AGENT_CHARACTERS_MAX = 500;
/** A product and its version: `azsdk-js-cosmosdb/4.10.1`, `azsdk-go-azcosmos/v1.4.0`. */
const PRODUCT = /^([A-Za-z][A-Za-z0-9._-]{0,39})\/v?(\d{1,4})/;
const LIBRARY = /^(azsdk-|cosmos-|azure-cosmos-)/;

export function programOf(headers: WireHeaders): string {
  const agent = headerOf(headers, "user-agent") ?? "";
  const products = agent.slice(0, AGENT_CHARACTERS_MAX).split(/[ |,;()]+/);
  const named = products.flatMap((product) => {
    const [, name, version] = PRODUCT.exec(product) ?? [];
    return name === undefined ? [] : [`${name}/${version}`];
  });
  return named.find((name) => LIBRARY.test(name)) ?? named[0] ?? UNKNOWN;
}
