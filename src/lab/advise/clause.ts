/** A reason in a few words, with its number, for sentences that name several keys. */

import { bytesText } from "../../base/wording.ts";
import { numberText, percentText, rateText } from "../wording/plain.ts";
import type { Reason } from "./advice.ts";

export function clauseOf({ code, figures, counterExample }: Reason): string {
  const figure = (name: string): number => figures[name] ?? 0;
  switch (code) {
    case "storage-hot":
    case "outlier-over-20GB": {
      const limit = bytesText(figure("limitBytes"));
      const day = figures["fullDay"];
      return day === undefined
        ? `one key ends at ${bytesText(figure("largestBytes"))} of ${limit}`
        : `one key passes ${limit} on day ${numberText(Math.ceil(day))}`;
    }
    case "throughput-hot":
    case "current-period-hot":
      return figure("keyRate") > figure("limitRate")
        ? `one key gets ${rateText(figure("keyRate"))}, and ` +
            `${rateText(figure("limitRate"))} is the most`
        : `one key gets ${rateText(figure("keyRate"))} where a physical partition ` +
            (figures["isDeclared"] === 0
              ? `would have ${rateText(figure("evenRate"))} of an even spread`
              : `is allotted ${rateText(figure("allotment"))}`);
    case "fan-out":
      if (figure("everywhereShare") > 0) {
        const share = percentText(figure("everywhereShare"));
        return `${share} of the reads ask every physical partition`;
      }
      return `reads ask many keys, for ${rateText(figure("surchargeRate"))}`;
    case "hyperfragmentation":
      return "items that are read together never lie together";
    case "low-cardinality":
      return `there are only ${numberText(figure("keyCount"))} keys`;
    case "mutable":
      return `${percentText(figure("changingShare"))} of the updates would change it`;
    case "tx-scope-broken":
      return `it breaks the transactions of ${counterExample ?? "an operation"}`;
    case "null-concentration":
      return `${percentText(figure("keyShare"))} of the data has no value for it and one key`;
    case "value-too-long":
      return `its values have up to ${numberText(figure("bytes"))} bytes`;
    case "not-a-scalar":
      return `${counterExample ?? "it"} holds no scalars`;
  }
}
