// The model server of the memory benches: streams that never wait, and whole answers of 45 MB.
import { serve } from "./serve";

const WHOLE_BYTES = 45_000_000;
const STREAM_BYTES = 200_000_000;

const message = { role: "assistant", content: "y".repeat(WHOLE_BYTES) };
const whole = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "bench-model",
  choices: [{ index: 0, message, finish_reason: "stop" }],
});
const delta = { choices: [{ index: 0, delta: { content: "x".repeat(1000) }, finish_reason: null }] };
const block = new TextEncoder().encode(`data: ${JSON.stringify(delta)}\n\n`.repeat(60));

await serve(async (request) => {
  const { stream }: { stream?: boolean } = JSON.parse(await request.text());
  if (stream !== true) return new Response(whole, { headers: { "content-type": "application/json" } });
  let sent = 0;
  const body = new ReadableStream({
    type: "direct",
    async pull(controller: ReadableStreamDirectController) {
      for (; sent < STREAM_BYTES; sent += block.byteLength) {
        controller.write(block);
        await controller.flush(true);
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
});
