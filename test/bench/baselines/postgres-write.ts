// Bare Bun and PostgreSQL for a durable write: what `write-floor.ts` does, on one connection. The writes of a turn share a
// transaction, which holds a lock as those of other servers would, and nothing is waited for but the head of the chain.
// `bun postgres-write.ts URL KEY`
import { SQL } from "bun";
import { serve } from "./serve";

const [url = "", key = ""] = process.argv.slice(2);
const sql = await new SQL({ url, max: 1 }).reserve();
await sql
  .unsafe(
    `CREATE SCHEMA bare_write;
     CREATE TABLE bare_write.secrets (project_id TEXT, key TEXT, id TEXT, value TEXT, description TEXT, updated_at BIGINT,
       PRIMARY KEY (project_id, key));
     CREATE TABLE bare_write.audit (project_id TEXT, id TEXT, number BIGINT, incarnation TEXT, actor TEXT, action TEXT,
       target TEXT, result TEXT, address TEXT, details TEXT, at BIGINT, hash TEXT, PRIMARY KEY (project_id, id));
     CREATE TABLE bare_write.audit_heads (project_id TEXT PRIMARY KEY, number BIGINT, hash TEXT);
     INSERT INTO bare_write.audit_heads VALUES ('default', 0, '')`,
  )
  .simple();

const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('bare write', 0))";
const UPSERT = `INSERT INTO bare_write.secrets VALUES ('default', $1, $2, $3, $4, $5) ON CONFLICT (project_id, key)
  DO UPDATE SET value = excluded.value, description = excluded.description, updated_at = excluded.updated_at`;
const HEAD = "SELECT number::int, hash FROM bare_write.audit_heads WHERE project_id = 'default'";
const ADD =
  "INSERT INTO bare_write.audit VALUES ('default', $1, $2, '', 'key', 'secret.upsert', $3, 'ok', '127.0.0.1', '{}', $4, $5)";
const PUT_HEAD = "UPDATE bare_write.audit_heads SET number = $1, hash = $2 WHERE project_id = 'default'";

interface Write {
  name: string;
  id: string;
  value: string;
  description: string;
  now: number;
  done: PromiseWithResolvers<void>;
}
let queue: Write[] = [];
let isRunning = false;

function run(text: string, params: (string | number)[] = []): Promise<{ number: number; hash: string }[]> {
  return sql.unsafe(text, params).execute();
}

async function work(): Promise<void> {
  while (queue.length > 0) {
    const group = queue;
    queue = [];
    const sent: Promise<unknown>[] = [run("BEGIN"), run(LOCK)];
    for (const { name, id, value, description, now } of group) {
      sent.push(run(UPSERT, [name, id, value, description, now]));
      const [{ number, hash: former } = { number: 0, hash: "" }] = await run(HEAD);
      const entry = `${String(now).padStart(16, "0")}${id}`;
      const next = hash(`${former} ${number + 1} ${entry} key secret.upsert ${name} ok 127.0.0.1 {} ${now}`);
      sent.push(run(ADD, [entry, number + 1, name, now, next]), run(PUT_HEAD, [number + 1, next]));
    }
    sent.push(run("COMMIT"));
    await Promise.all(sent);
    for (const { done } of group) done.resolve();
  }
  isRunning = false;
}

function written(write: Omit<Write, "done">): Promise<void> {
  const done = Promise.withResolvers<void>();
  queue.push({ ...write, done });
  if (!isRunning) {
    isRunning = true;
    setImmediate(() => void work());
  }
  return done.promise;
}

function hash(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}
const known = hash(`Bearer ${key}`);

await serve(async (request) => {
  if (hash(request.headers.get("authorization") ?? "") !== known) return new Response("no", { status: 401 });
  const name = request.url.slice(request.url.lastIndexOf("/") + 1);
  const { value, description }: Pick<Write, "value" | "description"> = JSON.parse(await request.text());
  const id = crypto.randomUUID();
  const now = Date.now();
  await written({ name, id, value, description, now });
  const updated_at = new Date(now).toISOString();
  return new Response(JSON.stringify({ id, key: name, description, updated_at }), {
    headers: { "content-type": "application/json", "cache-control": "no-store", "x-request-id": id },
  });
});
