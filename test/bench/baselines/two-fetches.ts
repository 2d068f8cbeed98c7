// Two bare `fetch` calls to a webhook server, one after the other, or none. Argument: its port.
import { serve } from "./serve";

const address = `http://127.0.0.1:${process.argv[2]}`;
// The request of a pre hook about the bench's tool.
const behavior = {
  operations: ["read"],
  read_only: true,
  destructive: false,
  idempotent: true,
  open_world: true,
};
const body = JSON.stringify({
  execution_id: "tc_01234567890abcdef01234567890abcdef",
  tool: { name: "Fetch", toolkit: "Bench", version: "1.0.0", metadata: { behavior } },
  context: {
    authorization: [{ provider_id: "bench", oauth2: { scopes: ["bench.read", "bench.write"] } }],
    secrets: [],
    metadata: {},
    user_id: "user-0000001@example.test",
  },
  inputs: { text: "hello" },
});
const init = {
  method: "POST",
  body,
  headers: { "content-type": "application/json", authorization: "Bearer x" },
};

await serve(async (request) => {
  if (request.url.endsWith("/none")) return new Response("none");
  await (await fetch(`${address}/pre`, init)).json();
  return Response.json(await (await fetch(`${address}/post`, init)).json());
});
