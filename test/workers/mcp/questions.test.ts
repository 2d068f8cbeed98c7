// Questions of MCP servers to users, through callers that can ask them.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/base";
import { type Caller, InputNeeded, type InputRequest } from "../../../src/tools";
import { events, result, TEXT, Upstream } from "../../support/mcp-upstream";
import { kindOf, ran, storedTool, workerAt } from "./worker";

const QUESTION = {
  method: "elicitation/create",
  params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
};
const ANSWER = { action: "accept", content: { sure: true } };

function callerWith(more: Partial<Caller> = {}): Caller {
  return {
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    answers: {},
    state: undefined,
    progress: () => undefined,
    asks: () => undefined,
    ...more,
  };
}

function modernServer(inputRequests: object, state?: string): Upstream {
  return new Upstream({
    family: "modern",
    methods: {
      "tools/call": ({ params }) =>
        params["inputResponses"] === undefined
          ? {
              resultType: "input_required",
              inputRequests,
              ...(state === undefined ? {} : { requestState: state }),
            }
          : TEXT(JSON.stringify([params["inputResponses"], params["requestState"]])),
    },
  });
}

describe("a server of revision 2026-07-28", () => {
  const call = async (server: Upstream, caller?: Caller): Promise<unknown> =>
    (
      await ran(
        kindOf(),
        workerAt(server.url),
        storedTool("t"),
        {},
        caller === undefined ? {} : { context: { caller } },
      )
    ).value;

  test("learns only that the user can be asked", async () => {
    await using server = modernServer({});
    server.options.methods = { "tools/call": () => TEXT("ok") };

    await call(server, callerWith());
    await call(server);

    expect(
      server
        .calls("tools/call")
        .map(({ params }) => Object(params["_meta"])["io.modelcontextprotocol/clientCapabilities"]),
    ).toEqual([{ elicitation: { form: {} } }, {}]);
  });

  test.each([["state of the server"], [undefined]])(
    "gets the answers in the next run (its state: %p)",
    async (state) => {
      await using server = modernServer({ q: QUESTION }, state);

      const need: unknown = await call(server, callerWith()).catch((error: unknown) => error);
      if (!(need instanceof InputNeeded)) throw new Error("nothing was asked");
      const value = await call(server, callerWith({ answers: { q: ANSWER }, state: need.state }));

      expect(need.requests).toEqual({ q: QUESTION } as unknown as Record<string, InputRequest>);
      expect(value).toEqual([{ q: ANSWER }, state ?? null]);
    },
  );

  test("gets no answers to questions of another worker", async () => {
    await using server = modernServer({ q: QUESTION });

    const asked = call(
      server,
      callerWith({ answers: { q: ANSWER }, state: { worker: "another", upstream: "x" } }),
    );

    await expect(asked).rejects.toBeInstanceOf(InputNeeded);
    expect(server.calls("tools/call")[0]?.params["requestState"]).toBeUndefined();
  });

  test("is told at once by a client that can be asked while the call runs", async () => {
    await using server = modernServer({ q: QUESTION }, "state");
    const asked: InputRequest[] = [];
    const ask = async (request: InputRequest): Promise<JsonObject> => {
      asked.push(request);
      return ANSWER;
    };

    expect(await call(server, callerWith({ ask }))).toEqual([{ q: ANSWER }, "state"]);
    expect(asked).toEqual([QUESTION as InputRequest]);
  });

  test("that asks a caller who cannot be asked is a failure that says so", async () => {
    await using server = modernServer({ q: QUESTION });

    await expect(call(server)).rejects.toThrow("asks the user a question");
    await expect(call(server, callerWith({ capabilities: {} }))).rejects.toThrow("asks the user a question");
  });

  test.each([
    ["sampling/createMessage", { q: { method: "sampling/createMessage", params: {} } }],
    ["too many questions", Object.fromEntries(Array.from({ length: 21 }, (_, key) => [`q${key}`, QUESTION]))],
  ])("cannot ask for %s", async (_what, requests) => {
    await using server = modernServer(requests);

    await expect(call(server, callerWith())).rejects.toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR" });
  });

  test("that asks for ever is a failure", async () => {
    await using server = new Upstream({
      family: "modern",
      methods: { "tools/call": () => ({ resultType: "input_required", inputRequests: { q: QUESTION } }) },
    });

    await expect(call(server, callerWith({ ask: async () => ANSWER }))).rejects.toThrow(
      "more and more questions",
    );
    expect(server.calls("tools/call").length).toBeLessThan(20);
  });
});

describe("a server with sessions", () => {
  function server(): Upstream {
    return new Upstream({
      methods: {
        "tools/call": ({ id, upstream }) => {
          async function* stream(): AsyncGenerator<object> {
            yield { jsonrpc: "2.0", id: "q-1", ...QUESTION };
            while (upstream.replies.length === 0) await Bun.sleep(1);
            yield result(id, TEXT(JSON.stringify(upstream.replies[0])));
          }
          return events(stream());
        },
      },
    });
  }

  test("gets the answer of a client that can be asked while the call runs", async () => {
    await using upstream = server();
    const caller = callerWith({ ask: async () => ANSWER });

    const { value } = await ran(
      kindOf(),
      workerAt(upstream.url),
      storedTool("t"),
      {},
      { context: { caller } },
    );

    expect(value).toEqual({ jsonrpc: "2.0", id: "q-1", result: ANSWER });
    expect([...upstream.sessions.values()]).toEqual([{ elicitation: { form: {} } }]);
  });

  test("gets an error if the client does not answer", async () => {
    await using upstream = server();
    const caller = callerWith({ ask: () => Promise.reject(new Error("secret reason")) });

    const { value } = await ran(
      kindOf(),
      workerAt(upstream.url),
      storedTool("t"),
      {},
      { context: { caller } },
    );

    expect(value).toMatchObject({ error: { code: -32603 } });
    expect(JSON.stringify(value)).not.toContain("secret reason");
  });

  test("does not share the session of a client that can be asked with one that cannot", async () => {
    await using upstream = new Upstream({ methods: { "tools/call": () => TEXT("ok") } });
    const kind = kindOf();
    const caller = callerWith({ ask: async () => ANSWER });

    await ran(kind, workerAt(upstream.url), storedTool("t"), {}, { context: { caller } });
    const silent = callerWith({ capabilities: { sampling: {} } });
    await ran(kind, workerAt(upstream.url), storedTool("t"), {}, { context: { caller: silent } });

    expect([...upstream.sessions.values()]).toEqual([{ elicitation: { form: {} } }, {}]);
  });

  test("may ask on the stream that belongs to no call, which is open only as long as one can be answered", async () => {
    const closed = Promise.withResolvers<void>();
    const questions = Promise.withResolvers<void>();
    await using upstream = new Upstream({
      before: (request, { gets }) => {
        if (request.method !== "GET") return undefined;
        gets.push(request.headers);
        request.signal.addEventListener("abort", () => closed.resolve());
        async function* stream(): AsyncGenerator<object> {
          await questions.promise;
          yield { jsonrpc: "2.0", id: "q-1", ...QUESTION };
          await new Promise(() => undefined);
        }
        return events(stream());
      },
      methods: {
        "tools/call": async ({ upstream: { replies } }) => {
          questions.resolve();
          while (replies.length === 0) await Bun.sleep(1);
          return TEXT(JSON.stringify(replies[0]));
        },
      },
    });
    const kind = kindOf();
    const caller = callerWith({ ask: async () => ANSWER });

    const { value } = await ran(kind, workerAt(upstream.url), storedTool("t"), {}, { context: { caller } });
    await closed.promise;
    await ran(kind, workerAt(upstream.url), storedTool("t"));

    expect(value).toMatchObject({ result: ANSWER });
    expect(upstream.gets.map((headers) => headers.get("mcp-session-id"))).toEqual(["session-1"]);
  });
});

describe("a server with sessions, for a client that answers after the run", () => {
  /** Asks `rounds` times, and then says what it has heard. */
  function server(rounds = 1): Upstream {
    return new Upstream({
      methods: {
        "tools/call": ({ id, upstream }) => {
          async function* stream(): AsyncGenerator<object> {
            for (let round = 1; round <= rounds; round++) {
              yield { jsonrpc: "2.0", id: `q-${round}`, ...QUESTION };
              while (upstream.replies.length < round) await Bun.sleep(1);
            }
            yield result(id, TEXT(JSON.stringify(upstream.replies.map((reply) => reply["result"]))));
          }
          return events(stream());
        },
      },
    });
  }

  const asked = async (run: Promise<unknown>): Promise<InputNeeded> => {
    const need: unknown = await run.catch((error: unknown) => error);
    if (!(need instanceof InputNeeded)) throw new Error(`nothing was asked: ${String(need)}`);
    return need;
  };
  const answersTo = ({ requests }: InputNeeded): JsonObject =>
    Object.fromEntries(Object.keys(requests).map((key) => [key, ANSWER]));

  test("waits between the two runs, and is called once", async () => {
    await using upstream = server();
    const kind = kindOf();
    const call = (caller: Caller) =>
      ran(kind, workerAt(upstream.url), storedTool("t"), {}, { context: { caller } });

    const need = await asked(call(callerWith()));
    const { value } = await call(callerWith({ answers: answersTo(need), state: need.state }));

    expect(Object.values(need.requests)).toEqual([QUESTION] as never);
    expect(value).toEqual([ANSWER]);
    expect(upstream.calls("tools/call")).toHaveLength(1);
  });

  test("may ask again", async () => {
    await using upstream = server(2);
    const kind = kindOf();
    const call = (caller: Caller) =>
      ran(kind, workerAt(upstream.url), storedTool("t"), {}, { context: { caller } });

    const first = await asked(call(callerWith()));
    const second = await asked(call(callerWith({ answers: answersTo(first), state: first.state })));
    const { value } = await call(callerWith({ answers: answersTo(second), state: second.state }));

    expect(value).toEqual([ANSWER, ANSWER]);
  });

  test("hears of an answer that is left out", async () => {
    await using upstream = server();
    const kind = kindOf();
    const call = (caller: Caller) =>
      ran(kind, workerAt(upstream.url), storedTool("t"), {}, { context: { caller } });

    const need = await asked(call(callerWith()));

    expect((await call(callerWith({ state: need.state }))).value).toEqual([{ action: "cancel" }]);
  });

  test.each([
    ["another user", { user: "bob" }],
    ["another connection of the user", { connection: "ac_other", token: "t" }],
  ])("does not go on for %s", async (_who, by) => {
    await using upstream = server();
    const kind = kindOf();
    const worker = workerAt(upstream.url);
    const need = await asked(ran(kind, worker, storedTool("t"), {}, { context: { caller: callerWith() } }));

    const caller = callerWith({ answers: answersTo(need), state: need.state });
    const stolen = ran(kind, worker, storedTool("t"), {}, { ...by, context: { caller } });

    await expect(stolen).rejects.toMatchObject({ details: { extra: { outcome: "unknown" } } });
    expect(upstream.replies).toEqual([]);
  });

  test("goes on once", async () => {
    await using upstream = server();
    const kind = kindOf();
    const call = (caller: Caller) =>
      ran(kind, workerAt(upstream.url), storedTool("t"), {}, { context: { caller } });
    const need = await asked(call(callerWith()));
    const again = callerWith({ answers: answersTo(need), state: need.state });

    await call(again);

    await expect(call(again)).rejects.toThrow("does not wait for it any more");
  });

  test("is told when the process ends, and by a client that goes away during the second run", async () => {
    await using upstream = server(2);
    const kind = kindOf();
    const worker = workerAt(upstream.url);
    const need = await asked(ran(kind, worker, storedTool("t"), {}, { context: { caller: callerWith() } }));
    const stop = new AbortController();
    upstream.options.methods = { "tools/call": () => new Promise<never>(() => undefined) };

    const waiting = ran(
      kind,
      worker,
      storedTool("t"),
      {},
      { context: { caller: callerWith() }, signal: stop.signal },
    );
    while (upstream.calls("tools/call").length < 2) await Bun.sleep(1);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT" });
    await kind.close();
    while (upstream.cancelled.length < 2) await Bun.sleep(1);

    expect(Object.keys(need.requests)).toHaveLength(1);
  });

  test("has no time limit of its own while the user thinks", async () => {
    await using upstream = server();
    const kind = kindOf();
    const worker = workerAt(upstream.url, { timeoutMs: 300 });
    const call = (caller: Caller) => ran(kind, worker, storedTool("t"), {}, { context: { caller } });

    const need = await asked(call(callerWith()));
    await Bun.sleep(600);

    expect((await call(callerWith({ answers: answersTo(need), state: need.state }))).value).toEqual([ANSWER]);
  });
});
