// The main job, and ordinary chat requests, with the client that `@hey-api/openapi-ts` makes of the description.
// Type-checked and run by generated-clients.judge.ts, which puts the folder `generated` next to it.
import { authStatus, toolAuthorize, toolExecute } from "./generated";
import { createClient } from "./generated/client";

const [baseUrl = "", key = ""] = process.argv.slice(2);
const client = createClient({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const asked = { tool_name: "Chat.SendMessage", user_id: "alice" };
const { data: consent } = await toolAuthorize({ client, body: asked });
console.log(JSON.stringify({ url: consent?.url }));
for await (const _ of console) break;
const { data: status } = await authStatus({ client, query: { id: consent?.id ?? "", wait: 45 } });
const { data: ran } = await toolExecute({
  client,
  body: { ...asked, input: { channel_name: "general", message: "hey-api" } },
});
const { error, response } = await toolExecute({
  client,
  body: { ...asked, user_id: "bob", input: { channel_name: "general", message: "no" } },
});
console.log(
  JSON.stringify({ status: status?.status, success: ran?.success, refused: [response?.status, error?.name] }),
);

process.exit(0);
