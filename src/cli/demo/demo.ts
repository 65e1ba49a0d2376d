/** What a demo is: a server to start, and something to do with it that is worth watching. */
import type { OrreryOptions } from "../../server/surroundings/orreryOptions.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import type { Stage } from "./stage.ts";

export interface Demo {
  readonly name: string;
  /** One line. */
  readonly about: string;
  /** About how long it takes unless it is told. */
  readonly seconds: number;
  /** Of its server. */
  readonly options: OrreryOptions;
  run(stage: Stage): Promise<DemoResult>;
}

export interface DemoResult {
  /** What was measured, for programs. */
  readonly facts: object;
  /** The containers as they were at the end. */
  readonly reports: readonly ContainerReport[];
}
