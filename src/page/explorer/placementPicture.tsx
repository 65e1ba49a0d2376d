/**
 * Items as they fall into logical and physical partitions: a tray for each physical partition, a
 * pile for each logical one, a square for each item. The sentence and the table say the same.
 */
import type { VNode } from "preact";
import { counted } from "../../base/wording.ts";
import type { JsonValue } from "../../json/value.ts";
import type { PlacedPartition, PlacedPile, PlacementAnswer } from "../../protocol/adminLab.ts";
import { Disclosure } from "../parts/disclosure.tsx";
import { Grid } from "../parts/grid.tsx";
import { amountText, shareText } from "../parts/numbers.ts";
import { Tag } from "../parts/tag.tsx";

/** Piles that are drawn of a tray; the others are counted. */
const PILES_DRAWN = 16;

export function PlacementPicture({ placement }: { readonly placement: PlacementAnswer }): VNode {
  const { partitions, itemCount } = placement;
  return (
    <div class="placement">
      <p class="answer" aria-live="polite">
        {placementSentence(placement)}
      </p>
      <div class="trays" role="img" aria-label={placementSentence(placement)}>
        {partitions.map((partition) => (
          <Tray key={partition.id} partition={partition} />
        ))}
      </div>
      <p class="small">One square is one item; items with the same key always lie together.</p>
      <Disclosure summary="As a table">
        <Grid
          label="Logical partitions"
          columns={[
            {
              id: "key",
              title: "Key",
              cell: ({ pile }: PileRow) => <code>{pileName(pile)}</code>,
            },
            {
              id: "partition",
              title: "Physical partition",
              isNumber: true,
              cell: ({ partitionId }: PileRow) => partitionId,
            },
            {
              id: "items",
              title: "Items",
              isNumber: true,
              cell: ({ pile }: PileRow) => amountText(pile.itemCount),
            },
            {
              id: "share",
              title: "Of all",
              isNumber: true,
              cell: ({ pile }: PileRow) => shareText(pile.itemCount / itemCount),
            },
          ]}
          rows={pileRows(placement)}
          keyOf={({ pile }) => pile.epk}
          windowRows={8}
        />
      </Disclosure>
    </div>
  );
}

function Tray({ partition }: { readonly partition: PlacedPartition }): VNode {
  const { id, piles, keyCount, itemCount } = partition;
  const left = keyCount - Math.min(piles.length, PILES_DRAWN);
  return (
    <div class="tray">
      <div class="piles">
        {piles.slice(0, PILES_DRAWN).map((pile) => (
          <div key={pile.epk} class="pile">
            <div class="squares">
              {pile.itemIndexes.map((index) => (
                <i key={index} class={pile.isNone ? "square none" : "square"} />
              ))}
            </div>
            <span class="pileName">{pileName(pile)}</span>
            <span class="tiny">{amountText(pile.itemCount)}</span>
          </div>
        ))}
        {left > 0 ? <span class="tiny">and {counted(left, "more key")}</span> : null}
      </div>
      <p class="trayName">
        physical partition {id}: {counted(itemCount, "item")}
      </p>
    </div>
  );
}

interface PileRow {
  readonly pile: PlacedPile;
  readonly partitionId: string;
}

function pileRows({ partitions }: PlacementAnswer): readonly PileRow[] {
  return partitions
    .flatMap(({ id, piles }) => piles.map((pile) => ({ pile, partitionId: id })))
    .toSorted((one, other) => other.pile.itemCount - one.pile.itemCount);
}

function pileName({ key, isNone }: Pick<PlacedPile, "key" | "isNone">): string {
  if (isNone && key.every((part) => part === null)) return "no value";
  return key
    .map((part: JsonValue) => (typeof part === "string" ? part : JSON.stringify(part)))
    .join(" / ");
}

function placementSentence(placement: PlacementAnswer): string {
  const { itemCount, keyCount, partitions, missingCount } = placement;
  const used = partitions.filter((each) => each.itemCount > 0).length;
  const missing =
    missingCount === 0 ? "" : ` ${counted(missingCount, "item")} without a value for it.`;
  return (
    `${counted(itemCount, "item")} in ${counted(keyCount, "logical partition")}, on ${used} of ` +
    `${counted(partitions.length, "physical partition")}.${missing}`
  );
}

/** What the validator says of the key with these items. */
export function PlacementFindings({ placement }: { readonly placement: PlacementAnswer }): VNode {
  return (
    <ul class="findings" aria-label="What the checks say of this key">
      {placement.findings.map(({ check, outcome, sentence }) => (
        <li key={check}>
          <Tag
            tone={outcome === "passed" ? "good" : outcome === "warning" ? "warn" : "none"}
            word={check}
          />{" "}
          {sentence}
        </li>
      ))}
    </ul>
  );
}
