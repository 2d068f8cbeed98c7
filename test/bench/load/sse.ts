// Load over the older MCP transport, where requests are posted and answers are sent on a separate stream:
// `bun sse.ts PORT TOOL CONNECTIONS WARMUP_MS MEASURE_MS` prints the answers per second.
const [port = "", tool = "", connections = "1", warmupMs = "0", measureMs = "0"] = process.argv.slice(2);
const origin = `http://127.0.0.1:${port}`;

let answers = 0;
let over = false;

/** One client: a stream, and always one pending request. */
async function client(): Promise<void> {
  const stream = await fetch(`${origin}/mcp`, { headers: { accept: "text/event-stream" } });
  if (stream.body === null) throw new Error("no stream");
  let endpoint = "";
  let sent = 0;
  const send = async (message: object): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const headers = { "content-type": "application/json" };
    await (await fetch(origin + endpoint, { method: "POST", headers, body })).arrayBuffer();
  };
  const call = (): Promise<void> =>
    send({ id: ++sent, method: "tools/call", params: { name: tool, arguments: {} } });
  for await (const { event, data } of eventsOf(stream.body)) {
    if (over) return;
    if (event === "endpoint") {
      endpoint = data;
      const clientInfo = { name: "bench", version: "1.0.0" };
      const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo };
      void send({ id: 0, method: "initialize", params });
    } else if (data.includes('"serverInfo"')) {
      await send({ method: "notifications/initialized" });
      void call();
    } else if (data.includes("done")) {
      answers++;
      void call();
    } else if (data.includes('"id"')) {
      throw new Error(`an answer was not as expected: ${data.slice(0, 600)}`);
    }
  }
}

async function* eventsOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ event: string; data: string }> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const text of events) {
      yield {
        event: /^event: (.*)$/m.exec(text)?.[1] ?? "message",
        data: /^data: (.*)$/m.exec(text)?.[1] ?? "",
      };
    }
  }
}

const failure = Promise.all(Array.from({ length: Number(connections) }, client));
await Promise.race([Bun.sleep(Number(warmupMs)), failure]);
const before = answers;
const begun = performance.now();
await Promise.race([Bun.sleep(Number(measureMs)), failure]);
process.stdout.write(`${((answers - before) * 1000) / (performance.now() - begun)}\n`);
over = true;
process.exit();

export {};
