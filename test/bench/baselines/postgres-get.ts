// A bare Bun program that reads one record from PostgreSQL: the hash of the key, one row, and an answer with our headers and
// bytes. `bun postgres-get.ts URL SCHEMA KEY ID RECORD`
import { SQL } from "bun";
import { PROJECT } from "../deployment";
import { stay } from "./serve";

const [url = "", schema = "", key = "", id = "", record = ""] = process.argv.slice(2);
const sql = new SQL({ url, max: 7 });
const find =
  "SELECT id, type, description, status, oauth2 " +
  `FROM ${schema}.auth_providers WHERE project_id = $1 AND id = $2`;
const records = new Map([[id, record]]);
const keys = new Map([[hash(key), PROJECT]]);
let answers = 0;

function hash(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/v1/admin/auth_providers/:id": async (request) => {
      const credential = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
      const project = keys.get(hash(credential));
      const rows =
        project === undefined ? [] : await sql.unsafe<{ id: string }[]>(find, [project, request.params.id]);
      const found = rows[0];
      if (found === undefined) return new Response("not found", { status: 404 });
      answers += 1;
      return new Response(records.get(found.id), {
        headers: {
          "content-type": "application/json",
          "cache-control": "no-store",
          "x-request-id": String(answers),
        },
      });
    },
  },
});
await stay(server);
