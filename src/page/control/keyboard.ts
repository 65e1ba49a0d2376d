/**
 * Which action a key stands for, and who acts on it. There is one listener for the whole page; who
 * binds a key gets it as long as nobody else has bound it later.
 *
 * Always: while somebody types, a key counts only if the table says so; keys that follow each other
 * (`g`, then `o`) are given up with any other key.
 */
import { KEY_TABLE, type KeyId } from "./keyTable.ts";

/** What is looked at of a keyboard event. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** Acts on a key; `false` says that it did not, and that others may. */
type KeyAction = () => unknown;

const MODIFIERS: readonly string[] = ["Control", "Shift", "Alt", "Meta"];

export class Keyboard {
  readonly #bound = new Map<KeyId, KeyAction[]>();
  /** The first of keys that follow each other. */
  #begun: string | undefined;

  /** Returns a function that ends it. */
  bind(id: KeyId, action: KeyAction): () => void {
    this.#bound.set(id, [...(this.#bound.get(id) ?? []), action]);
    return () => {
      const others = (this.#bound.get(id) ?? []).filter((other) => other !== action);
      this.#bound.set(id, others);
    };
  }

  /** True when somebody acted on it, so that the browser should not. */
  press(press: KeyPress, isTyping: boolean): boolean {
    if (MODIFIERS.includes(press.key)) return false;
    const pressed = nameOf(press);
    const begun = this.#begun;
    this.#begun = undefined;
    const wanted = begun === undefined ? pressed : `${begun} ${pressed}`;
    for (const [id, row] of Object.entries(KEY_TABLE)) {
      const keys: readonly string[] = row.keys;
      if (isTyping && !("isForTyping" in row)) continue;
      if (keys.includes(wanted) && this.#act(id as KeyId)) return true;
      if (begun === undefined && keys.some((key) => isLetterPair(key) && key[0] === pressed)) {
        this.#begun = pressed;
      }
    }
    return false;
  }

  #act(id: KeyId): boolean {
    const actions = this.#bound.get(id) ?? [];
    return actions.toReversed().some((action) => action() !== false);
  }
}

function isLetterPair(key: string): boolean {
  return /^[a-z] [a-z]$/.test(key);
}

/** The key as the table writes it: `Mod+K`, `Shift+F6`, `?`, `g`. */
export function nameOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyPress): string {
  const isMod = ctrlKey || metaKey;
  // A sign that needs Shift on some keyboards is the sign; a named key with Shift is another one.
  const isShift = shiftKey && (key.length > 1 || isMod);
  const name = isMod && key.length === 1 ? key.toUpperCase() : key;
  return [
    ...(isMod ? ["Mod"] : []),
    ...(altKey ? ["Alt"] : []),
    ...(isShift ? ["Shift"] : []),
    name,
  ].join("+");
}
