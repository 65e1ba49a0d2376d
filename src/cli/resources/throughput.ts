/** What databases and containers may spend, as offers tell it, and as people read it. */
import { isObject, type JsonObject, property } from "../../json/value.ts";
import type { ResourceClient } from "./resourceClient.ts";

type ToldThroughput =
  | { readonly kind: "manual"; readonly ratePerSecond: number }
  | { readonly kind: "autoscale"; readonly rateMax: number }
  | { readonly kind: "none" };

/** By the rid of whom it is for. One question, whatever there is. */
export async function throughputs(
  client: ResourceClient,
): Promise<(resource: JsonObject) => ToldThroughput> {
  const offers = await client.listed({ method: "GET", of: "offers" }, "Offers", "list of offers");
  const byRid = new Map(offers.map((offer) => [String(property(offer, "offerResourceId")), offer]));
  return (resource) => throughputIn(byRid.get(String(property(resource, "_rid"))));
}

function throughputIn(offer: JsonObject | undefined): ToldThroughput {
  const content = offer === undefined ? undefined : property(offer, "content");
  if (!isObject(content)) return { kind: "none" };
  const settings = property(content, "offerAutopilotSettings");
  if (isObject(settings)) {
    return { kind: "autoscale", rateMax: Number(property(settings, "maxThroughput")) };
  }
  return { kind: "manual", ratePerSecond: Number(property(content, "offerThroughput")) };
}

/** `none`: what is said of one without a rate of its own. */
export function throughputText(told: ToldThroughput, none: string): string {
  if (told.kind === "manual") return `${told.ratePerSecond} RU/s`;
  if (told.kind === "autoscale") return `autoscale to ${told.rateMax} RU/s`;
  return none;
}

/** For programs. */
export function throughputJson(told: ToldThroughput): JsonObject | null {
  if (told.kind === "manual") return { throughput: told.ratePerSecond };
  if (told.kind === "autoscale") return { autoscale: told.rateMax };
  return null;
}
