// The model server of the chat benches: an immediate short answer, whole or as a stream.
import { serve } from "./serve";

const whole = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "bench-model",
  choices: [
    { index: 0, message: { role: "assistant", content: "The answer of the bench." }, finish_reason: "stop" },
  ],
  usage: { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 },
});
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "bench-model",
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;
const first = new TextEncoder().encode(chunk({ role: "assistant", content: "The answer" }, null));
const rest = new TextEncoder().encode(`${chunk({ content: " of the bench." }, "stop")}data: [DONE]\n\n`);

await serve(async (request) => {
  const { stream }: { stream?: boolean } = JSON.parse(await request.text());
  if (stream !== true) return new Response(whole, { headers: { "content-type": "application/json" } });
  let begun = false;
  const body = new ReadableStream({
    async pull(controller) {
      if (!begun) {
        begun = true;
        controller.enqueue(first);
        return;
      }
      // The rest follows later, as from a model: the first event is measured.
      await Bun.sleep(1);
      controller.enqueue(rest);
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
});
