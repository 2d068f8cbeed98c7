// A slow reader of a streamed completion slows the model server down: this server does not collect what is not read.
import { createServer } from "node:net";
import { expect, test } from "bun:test";
import { chunk, DONE, frame } from "../sandbox/models/chat-server";
import { asking, startChatSite } from "../support/chat-site";

const BLOCK = Buffer.from(frame(chunk({ content: "x".repeat(10_000) })).repeat(100));
/** More than the buffers of the operating system hold. */
const BLOCKS = 150;

test("a stream is sent only as fast as its reader takes it, and arrives whole", async () => {
  const sent = { blocks: 0 };
  await using upstream = await fastServer(sent);
  await using chat = await startChatSite({
    environment: { RUNTIME_EGRESS_MAX_BYTES: String(BLOCKS * BLOCK.byteLength * 2) },
    models: [{ id: "fast", models: ["fast"], openai: { base_url: upstream.url } }],
  });
  const answer = await chat.send({ ...asking({ stream: true }), model: "fast" });
  const reader = answer.body?.getReader();
  await reader?.read();

  await standstill(sent);
  expect(sent.blocks).toBeLessThan(BLOCKS);

  let last: Uint8Array | undefined;
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) last = next.value;
  expect(sent.blocks).toBe(BLOCKS);
  expect(new TextDecoder().decode(last)).toEndWith(DONE);
});

/** Waits until the server sends no more. */
async function standstill(sent: { readonly blocks: number }): Promise<void> {
  for (let before = -1; sent.blocks !== before;) {
    before = sent.blocks;
    await Bun.sleep(500);
  }
}

async function fastServer(sent: { blocks: number }) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n",
      );
      const go = (): void => {
        while (sent.blocks < BLOCKS) {
          sent.blocks++;
          if (!socket.write(chunked(BLOCK))) return void socket.once("drain", go);
        }
        socket.end(Buffer.concat([chunked(Buffer.from(DONE)), Buffer.from("0\r\n\r\n")]));
      };
      go();
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

function chunked(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}
