// A bare Bun program that reads one record: the hash of the key, one row, and an answer with our headers and bytes. No
// rules, no trace. `bun get-floor.ts DATABASE KEY ID RECORD`
import { Database } from "bun:sqlite";
import { PROJECT } from "../deployment";
import { stay } from "./serve";

const [file = "", key = "", id = "", record = ""] = process.argv.slice(2);
const database = new Database(file, { readonly: true, strict: true });
const find = database.query<{ id: string }, [string, string]>(
  "SELECT id, type, description, status, oauth2 FROM auth_providers WHERE project_id = ? AND id = ?",
);
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
    "/v1/admin/auth_providers/:id": (request) => {
      const credential = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
      const project = keys.get(hash(credential));
      const row = project === undefined ? null : find.get(project, request.params.id);
      if (row === null) return new Response("not found", { status: 404 });
      answers += 1;
      return new Response(records.get(row.id), {
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
