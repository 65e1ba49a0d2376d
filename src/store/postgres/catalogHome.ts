/** Which of several databases has the catalogue: whoever works on all of them begins there. */
import { prepareSchema } from "./schemaSteps.ts";
import type { Connect } from "./session.ts";
import { READS } from "./statements.ts";

const CATALOG_PART = 0;

/** Makes the tables if there are none. */
export async function hasCatalog(connect: Connect): Promise<boolean> {
  const session = await connect();
  try {
    await prepareSchema(session);
    const { rows } = await session.ask({ statement: READS.head, values: [CATALOG_PART] });
    return rows.length > 0;
  } finally {
    await session.close();
  }
}
