// The minimal work of a durable write on bare Bun: the hash of the key, the body, two rows, and one commit (with its
// sync) for the writes of a turn. Nothing is encrypted, checked or cached. `bun write-floor.ts DATABASE KEY`
import { Database } from "bun:sqlite";
import { serve } from "./serve";

const [file = "", key = ""] = process.argv.slice(2);
const database = new Database(file, { create: true, strict: true });
database.run("PRAGMA journal_mode=WAL");
database.run("PRAGMA synchronous=FULL");
database.run(
  "CREATE TABLE secrets (project_id TEXT, key TEXT, id TEXT, value TEXT, description TEXT, updated_at INTEGER, PRIMARY KEY (project_id, key)) STRICT",
);
database.run(
  "CREATE TABLE audit (id INTEGER PRIMARY KEY, actor TEXT, action TEXT, target TEXT, at INTEGER) STRICT",
);

const begin = database.query("BEGIN IMMEDIATE");
const commit = database.query("COMMIT");
const upsert = database.query(
  `INSERT INTO secrets VALUES ('default', ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
   SET value = excluded.value, description = excluded.description, updated_at = excluded.updated_at`,
);
const addEntry = database.query(
  "INSERT INTO audit (actor, action, target, at) VALUES ('key', 'secret.upsert', ?, ?)",
);

interface Write {
  rows(): void;
  done(): void;
}
let writes: Write[] = [];

function commitTurn(): void {
  const group = writes;
  writes = [];
  begin.run();
  for (const { rows } of group) rows();
  commit.run();
  for (const { done } of group) done();
}

function written(rows: () => void): Promise<void> {
  return new Promise((done) => {
    if (writes.length === 0) setImmediate(commitTurn);
    writes.push({ rows, done });
  });
}

function hash(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}
const known = hash(`Bearer ${key}`);

interface Body {
  value: string;
  description: string;
}

await serve(async (request) => {
  if (hash(request.headers.get("authorization") ?? "") !== known) return new Response("no", { status: 401 });
  const name = request.url.slice(request.url.lastIndexOf("/") + 1);
  const { value, description }: Body = JSON.parse(await request.text());
  const id = crypto.randomUUID();
  const now = Date.now();
  await written(() => {
    upsert.run(name, id, value, description, now);
    addEntry.run(name, now);
  });
  const updated_at = new Date(now).toISOString();
  return new Response(JSON.stringify({ id, key: name, description, updated_at }), {
    headers: { "content-type": "application/json", "cache-control": "no-store", "x-request-id": id },
  });
});
