// The platform of the bench's tool: returns a small record to any request with a token.
import { serve } from "./serve";

const record = JSON.stringify({
  ok: true,
  id: "1234567890123456789",
  name: "record",
  tags: ["one", "two", "three"],
});
const init = { headers: { "content-type": "application/json" } };

await serve((request) =>
  request.headers.get("authorization")?.startsWith("Bearer ") === true
    ? new Response(record, init)
    : new Response("no token", { status: 401 }),
);
