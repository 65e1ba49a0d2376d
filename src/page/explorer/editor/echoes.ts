/**
 * Tells a text that comes from elsewhere from one that somebody has typed here: what is typed comes
 * back as a value, late and sometimes not each time. Typing wins over a value of before.
 */
export class Echoes {
  /** Texts that were typed and have not come back yet. */
  #typed: string[] = [];
  /** The value that was taken last: coming once more, it is no news. */
  #taken: string;

  /** `text` is what is shown where the value that is known is `value`. */
  constructor(value: string, text: string = value) {
    this.#taken = value;
    if (text !== value) this.#typed.push(text);
  }

  type(text: string): void {
    this.#typed.push(text);
  }

  /** Whether the value has to be shown in the place of what is. */
  isNews(value: string): boolean {
    if (value === this.#taken) return false;
    this.#taken = value;
    const at = this.#typed.lastIndexOf(value);
    this.#typed = this.#typed.slice(at + 1);
    return at === -1;
  }
}
