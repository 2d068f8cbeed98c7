// The minimal work of a durable write on bare Bun: the hash of the key, the body, the row, its audit row with the hash of the
// chain, the head of the chain, and one commit (with its sync) for the writes of a turn. Deleted content is overwritten, as
// the store does. Nothing is encrypted, checked or cached. `bun write-floor.ts DATABASE KEY`
import { Database } from "bun:sqlite";
import { serve } from "./serve";

const [file = "", key = ""] = process.argv.slice(2);
const database = new Database(file, { create: true, strict: true });
database.run("PRAGMA journal_mode=WAL");
database.run("PRAGMA synchronous=FULL");
database.run("PRAGMA secure_delete=ON");
database.run(
  "CREATE TABLE secrets (project_id TEXT, key TEXT, id TEXT, value TEXT, description TEXT, updated_at INTEGER, PRIMARY KEY (project_id, key)) STRICT",
);
database.run(
  "CREATE TABLE audit (project_id TEXT, id TEXT, number INTEGER, incarnation TEXT, actor TEXT, action TEXT, target TEXT, " +
    "result TEXT, address TEXT, details TEXT, at INTEGER, hash TEXT, PRIMARY KEY (project_id, id)) STRICT, WITHOUT ROWID",
);
database.run(
  "CREATE TABLE audit_heads (project_id TEXT PRIMARY KEY, number INTEGER, hash TEXT) STRICT, WITHOUT ROWID",
);
database.run("INSERT INTO audit_heads VALUES ('default', 0, '')");

const begin = database.query("BEGIN IMMEDIATE");
const commit = database.query("COMMIT");
const upsert = database.query(
  `INSERT INTO secrets VALUES ('default', ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
   SET value = excluded.value, description = excluded.description, updated_at = excluded.updated_at`,
);
const readHead = database.query<{ number: number; hash: string }, []>(
  "SELECT number, hash FROM audit_heads WHERE project_id = 'default'",
);
const addEntry = database.query(
  "INSERT INTO audit VALUES ('default', ?, ?, '', 'key', 'secret.upsert', ?, 'ok', '127.0.0.1', '{}', ?, ?)",
);
const putHead = database.query("UPDATE audit_heads SET number = ?, hash = ? WHERE project_id = 'default'");

function audit(id: string, name: string, now: number): void {
  const { number, hash: former } = readHead.get() ?? { number: 0, hash: "" };
  const entry = `${String(now).padStart(16, "0")}${id}`;
  const next = hash(`${former} ${number + 1} ${entry} key secret.upsert ${name} ok 127.0.0.1 {} ${now}`);
  addEntry.run(entry, number + 1, name, now, next);
  putHead.run(number + 1, next);
}

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
    audit(id, name, now);
  });
  const updated_at = new Date(now).toISOString();
  return new Response(JSON.stringify({ id, key: name, description, updated_at }), {
    headers: { "content-type": "application/json", "cache-control": "no-store", "x-request-id": id },
  });
});
