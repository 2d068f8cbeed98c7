// The minimal work of reading a record on bare Bun: a route with a parameter, the credential's header, a record by name,
// and an answer with our headers. No rules, no cache invalidation, no trace. `bun get-floor.ts KEY ID RECORD`
import { stay } from "./serve";

const [key = "", id = "", record = ""] = process.argv.slice(2);
const keys = new Map([[`Bearer ${key}`, new Map([[id, record]])]]);
let answers = 0;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/v1/admin/auth_providers/:id": (request) => {
      const found = keys.get(request.headers.get("authorization") ?? "")?.get(request.params.id);
      if (found === undefined) return new Response("not found", { status: 404 });
      answers += 1;
      return new Response(found, {
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
