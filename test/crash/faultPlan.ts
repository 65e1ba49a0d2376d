/**
 * Makes the n-th operation of a machine fail, and some after it, as a bad or a full disk does.
 *
 * A disk that fails an append leaves the end of the file unknown: the bytes may not be there, or
 * in part, or all of them. The simulated disk decides that at the next power cut; with `isLanded`
 * they are all there at once, as when only the sync failed.
 */
import type { Bottom } from "../../src/store/bottom.ts";
import type { Disk } from "../../src/store/disk.ts";
import type { Wiring } from "./machine.ts";
import { overriding } from "./machine.ts";

export type Operation = "names" | "read" | "create" | "append" | "close" | "remove" | "absorb";
type FaultCode = "EIO" | "ENOSPC";

export interface FaultOptions {
  readonly code: FaultCode;
  /** The operations that count, and fail. */
  readonly operations: readonly Operation[];
  /** The first of them that fails, from 1. */
  readonly first: number;
  /** How many fail in a row. */
  readonly count: number;
  readonly isLanded?: boolean;
}

export class FaultPlan {
  readonly #options: FaultOptions;
  #isArmed = false;
  #operationCount = 0;
  #failedOperation: Operation | undefined;

  constructor(options: FaultOptions) {
    this.#options = options;
  }

  /** Operations count from here on. */
  arm(): void {
    this.#isArmed = true;
  }

  disarm(): void {
    this.#isArmed = false;
  }

  /** The operation that failed first; undefined when the run ended before its turn. */
  get failedOperation(): Operation | undefined {
    return this.#failedOperation;
  }

  readonly wiring: Wiring = {
    disk: (disk, simulated) => {
      simulated.faultHook = (operation) => this.#strike(operation as Operation);
      return this.#faultyDisk(disk);
    },
    bottom: (bottom) => this.#faultyBottom(bottom),
  };

  #strike(operation: Operation): void {
    const { operations, first, count, code, isLanded } = this.#options;
    if (!operations.includes(operation) || (isLanded && operation === "append")) return;
    if (this.#isNext(first, count)) throw this.#failure(operation, code);
  }

  #isNext(first: number, count: number): boolean {
    if (!this.#isArmed) return false;
    this.#operationCount++;
    return this.#operationCount >= first && this.#operationCount < first + count;
  }

  #failure(operation: Operation, code: FaultCode): Error {
    this.#failedOperation ??= operation;
    return Object.assign(new Error(`${code}: simulated, ${operation}`), { code });
  }

  #faultyDisk(disk: Disk): Disk {
    const { first, count, code, isLanded } = this.#options;
    return overriding(disk, {
      names: async () => {
        this.#strike("names");
        return disk.names();
      },
      read: async (name) => {
        this.#strike("read");
        return disk.read(name);
      },
      create: async (name, bytes) => {
        const file = await disk.create(name, bytes);
        return overriding(file, {
          append: async (more) => {
            await file.append(more);
            if (isLanded && this.#isNext(first, count)) throw this.#failure("append", code);
          },
          close: async () => {
            this.#strike("close");
            return file.close();
          },
        });
      },
    });
  }

  #faultyBottom(bottom: Bottom): Bottom {
    return overriding(bottom, {
      absorb: async (...what) => {
        this.#strike("absorb");
        return bottom.absorb(...what);
      },
    });
  }
}
