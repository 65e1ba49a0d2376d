/** A text that is being typed, as it was when somebody last paused. */
import { useEffect, useState } from "preact/hooks";
import { millis } from "../../base/units.ts";
import { browserTimer } from "../session/browserWorld.ts";

const TYPING_PAUSE = millis(300);

export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => browserTimer.after(TYPING_PAUSE, () => setSettled(text)), [text]);
  return settled;
}
