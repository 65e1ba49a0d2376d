/**
 * The header that tells which indexes a query used and which it could use. It has two forms, and
 * the request says which: the older is JSON in base64, the newer JSON as it is.
 *
 * A policy may hold names of any length, so entries that would make the header too long for a
 * client to read are left out, the last ones first.
 */
import type { JsonObject } from "../../json/value.ts";
import type { UtilizationForm } from "../request/queryRequest.ts";
import { headerJson } from "../wire/headerJson.ts";

export interface UtilizedIndexes {
  readonly utilizedSingle: readonly string[];
  readonly potentialSingle: readonly string[];
  readonly utilizedComposite: readonly (readonly string[])[];
  readonly potentialComposite: readonly (readonly string[])[];
}

/** The longest value of the header. All headers of an answer together have to stay below 16 KiB. */
const LENGTH_MAX = 4096;

export function utilizationText(indexes: UtilizedIndexes, form: UtilizationForm): string {
  let kept = indexes;
  for (;;) {
    const text = form === "plain" ? plainText(kept) : base64Text(kept);
    if (text.length <= LENGTH_MAX) return text;
    kept = withoutLast(kept);
  }
}

/** Queries are judged by their shape alone, so every path that a filter names is said to matter. */
const IndexImpactScore = "High";

function plainText(indexes: UtilizedIndexes): string {
  const single = (IndexSpec: string): JsonObject => ({ IndexSpec });
  return headerJson({
    UtilizedIndexes: {
      SingleIndexes: indexes.utilizedSingle.map(single),
      CompositeIndexes: indexes.utilizedComposite.map((IndexSpecs) => ({ IndexSpecs })),
    },
    PotentialIndexes: {
      SingleIndexes: indexes.potentialSingle.map((IndexSpec) => ({ IndexSpec, IndexImpactScore })),
      CompositeIndexes: indexes.potentialComposite.map((IndexSpecs) => ({
        IndexSpecs,
        IndexImpactScore,
      })),
    },
  });
}

function base64Text(indexes: UtilizedIndexes): string {
  const single = (IndexSpec: string): JsonObject => ({
    FilterExpression: "",
    IndexSpec,
    FilterPreciseSet: true,
    IndexPreciseSet: true,
    IndexImpactScore,
  });
  const composite = (IndexSpecs: readonly string[]): JsonObject => ({
    IndexSpecs,
    IndexPreciseSet: true,
    IndexImpactScore,
  });
  const members = {
    UtilizedSingleIndexes: indexes.utilizedSingle.map(single),
    PotentialSingleIndexes: indexes.potentialSingle.map(single),
    UtilizedCompositeIndexes: indexes.utilizedComposite.map(composite),
    PotentialCompositeIndexes: indexes.potentialComposite.map(composite),
  };
  return Buffer.from(JSON.stringify(members)).toString("base64");
}

/** Suggestions go before facts, and combinations before paths. */
function withoutLast(indexes: UtilizedIndexes): UtilizedIndexes {
  const { potentialComposite, potentialSingle, utilizedComposite, utilizedSingle } = indexes;
  if (potentialComposite.length > 0) {
    return { ...indexes, potentialComposite: potentialComposite.slice(0, -1) };
  }
  if (potentialSingle.length > 0) {
    return { ...indexes, potentialSingle: potentialSingle.slice(0, -1) };
  }
  if (utilizedComposite.length > 0) return { ...indexes, utilizedComposite: [] };
  return { ...indexes, utilizedSingle: utilizedSingle.slice(0, -1) };
}
