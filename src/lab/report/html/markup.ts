/**
 * HTML that cannot be broken by what is put into it: in the template tag every string is a text,
 * escaped, and only what the tag itself has made is taken as it is.
 *
 * `raw` is for constants of this folder (styles, the script), never for anything that was read.
 */
import { visible } from "../../wording/plain.ts";

export interface Markup {
  readonly html: string;
}

/** A class, so that no object that was read from a file can pass for it. */
class Made implements Markup {
  readonly html: string;

  constructor(text: string) {
    this.html = text;
  }
}

export type Piece = string | number | Markup | readonly Markup[] | undefined | false;

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = strings[0]!;
  pieces.forEach((piece, at) => {
    text += pieceText(piece) + strings[at + 1]!;
  });
  return new Made(text);
}

export function raw(constant: string): Markup {
  return new Made(constant);
}

export const NOTHING: Markup = raw("");

function pieceText(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (typeof piece === "number") return numeral(piece);
  if (piece instanceof Made) return piece.html;
  if (Array.isArray(piece)) return piece.map(pieceText).join("");
  return escaped(String(piece));
}

/** Places in drawings: a tenth of a unit is enough, and no place is nowhere. */
function numeral(amount: number): string {
  return Number.isFinite(amount) ? String(Math.round(amount * 10) / 10) : "0";
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (unit) => ENTITIES[unit]!);
}
