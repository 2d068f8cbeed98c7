// A collector of traces that reads what it gets and keeps nothing.
import { serve } from "./serve";

await serve(async (request) => {
  await request.arrayBuffer();
  return new Response(new Uint8Array(), { headers: { "content-type": "application/x-protobuf" } });
});
