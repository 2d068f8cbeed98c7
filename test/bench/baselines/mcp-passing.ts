// A bare proxy in front of an MCP server: the hash of the key, one read, the request passed on, its stream passed back, and
// one row in a log. `bun mcp-passing.ts DATABASE UPSTREAM KEY USER…`
import { Database } from "bun:sqlite";
import { serve } from "./serve";

const [file = "", upstream = "", key = "", ...users] = process.argv.slice(2);
const database = new Database(file, { create: true, strict: true });
database.run("PRAGMA journal_mode=WAL");
database.run("PRAGMA synchronous=NORMAL");
database.run("CREATE TABLE keys (hash TEXT PRIMARY KEY, project_id TEXT NOT NULL) STRICT");
database.run(
  "CREATE TABLE sessions (project_id TEXT, user_id TEXT, session TEXT, PRIMARY KEY (project_id, user_id)) STRICT",
);
database.run("CREATE TABLE log (id TEXT PRIMARY KEY, user_id TEXT, tool TEXT, at INTEGER) STRICT");

const addSession = database.query("INSERT INTO sessions VALUES ('default', ?, ?)");
const find = database.query<{ session: string }, [string, string]>(
  "SELECT session FROM keys JOIN sessions USING (project_id) WHERE hash = ? AND user_id = ?",
);
const log = database.query("INSERT INTO log VALUES (?, ?, ?, ?)");

database.query("INSERT INTO keys VALUES (?, 'default')").run(hash(key));
for (const user of users) addSession.run(user, await sessionAt(upstream));

function hash(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}

async function sessionAt(address: string): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "p", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const response = await fetch(address, { method: "POST", body });
  await response.arrayBuffer();
  return response.headers.get("mcp-session-id") ?? "";
}

await serve(async (request) => {
  const credential = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
  const user = request.headers.get("x-user-id") ?? "";
  const row = find.get(hash(credential), user);
  if (row === null) return new Response("forbidden", { status: 403 });
  const response = await fetch(upstream, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": row.session,
    },
    body: await request.text(),
  });
  log.run(crypto.randomUUID(), user, "Nothing", Date.now());
  return new Response(response.body, { headers: { "content-type": "text/event-stream" } });
});
