/** What `postgres.mjs` needs of the sources: a PostgreSQL of its own, as the tests start one. */
export { hasPostgres, LocalPostgres } from "../src/store/postgres/localPostgres.fake.ts";
