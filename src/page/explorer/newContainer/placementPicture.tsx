/**
 * Items as they fall into logical and physical partitions: a tray for each physical partition, a
 * pile for each logical one, a square for each item, and one item followed on its way. The sentence
 * and the table say the same.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { counted } from "../../../base/wording.ts";
import type { JsonObject } from "../../../json/value.ts";
import type { PlacedPartition, PlacementAnswer } from "../../../protocol/adminLab.ts";
import { Coded } from "../../parts/coded.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { Grid } from "../../parts/grid.tsx";
import { amountText, shareText } from "../../parts/numbers.ts";
import { Tag } from "../../parts/tag.tsx";
import {
  itemName,
  type PileRow,
  pileName,
  pileRows,
  placementSentence,
  shortEpk,
  wayOf,
} from "./placedItems.ts";

/** Piles that are drawn of a tray; the others are counted. */
const PILES_DRAWN = 12;
/** Of a square, with the gap beside it; the style sheet has the same, in pixels. */
const SQUARE_WIDTH = 12;
const ABREAST_MIN = 5;
const ABREAST_MAX = 16;

/** High piles are broader, so that the picture of an uneven key still fits its frame. */
function pileWidth(itemCount: number): number {
  const abreast = Math.round(Math.sqrt(itemCount));
  return Math.min(ABREAST_MAX, Math.max(ABREAST_MIN, abreast)) * SQUARE_WIDTH - 2;
}

interface PlacementPictureProps {
  readonly placement: PlacementAnswer;
  readonly items: readonly JsonObject[];
}

export function PlacementPicture({ placement, items }: PlacementPictureProps): VNode {
  const { partitions, itemCount } = placement;
  const [followed, setFollowed] = useState(0);
  const at = Math.min(followed, itemCount - 1);
  return (
    <div class="placement">
      <p class="answer" aria-live="polite">
        {placementSentence(placement)}
      </p>
      <Followed placement={placement} items={items} at={at} onFollow={setFollowed} />
      <div class="trays" role="img" aria-label={placementSentence(placement)}>
        {partitions.map((partition) => (
          <Tray key={partition.id} partition={partition} followed={at} onFollow={setFollowed} />
        ))}
      </div>
      <ul class="legend">
        <li class="firstKey">one item; those with the same key always lie together</li>
        {placement.missingCount === 0 ? null : (
          <li class="bareKey">
            <i class="square none" aria-hidden="true" /> without a value for the key
          </li>
        )}
      </ul>
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

interface FollowedProps extends PlacementPictureProps {
  readonly at: number;
  readonly onFollow: (at: number) => void;
}

/** One item on its way: its key, the hash of the key, the range that has the hash. */
function Followed({ placement, items, at, onFollow }: FollowedProps): VNode {
  const id = useId();
  const way = wayOf(placement, at);
  return (
    <div class="followed">
      <label for={id} class="unseen">
        Follow an item
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={Math.max(0, placement.itemCount - 1)}
        value={at}
        aria-valuetext={itemName(items[at], at)}
        onInput={(event) => onFollow(Number(event.currentTarget.value))}
      />
      <p>
        {itemName(items[at], at)}
        {way === undefined ? (
          " lies in a pile that is not drawn."
        ) : (
          <>
            {" → key "}
            <code>{pileName(way.pile)}</code>
            {" → EPK "}
            <code>{shortEpk(way.pile.epk)}</code>
            {" → "}
            <strong>physical partition {way.partitionId}</strong>
          </>
        )}
      </p>
    </div>
  );
}

function squareClass(isNone: boolean, isPicked: boolean): string {
  return ["square", ...(isNone ? ["none"] : []), ...(isPicked ? ["picked"] : [])].join(" ");
}

interface TrayProps {
  readonly partition: PlacedPartition;
  readonly followed: number;
  readonly onFollow: (at: number) => void;
}

function Tray({ partition, followed, onFollow }: TrayProps): VNode {
  const { id, piles, keyCount, itemCount } = partition;
  const drawn = piles.slice(0, PILES_DRAWN);
  const left = keyCount - drawn.length;
  return (
    <div class="tray" style={{ flexGrow: String(Math.max(1, drawn.length)) }}>
      <div class="piles">
        {drawn.map((pile) => (
          <div key={pile.epk} class="pile">
            <div class="squares" style={{ width: `${pileWidth(pile.itemIndexes.length)}px` }}>
              {pile.itemIndexes.map((index) => (
                <i
                  key={index}
                  class={squareClass(pile.isNone, index === followed)}
                  onPointerEnter={() => onFollow(index)}
                />
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

const OUTCOMES = ["warning", "passed", "unknown"] as const;

/** Warnings first; what only a workload could tell comes last. */
function sortedFindings({ findings }: PlacementAnswer): PlacementAnswer["findings"] {
  return findings.toSorted(
    (one, other) => OUTCOMES.indexOf(one.outcome) - OUTCOMES.indexOf(other.outcome),
  );
}

/** What the validator says of the key with these items. */
export function PlacementFindings({ placement }: Pick<PlacementPictureProps, "placement">): VNode {
  return (
    <ul class="findings" aria-label="What the checks say of this key">
      {sortedFindings(placement).map(({ check, outcome, sentence }) => (
        <li key={check}>
          <Tag
            tone={outcome === "passed" ? "good" : outcome === "warning" ? "warn" : "none"}
            word={check}
          />
          <span>
            <Coded text={sentence} />
          </span>
        </li>
      ))}
    </ul>
  );
}
