/**
 * What can be done from where somebody is, for the command palette: pages, containers, and the
 * actions that the page on show has registered.
 */
import { Observable } from "../session/observable.ts";

export interface Command {
  /** Differs from that of every other command. */
  readonly id: string;
  /** A verb with its object, or the name of a place. */
  readonly title: string;
  /** The heading it stands under, such as "Containers". */
  readonly group: string;
  /** The keys that do the same. */
  readonly keys?: string | undefined;
  readonly run: () => void;
}

export class Commands {
  #lists: readonly (readonly Command[])[] = [];
  readonly all: Observable<readonly Command[]> = new Observable<readonly Command[]>([]);

  /** Returns a function that takes them away again. */
  register(commands: readonly Command[]): () => void {
    this.#set([...this.#lists, commands]);
    return () => this.#set(this.#lists.filter((other) => other !== commands));
  }

  #set(lists: readonly (readonly Command[])[]): void {
    this.#lists = lists;
    this.all.set(lists.flat());
  }
}
