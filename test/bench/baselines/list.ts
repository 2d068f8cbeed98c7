// Bare Bun + SQLite for the list: the same reads, and an answer of the same bytes. `bun list.ts DATABASE FILE`
// FILE has the answer of the server under test; with it, the answer is not built from the read rows.
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { PROJECT } from "../deployment";
import { serve } from "./serve";

const [file = "", answer] = process.argv.slice(2);
const database = new Database(file, { readonly: true, strict: true });
const page = database.query<Row, [string, number]>(
  "SELECT id, user_id, provider_id, status, scopes, has_refresh, expires_at FROM connections " +
    "WHERE project_id = ? ORDER BY created_at, id LIMIT ?",
);
const total = database.query<{ value: number }, [string]>(
  "SELECT value FROM counters WHERE project_id = ? AND name = 'connections'",
);
const bytes = answer === undefined ? undefined : readFileSync(answer, "utf8");
const init = { headers: { "content-type": "application/json", "cache-control": "no-store" } };

interface Row {
  id: string;
  user_id: string;
  provider_id: string;
  status: string;
  scopes: string;
}

function record(row: Row) {
  return {
    id: row.id,
    connection_id: row.id,
    connection_status: row.status,
    provider_id: row.provider_id,
    provider_type: "oauth2",
    provider_description: "Provider of the bench",
    scopes: JSON.parse(row.scopes),
    user_id: row.user_id,
  };
}

await serve(() => {
  const rows = page.all(PROJECT, 25);
  const total_count = total.get(PROJECT)?.value ?? 0;
  if (bytes !== undefined) return new Response(bytes, init);
  const items = rows.map(record);
  const body = { items, total_count, offset: 0, limit: 25, page_count: items.length };
  return new Response(JSON.stringify(body), init);
});
