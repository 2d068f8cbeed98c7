// The minimal work of an execution on bare Bun: the hash of the key, one read, the request to the platform, one row in
// a log. `bun floor.ts DATABASE UPSTREAM KEY USER…`
import { Database } from "bun:sqlite";
import { serve } from "./serve";

const [file = "", upstream = "", key = "", ...users] = process.argv.slice(2);
const database = new Database(file, { create: true, strict: true });
database.run("PRAGMA journal_mode=WAL");
database.run("PRAGMA synchronous=NORMAL");
database.run("CREATE TABLE keys (hash TEXT PRIMARY KEY, project_id TEXT NOT NULL) STRICT");
database.run(
  "CREATE TABLE grants (project_id TEXT, user_id TEXT, token TEXT, PRIMARY KEY (project_id, user_id)) STRICT",
);
database.run("CREATE TABLE log (id TEXT PRIMARY KEY, user_id TEXT, tool TEXT, at INTEGER) STRICT");

const addKey = database.query("INSERT INTO keys VALUES (?, 'default')");
const addGrant = database.query("INSERT INTO grants VALUES ('default', ?, ?)");
const find = database.query<{ token: string }, [string, string]>(
  "SELECT token FROM keys JOIN grants USING (project_id) WHERE hash = ? AND user_id = ?",
);
const log = database.query("INSERT INTO log VALUES (?, ?, ?, ?)");

addKey.run(hash(key));
for (const user of users) addGrant.run(user, `token-of-${user}`);

function hash(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}

interface Call {
  tool_name: string;
  user_id: string;
  input: { text: string };
}

await serve(async (request) => {
  const call: Call = JSON.parse(await request.text());
  const credential = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
  const grant = find.get(hash(credential), call.user_id);
  if (grant === null) return new Response("forbidden", { status: 403 });
  const answer = await fetch(`${upstream}/record`, { headers: { authorization: `Bearer ${grant.token}` } });
  const value: unknown = JSON.parse(await answer.text());
  const id = crypto.randomUUID();
  log.run(id, call.user_id, call.tool_name, Date.now());
  return new Response(JSON.stringify({ id, status: "completed", success: true, output: { value } }), {
    headers: { "content-type": "application/json" },
  });
});
