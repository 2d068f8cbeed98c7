// Bare Bun and PostgreSQL for an execution, over REST and as a hand-written MCP server: the hash of the key, one read, the
// request to the platform, one row in a log, which is not waited for. `bun postgres-floor.ts URL UPSTREAM KEY USER…`
import { SQL } from "bun";
import { serve } from "./serve";

const [url = "", upstream = "", key = "", ...users] = process.argv.slice(2);
const sql = new SQL({ url, max: 7 });
const log = await new SQL({ url, max: 1 }).reserve();
await log
  .unsafe(
    `SET synchronous_commit = off;
     CREATE SCHEMA bare_floor;
     CREATE TABLE bare_floor.keys (hash TEXT PRIMARY KEY, project_id TEXT NOT NULL);
     CREATE TABLE bare_floor.grants (project_id TEXT, user_id TEXT, token TEXT, PRIMARY KEY (project_id, user_id));
     CREATE TABLE bare_floor.log (id TEXT PRIMARY KEY, user_id TEXT, tool TEXT, at BIGINT)`,
  )
  .simple();
await log.unsafe("INSERT INTO bare_floor.keys VALUES ($1, 'default')", [hash(key)]);
for (const user of users)
  await log.unsafe("INSERT INTO bare_floor.grants VALUES ('default', $1, $2)", [user, `token-of-${user}`]);

const FIND =
  "SELECT token FROM bare_floor.keys JOIN bare_floor.grants USING (project_id) WHERE hash = $1 AND user_id = $2";
const LOG = "INSERT INTO bare_floor.log VALUES ($1, $2, $3, $4)";

function hash(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}

/** The value of the platform; undefined: the key may not act for the user. */
async function execute(request: Request, user: string, tool: string, id: string): Promise<unknown> {
  const credential = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
  const [grant] = await sql.unsafe<{ token: string }[]>(FIND, [hash(credential), user]);
  if (grant === undefined) return undefined;
  const answer = await fetch(`${upstream}/record`, { headers: { authorization: `Bearer ${grant.token}` } });
  const value: unknown = JSON.parse(await answer.text());
  void log.unsafe(LOG, [id, user, tool, Date.now()]).execute();
  return value;
}

await serve(async (request) => {
  const call = JSON.parse(await request.text());
  const id = crypto.randomUUID();
  const isMcp = call.jsonrpc === "2.0";
  const user = isMcp ? (request.headers.get("x-user-id") ?? "") : call.user_id;
  const value = await execute(request, user, isMcp ? call.params.name : call.tool_name, id);
  if (value === undefined) return new Response("forbidden", { status: 403 });
  const text = JSON.stringify(value);
  const body = isMcp
    ? {
        jsonrpc: "2.0",
        id: call.id,
        result: { content: [{ type: "text", text }], structuredContent: { value } },
      }
    : { id, status: "completed", success: true, output: { value } };
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
});
