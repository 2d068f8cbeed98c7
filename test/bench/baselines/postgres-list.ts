// Bare Bun and PostgreSQL for the list: the same reads, sent together, and an answer of the same bytes.
// `bun postgres-list.ts URL SCHEMA FILE`; FILE has the answer of the server under test.
import { SQL } from "bun";
import { readFileSync } from "node:fs";
import { PROJECT } from "../deployment";
import { serve } from "./serve";

const [url = "", schema = "", file = ""] = process.argv.slice(2);
const sql = new SQL({ url, max: 7 });
const page =
  "SELECT id, user_id, provider_id, status, scopes, has_refresh, expires_at " +
  `FROM ${schema}.connections WHERE project_id = $1 ORDER BY created_at, id LIMIT $2`;
const total = `SELECT value FROM ${schema}.counters WHERE project_id = $1 AND name = 'connections'`;
const bytes = readFileSync(file, "utf8");
const init = { headers: { "content-type": "application/json", "cache-control": "no-store" } };

await serve(async () => {
  await Promise.all([sql.unsafe(page, [PROJECT, 25]), sql.unsafe(total, [PROJECT])]);
  return new Response(bytes, init);
});
