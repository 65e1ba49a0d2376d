/**
 * Where items would lie under the key that is being typed: asked a moment after the last key was
 * pressed. An answer that comes too late is dropped.
 */
import { useEffect, useState } from "preact/hooks";
import { millis } from "../../../base/units.ts";
import type { PlacementAnswer } from "../../../protocol/adminLab.ts";
import { usePage } from "../../control/page.ts";
import { browserTimer } from "../../session/browserWorld.ts";
import { givenItems } from "../data/givenItems.ts";
import { candidateText } from "../data/typedKeys.ts";
import type { ContainerDraft } from "./draft.ts";
import { rateMinOf } from "./draft.ts";

export interface Placed {
  readonly answer?: PlacementAnswer | undefined;
  /** What is wrong with the key. */
  readonly problem?: string | undefined;
}

const TYPING_PAUSE = millis(250);
/** More say nothing more to the eye. */
const PLACED_MAX = 1000;

export function usePlacement({ text, key, kind, rate }: ContainerDraft): Placed {
  const { server } = usePage();
  const [placed, setPlaced] = useState<Placed>({});
  const ratePerSecond = Number(rate);
  useEffect(() => {
    const items = givenItems(text);
    if (key.trim() === "") {
      setPlaced({});
      return undefined;
    }
    // What was wrong with another text is not held against this one.
    setPlaced((now) => (now.problem === undefined ? now : {}));
    let isCurrent = true;
    const cancel = browserTimer.after(TYPING_PAUSE, () => {
      const isEmpty = !items.ok || items.value.length === 0;
      const question = {
        items: isEmpty ? [{ id: "1" }] : items.value.slice(0, PLACED_MAX),
        key: candidateText(key),
        ...(ratePerSecond >= rateMinOf(kind) && { ratePerSecond }),
      };
      void server.change<PlacementAnswer>("POST", "lab/placements", question).then((answer) => {
        if (!isCurrent) return;
        if (!answer.ok) setPlaced({ problem: answer.error.message });
        else setPlaced(isEmpty ? {} : { answer: answer.value });
      });
    });
    return () => {
      isCurrent = false;
      cancel();
    };
  }, [text, key, kind, ratePerSecond]);
  return placed;
}
