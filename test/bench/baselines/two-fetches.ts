// Two bare `fetch` calls to a webhook server, one after the other, or none. Argument: its port.
import { serve } from "./serve";

const address = `http://127.0.0.1:${process.argv[2]}`;
// As large as the questions of hooks are.
const body = JSON.stringify({
  execution_id: "tc_01234567890abcdef01234567890abcdef",
  tool: {
    name: "Fetch",
    toolkit: "Bench",
    version: "1.0.0",
    metadata: { behavior: { operations: ["read"] } },
  },
  inputs: { text: "hello" },
  context: { authorization: [], secrets: [], metadata: {}, user_id: "user-0000001@example.test" },
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
