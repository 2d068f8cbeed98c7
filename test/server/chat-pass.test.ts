// Chat completions without tools: bytes pass both ways, and an invalid answer becomes an error that helps.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chunk, completion, DONE, frame, speak, startStream, type Turn } from "../sandbox/models/chat-server";
import { at } from "../support/api";
import { asking, type ChatSite, startChatSite, UPSTREAM_KEY } from "../support/chat-site";

let chat: ChatSite;
beforeAll(async () => {
  chat = await startChatSite({ strict: false, environment: { RUNTIME_LLM_TIMEOUT: "2" } });
});
afterAll(() => chat[Symbol.asyncDispose]());

describe("a request", () => {
  test("reaches the upstream byte for byte, with our key and not the caller's", async () => {
    const text = `{ "model":"test-model","messages":[{"role":"user","content":"h\\u00e9 \u{1F600}"}],  "future":{"n":12345678901234567890}}`;
    await chat.send(text);
    const exchange = chat.upstream.exchanges.at(-1);
    expect([exchange?.text, exchange?.path, exchange?.headers["authorization"]]).toEqual([
      text,
      "/v1/chat/completions",
      `Bearer ${UPSTREAM_KEY}`,
    ]);
  });

  test.each([
    ["entry/model", "local/test-model", "test-model"],
    ["the entry", "local", "test-model"],
    ["a listed model", "other-model", "other-model"],
  ])("names %s", async (_, model, sent) => {
    const answer = await chat.ask(asking({ model }));
    expect([answer.status, chat.upstream.requests.at(-1)?.model]).toEqual([200, sent]);
  });

  test("changes nothing but the model's name where the entry is named too", async () => {
    await chat.send(
      `{"x":{"model":"m"}, "model" : "local/test-model" ,"messages":[{"role":"user","content":"hi"}]}`,
    );
    expect(chat.upstream.exchanges.at(-1)?.text).toBe(
      `{"x":{"model":"m"}, "model" :"test-model","messages":[{"role":"user","content":"hi"}]}`,
    );
  });

  test("for an unknown model is refused with the nearest name", async () => {
    const answer = await chat.ask(asking({ model: "test-modle" }));
    expect([answer.status, at(answer.body, "name"), at(answer.body, "message")]).toEqual([
      400,
      "invalid_parameter",
      `model: unknown model. Did you mean "test-model"?`,
    ]);
  });

  test.each([
    ["no fields [fault: caller-mistakes]", {}, "model is required"],
    ["no messages [fault: caller-mistakes]", { model: "test-model" }, "messages is required"],
    ["an empty list of messages [fault: caller-mistakes]", { ...asking(), messages: [] }, "messages"],
    [
      "an unknown role [fault: caller-mistakes]",
      { ...asking(), messages: [{ role: "narrator", content: "x" }] },
      "messages.0.role",
    ],
    ["tools as an object [fault: caller-mistakes]", asking({ tools: {} }), "tools"],
    ["a temperature in words [fault: caller-mistakes]", asking({ temperature: "hot" }), "temperature"],
    ["65 tools", asking({ tools: Array(65).fill("Chat.WhoAmI") }), "tools"],
    ["content of a number", { ...asking(), messages: [{ role: "user", content: 7 }] }, "messages.0.content"],
  ])("with %s is refused at once, naming the field", async (_, body, field) => {
    const before = chat.upstream.exchanges.length;
    const answer = await chat.ask(body);
    expect(answer.status).toBe(400);
    expect(at(answer.body, "message")).toContain(field);
    expect(chat.upstream.exchanges.length).toBe(before);
  });

  // What is not ours to judge passes whole.
  test.each([
    ["the role developer [fault: caller-mistakes]", [{ role: "developer", content: "Be brief." }]],
    [
      "an image [fault: content-parts]",
      [
        {
          role: "user",
          content: [
            { type: "text", text: "?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          ],
        },
      ],
    ],
    [
      "parts in an assistant's message [fault: content-parts]",
      [{ role: "assistant", content: [{ type: "text", text: "x" }] }],
    ],
    [
      "parts in a tool's message [fault: content-parts]",
      [{ role: "tool", tool_call_id: "c", content: [{ type: "text", text: "x" }] }],
    ],
    [
      "null with tool calls [fault: content-parts]",
      [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
        },
      ],
    ],
  ])("with %s passes whole", async (_, messages) => {
    expect((await chat.ask({ model: "test-model", messages })).status).toBe(200);
    expect(chat.upstream.requests.at(-1)?.messages as unknown).toEqual(messages);
  });
});

describe("an answer", () => {
  test("comes back byte for byte", async () => {
    const text = `{"id":"x", "choices":[ ],"n":12345678901234567890,"t":"\\u00e9 \u{1F600}"}`;
    chat.upstream.script((_request, reply) => reply.send(200, { "content-type": "application/json" }, text));
    const answer = await chat.send(asking());
    expect([await answer.text(), answer.headers.get("content-type")]).toEqual([text, "application/json"]);
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  });

  test("that was compressed comes back readable", async () => {
    const text = JSON.stringify(completion({ content: "Hello." }));
    chat.upstream.script((_request, reply) =>
      reply.send(200, { "content-type": "application/json", "content-encoding": "gzip" }, Bun.gzipSync(text)),
    );
    const answer = await chat.send(asking());
    expect([await answer.text(), answer.headers.get("content-encoding")]).toEqual([text, null]);
  });

  test("that streams comes back byte for byte, with the type of a stream", async () => {
    const parts = [
      "data:",
      ` {"choices":[{"delta":{"content":"a"}}]}\r\n\r\n`,
      ": note\n\n",
      "data: [DO",
      "NE]\n\n",
    ];
    chat.upstream.script(async (_request, reply) => {
      startStream(reply);
      for (const part of parts) {
        reply.write(part);
        await Bun.sleep(5);
      }
      reply.end();
    });
    const answer = await chat.send(asking({ stream: true }));
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await answer.text()).toBe(parts.join(""));
  });

  test("that streams is not collected: each event comes when it is sent", async () => {
    const more = Promise.withResolvers<void>();
    chat.upstream.script(async (_request, reply) => {
      startStream(reply);
      reply.write(frame(chunk({ content: "first" })));
      await more.promise;
      reply.write(frame(chunk({ content: "second" }, "stop")) + DONE);
      reply.end();
    });
    const answer = await chat.send(asking({ stream: true }));
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain("first");
    more.resolve();
    expect((await reader?.read())?.value).toContain("second");
  });
});

describe("instead of an answer", () => {
  const html = { "content-type": "text/html" };
  const rows: [what: string, turn: Turn, status: number, name: string, message: string][] = [
    [
      "a refusal of the request",
      (_, reply) => reply.json(400, { error: { message: "max_tokens is too large" } }),
      400,
      "invalid_parameter",
      "max_tokens is too large",
    ],
    [
      "an unknown model",
      (_, reply) => reply.json(404, { error: { message: "no such model" } }),
      400,
      "invalid_parameter",
      "no such model",
    ],
    [
      "a refusal of our key",
      (_, reply) => reply.json(401, { error: { message: `bad key ${UPSTREAM_KEY}` } }),
      500,
      "internal_error",
      "(401)",
    ],
    [
      "a failure in JSON",
      (_, reply) => reply.json(503, { error: { message: "overloaded" } }),
      500,
      "internal_error",
      "(503). Its message: overloaded",
    ],
    [
      "a failure as a page",
      (_, reply) => reply.send(502, html, "<h1>Bad Gateway</h1>"),
      500,
      "internal_error",
      "(502)",
    ],
    [
      "a page",
      (_, reply) => reply.send(200, html, "<h1>Welcome</h1>"),
      500,
      "internal_error",
      "200 with something that is not JSON (text/html)",
    ],
    ["nothing", (_, reply) => reply.send(200, {}, ""), 500, "internal_error", "200 with an empty body"],
    [
      "half of the JSON",
      (_, reply) => reply.send(200, { "content-type": "application/json" }, `{"choices":[{"ind`),
      500,
      "internal_error",
      "200 with something that is not JSON",
    ],
    ["silence", () => undefined, 504, "gateway_timeout", "did not answer within 2 s"],
    ["a reset", (_, reply) => reply.reset(), 500, "internal_error", "closed the connection"],
  ];
  test.each(rows)("%s is an error that says so", async (_what, turn, status, name, message) => {
    chat.upstream.script(turn);
    const answer = await chat.ask(asking());
    expect([answer.status, at(answer.body, "name")]).toEqual([status, name]);
    expect(at(answer.body, "message")).toContain(message);
    expect(answer.text).not.toContain("<h1>");
    expect(answer.text).not.toContain(UPSTREAM_KEY);
    // The form that clients of language models read.
    expect(at(answer.body, "error.message")).toBe(at(answer.body, "message"));
  });

  test.each(rows)("%s of a stream is an error before the first byte", async (_what, turn, status, name) => {
    chat.upstream.script(turn);
    const answer = await chat.ask(asking({ stream: true }));
    expect([answer.status, at(answer.body, "name")]).toEqual([status, name]);
  });

  test("too many requests say when to go on", async () => {
    chat.upstream.script((_request, reply) =>
      reply.json(429, { error: { message: "slow down" } }, { "retry-after": "7" }),
    );
    const answer = await chat.ask(asking());
    expect([answer.status, answer.headers.get("retry-after"), at(answer.body, "name")]).toEqual([
      429,
      "7",
      "rate_limited",
    ]);
  });

  test("too many requests say when to go on, from a date as well", async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    chat.upstream.script((_request, reply) => reply.json(429, {}, { "retry-after": date }));
    const seconds = Number((await chat.ask(asking({ stream: true }))).headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
  });
});

describe("a stream that breaks off", () => {
  const three = ["a", "b", "c"].map((content) => frame(chunk({ content }))).join("");
  test.each<[string, Turn]>([
    [
      "by a reset",
      (_, reply) => void (startStream(reply), reply.write(three), setTimeout(() => reply.reset(), 50)),
    ],
    [
      "with its process",
      (_, reply) => void (startStream(reply), reply.write(three), setTimeout(() => reply.close(), 50)),
    ],
    ["without a reason", (_, reply) => void (startStream(reply), reply.write(three), reply.end())],
    ["by silence", (_, reply) => void (startStream(reply), reply.write(three))],
  ])("%s ends with an error event and never looks complete", async (_, turn) => {
    chat.upstream.script(turn);
    chat.site.logLines.length = 0;
    const answer = await chat.send(asking({ stream: true }));
    const text = await answer.text();
    expect([answer.status, text.startsWith(three), text.includes("[DONE]")]).toEqual([200, true, false]);
    const last: unknown = JSON.parse(
      text
        .trimEnd()
        .split("\n\n")
        .at(-1)
        ?.replace(/^data: /, "") ?? "",
    );
    expect(at(last, "error.type")).toMatch(/internal_error|gateway_timeout/);
    expect(chat.site.logLines.join("\n")).toContain("stream of a chat completion failed");
  });

  test("passes on an error inside of it, and a first frame that is an error is one by status", async () => {
    const inside = frame({ error: { message: "overloaded", code: 503 } });
    chat.upstream.script(
      (_request, reply) => void (startStream(reply), reply.write(three), reply.write(inside), reply.end()),
    );
    expect(await (await chat.send(asking({ stream: true }))).text()).toStartWith(three + inside);
    chat.upstream.script((_request, reply) => void (startStream(reply), reply.write(inside), reply.end()));
    expect((await chat.ask(asking({ stream: true }))).status).toBe(500);
  });
});

describe("a caller that hangs up", () => {
  test.each([
    ["before an answer [fault: client-hangs-up]", false],
    ["before the first event", true],
  ])("%s closes the upstream's connection", async (_, stream) => {
    chat.upstream.script(() => undefined);
    const count = chat.upstream.exchanges.length;
    const caller = new AbortController();
    const sent = chat.send(asking({ stream }), { signal: caller.signal }).catch(() => undefined);
    while (chat.upstream.exchanges.length === count) await Bun.sleep(5);
    caller.abort();
    const closed = chat.upstream.exchanges.at(-1)?.closed.then(() => "closed");
    expect(await closed).toBe("closed");
    await sent;
  });

  test("in the middle of a stream does so as well [fault: client-hangs-up]", async () => {
    chat.upstream.script(
      (_request, reply) => void (startStream(reply), reply.write(frame(chunk({ content: "a" })))),
    );
    const caller = new AbortController();
    const answer = await chat.send(asking({ stream: true }), { signal: caller.signal });
    chat.site.logLines.length = 0;
    await answer.body?.getReader().read();
    caller.abort();
    const closed = chat.upstream.exchanges.at(-1)?.closed.then(() => "closed");
    expect(await closed).toBe("closed");
    await Bun.sleep(20);
    expect(chat.site.logLines.join("\n")).not.toContain("chat completion failed");
  });
});

test("the key of a model server is in no answer and in no line of the log", async () => {
  chat.upstream.script((request, reply) => speak(reply, { content: String(request.model) }));
  await chat.send(asking({ stream: true }));
  expect(chat.site.logLines.join("\n")).toContain("outbound request");
  expect(chat.site.logLines.join("\n")).not.toContain(UPSTREAM_KEY);
});
