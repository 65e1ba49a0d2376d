/**
 * What a screen reader is told. Politely: what came of something that somebody started. Urgently:
 * failures, and nothing else. Streams are never read out item by item.
 */
import { Observable } from "../session/observable.ts";

interface Announcement {
  readonly text: string;
  /** Changes with every announcement, so that the same words are read again. */
  readonly count: number;
}

const NOTHING: Announcement = { text: "", count: 0 };

export class Announcer {
  readonly polite: Observable<Announcement> = new Observable(NOTHING);
  readonly urgent: Observable<Announcement> = new Observable(NOTHING);

  say(text: string): void {
    this.polite.set({ text, count: this.polite.value.count + 1 });
  }

  warn(text: string): void {
    this.urgent.set({ text, count: this.urgent.value.count + 1 });
  }
}
