// The minimal work of a gateway to a model on bare Bun: the hash of the key, one read, the request to the model server,
// one row in a log, and the answer passed on. `bun chat-floor.ts DATABASE
// UPSTREAM KEY`
import { Database } from "bun:sqlite";
import { serve } from "./serve";

const [file = "", upstream = "", key = ""] = process.argv.slice(2);
const database = new Database(file, { create: true, strict: true });
database.run("PRAGMA journal_mode=WAL");
database.run("PRAGMA synchronous=NORMAL");
database.run("CREATE TABLE keys (hash TEXT PRIMARY KEY, project_id TEXT NOT NULL, model_key TEXT) STRICT");
database.run("CREATE TABLE log (id TEXT PRIMARY KEY, model TEXT, at INTEGER) STRICT");
database.query("INSERT INTO keys VALUES (?, 'default', 'key-of-the-model')").run(hash(key));
const find = database.query<{ model_key: string }, [string]>("SELECT model_key FROM keys WHERE hash = ?");
const log = database.query("INSERT INTO log VALUES (?, ?, ?)");

function hash(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}

await serve(async (request) => {
  const text = await request.text();
  const { model }: { model: string } = JSON.parse(text);
  const credential = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
  const known = find.get(hash(credential));
  if (known === null) return new Response("forbidden", { status: 403 });
  const answer = await fetch(`${upstream}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${known.model_key}`, "content-type": "application/json" },
    body: text,
  });
  log.run(crypto.randomUUID(), model, Date.now());
  return new Response(answer.body, {
    headers: { "content-type": answer.headers.get("content-type") ?? "application/json" },
  });
});
