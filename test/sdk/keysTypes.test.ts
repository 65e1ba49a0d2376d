/** A container of the official client is what the patterns take, without a cast. */
import { setTimeout } from "node:timers/promises";
import type { Container } from "@azure/cosmos";
import { expectTypeOf, test } from "vitest";
import { bulkWriter } from "../../src/keys/client/bulkWriter.ts";
import type { ClientBulkContainer, ClientContainer } from "../../src/keys/client/container.ts";
import type { linkedList } from "../../src/keys/client/linkedList.ts";

test("the client's types fit", () => {
  expectTypeOf<Container>().toExtend<ClientContainer>();
  expectTypeOf<Container>().toExtend<ClientBulkContainer>();
});

interface Reading {
  readonly id: string;
  readonly deviceId: string;
}

test("an application's own interfaces are items", () => {
  type Write = ReturnType<typeof linkedList>["create"];
  expectTypeOf<Reading>().toExtend<Parameters<Write>[0]>();
  const writerOf = (container: Container) =>
    bulkWriter<Reading>(container, {
      key: (reading) => reading.deviceId,
      world: { wait: setTimeout },
    });
  type Result = Awaited<ReturnType<ReturnType<typeof writerOf>["write"]>>;
  expectTypeOf<Result["failures"][number]["item"]>().toEqualTypeOf<Reading>();
});
