// The load generator's protocol, and its refusal of error answers.
import { describe, expect, onTestFinished, test } from "bun:test";
import { readHead } from "./answer";
import { exchange } from "./connection";
import { rawRequest } from "./job";

describe("load", () => {
  test("a request is formatted as raw HTTP", () => {
    expect(rawRequest({ method: "POST", path: "/x", key: "k", body: { a: "é" } })).toBe(
      "POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer k\r\n" +
        'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a":"é"}',
    );
  });

  test.each([
    ["with a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", { status: 200, size: 43 }],
    ["of a status without body", "HTTP/1.1 204 No Content\r\nx: y\r\n\r\n", { status: 204, size: 33 }],
    [
      "in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel",
      { status: 200, size: undefined },
    ],
    ["that is incomplete", "HTTP/1.1 200 OK\r\nContent-Le", undefined],
  ])("a head %s", (_what, bytes, expected) => {
    expect(readHead(Buffer.from(bytes))).toEqual(expected);
  });

  test("a chunked answer is complete at its empty chunk", async () => {
    async function* parts(): AsyncGenerator<string> {
      for (const part of ["one ", "two ", "three"]) {
        yield part;
        await Bun.sleep(5);
      }
    }
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(parts()) });
    onTestFinished(() => server.stop(true));
    const job = { port: server.port ?? 0, status: 200, contains: "three", requests: [] };
    let left = 2;

    await exchange({
      job: { ...job, pid: 0, connections: 1, warmupMs: 0, measureMs: 0 },
      next: () => (left-- > 0 ? Buffer.from(rawRequest({ path: "/", headers: { a: "b" } })) : undefined),
      answered: () => undefined,
    });

    expect(left).toBe(-1);
  });

  test.each([
    [200, "hello", undefined],
    [500, "hello", "an answer was not as expected"],
    [200, "failed", "an answer was not as expected"],
  ])("status %p with the body %p ends with %p", async (status, body, message) => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body, { status }) });
    onTestFinished(() => server.stop(true));
    const job = { port: server.port ?? 0, status: 200, contains: "hello", requests: [] };
    const rest = { pid: 0, connections: 1, warmupMs: 0, measureMs: 0 };
    let left = 3;
    let answers = 0;

    const outcome = await exchange({
      job: { ...job, ...rest },
      next: () => (left-- > 0 ? Buffer.from(rawRequest({ path: "/" })) : undefined),
      answered: () => answers++,
    }).catch((error: Error) => error.message);

    if (message === undefined) expect({ outcome, answers }).toEqual({ outcome: undefined, answers: 3 });
    else expect(outcome).toContain(message);
  });
});
