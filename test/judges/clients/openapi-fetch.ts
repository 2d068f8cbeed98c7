// The main job, and ordinary chat requests, with the client that `openapi-typescript` and `openapi-fetch` make of the
// description. Type-checked and run by generated-clients.judge.ts, which puts `schema.d.ts` next to it.
import createClient from "openapi-fetch";
import type { paths } from "./schema";

const [baseUrl = "", key = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const asked = { tool_name: "Chat.SendMessage", user_id: "alice" };
const { data: consent } = await client.POST("/v1/tools/authorize", { body: asked });
console.log(JSON.stringify({ url: consent?.url }));
for await (const _ of console) break;
const { data: status } = await client.GET("/v1/auth/status", {
  params: { query: { id: consent?.id ?? "", wait: 45 } },
});
const { data: ran } = await client.POST("/v1/tools/execute", {
  body: { ...asked, input: { channel_name: "general", message: "openapi-fetch" } },
});
const { error, response } = await client.POST("/v1/tools/execute", {
  body: { ...asked, user_id: "bob", input: { channel_name: "general", message: "no" } },
});
console.log(
  JSON.stringify({ status: status?.status, success: ran?.success, refused: [response.status, error?.name] }),
);

process.exit(0);
