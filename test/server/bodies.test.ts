// Request bodies: content types, JSON, sizes, slow senders.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at, call } from "../support/api";
import { chunk, head, sendRaw } from "./raw";
import { type Scenario, scenarios } from "./scenario";
import { databaseOf, dump, type Stage, startStage } from "./stage";

const LIMIT = 4_194_304;
const PATH = "/v1/admin/secrets/BODY";
const VALID = '{"value":"v"}';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ environment: { RUNTIME_HTTP_BODY_TIMEOUT: "1" } });
});
afterAll(() => stage[Symbol.asyncDispose]());

const post = { method: "POST", path: PATH, as: "admin" as const };

function posted(headers: Record<string, string>): string {
  return head("POST", PATH, {
    authorization: stage.keys.admin,
    "content-type": "application/json",
    ...headers,
  });
}

async function expectAlive(): Promise<void> {
  expect((await call(stage.site.url, { method: "GET", path: "/v1/health" })).status).toBe(200);
}

describe("the content type", () => {
  const types: [string, number][] = [
    ["application/json", 200],
    ["application/json; charset=UTF-8", 200],
    ["application/json;charset=utf-8", 200],
    ["APPLICATION/JSON", 200],
    ["application/merge-patch+json", 200],
    ["application/vnd.api+json; version=1", 200],
    ["text/plain", 415],
    ["text/json", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/xml", 415],
    ["application/jsonp", 415],
    ["application/octet-stream; application/json", 415],
    ["json", 415],
  ];
  const rows = types.map(([type, status]): Scenario => {
    const error = status === 415 ? { error: "unsupported_media_type" } : {};
    return {
      name: `${type} is ${status} [fault: content-type]`,
      ...post,
      raw: VALID,
      headers: { "content-type": type },
      status,
      ...error,
    };
  });
  scenarios(() => stage, rows);

  test("none with a body is 415 [fault: content-type]", async () => {
    const request = head("POST", PATH, {
      authorization: stage.keys.admin,
      "content-length": String(VALID.length),
    });
    const answer = await sendRaw(stage.site.url, [request + VALID]);
    expect(answer.status).toBe(415);
    expect(answer.body).toContain("unsupported_media_type");
  });

  test.each(["text/plain", "application/x-www-form-urlencoded"])(
    "%s without a body is not 415",
    async (type) => {
      const request = { ...post, key: stage.keys.admin, headers: { "content-type": type } };
      const answer = await call(stage.site.url, request);
      expect(at(answer.body, "name")).toBe("malformed_request");
    },
  );

  test.each([undefined, "text/plain"])(
    "%s without a body is not 415, also where it could have come in chunks",
    async (type) => {
      const request = head("POST", PATH, {
        authorization: stage.keys.admin,
        "transfer-encoding": "chunked",
        ...(type === undefined ? {} : { "content-type": type }),
      });
      const answer = await sendRaw(stage.site.url, [`${request}0\r\n\r\n`]);
      expect(answer.status).toBe(400);
      expect(answer.body).toContain("needs a JSON body");
      const full = await sendRaw(stage.site.url, [`${request}1\r\nx\r\n0\r\n\r\n`]);
      expect(full.status).toBe(415);
    },
  );

  test("of a DELETE without a body does not matter [fault: content-type]", async () => {
    const headers = { "content-type": "application/json" };
    await call(stage.site.url, { ...post, key: stage.keys.admin, raw: VALID });
    const answer = await call(stage.site.url, { ...post, method: "DELETE", key: stage.keys.admin, headers });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: "" });
    expect(answer.headers.get("content-type")).toBeNull();
  });

  test("of a GET does not matter", async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await call(stage.site.url, {
      method: "GET",
      path: "/v1/tools",
      key: stage.keys.run,
      headers,
    });
    expect(answer.status).toBe(200);
  });
});

describe("a body that is refused with 400", () => {
  const broken: [string, string | Uint8Array][] = [
    ["cut JSON [fault: content-type]", '{"value":"s3cr3t'],
    ["JSON with a comma too many", '{"value":"s3cr3t",}'],
    ["JSON with a comment", '{"value":"s3cr3t"/*x*/}'],
    ["two values", '{"value":"s3cr3t"}{"value":"s3cr3t"}'],
    ["single quotes", "{'value':'s3cr3t'}"],
    ["NaN", '{"value":NaN}'],
    ["null", "null"],
    ["a list", '[{"value":"s3cr3t"}]'],
    ["a number", "1"],
    ["a text", '"s3cr3t"'],
    ["true", "true"],
    ["spaces only", "   "],
    ["a raw NUL", '{"value":"s3cr3t\0"}'],
    ["an escaped NUL", '{"value":"s3cr3t\\u0000"}'],
    ["an escaped NUL after backslashes", '{"value":"s3cr3t\\\\\\u0000"}'],
    ["a NUL in a key", '{"value":"v","s3cr3t\\u0000":1}'],
    ["a raw NUL around it", `\0${VALID}`],
    ["bytes that are not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ["UTF-16", Buffer.from(VALID, "utf16le")],
    ["a cut character", Buffer.concat([Buffer.from('{"value":"'), Buffer.from([0xe2, 0x82])])],
    ["half of a surrogate pair", '{"value":"s3cr3t\\ud83d"}'],
    ["half of a surrogate pair in a key", '{"value":"v","\\udead":1}'],
    ["5,000 lists in each other", `{"value":"v","x":${"[".repeat(5000)}${"]".repeat(5000)}}`],
    ["5,000 objects in each other", `${'{"value":'.repeat(5000)}1${"}".repeat(5000)}`],
    ["a million brackets", "[".repeat(1_000_000)],
    ["a number for the value", '{"value":1}'],
    ["no value", "{}"],
    ["a value that is null", '{"value":null}'],
    ["a value by another case", '{"Value":"s3cr3t"}'],
    ["a value of the prototype", '{"__proto__":{"value":"s3cr3t"}}'],
    ["a value of the constructor", '{"constructor":{"prototype":{"value":"s3cr3t"}}}'],
  ];
  const rows = broken.map(([what, raw]): Scenario => ({
    name: what,
    ...post,
    raw,
    status: 400,
    error: "malformed_request",
    lacks: ["s3cr3t"],
  }));
  scenarios(() => stage, rows);

  test("stored nothing and is in no log line", () => {
    expect(dump(databaseOf(stage.site))["secrets"]).toEqual([]);
    const log = stage.site.logLines.join("\n");
    expect(log).toContain('"status":400');
    expect(log).not.toContain("s3cr3t");
  });

  test("of length 0 says that a body is needed", async () => {
    const answer = await call(stage.site.url, { ...post, key: stage.keys.admin, raw: "" });
    expect(answer.status).toBe(400);
    expect(at(answer.body, "message")).toBe("The request needs a JSON body.");
  });
});

describe("a body that is accepted", () => {
  const accepted: [string, string][] = [
    ["with a byte order mark", `\uFEFF${VALID}`],
    ["with line ends around it", `\r\n${VALID}\r\n`],
    ["with an escaped backslash before u0000", '{"value":"\\\\u0000"}'],
    ["with a whole surrogate pair", '{"value":"\\ud83d\\ude00"}'],
    ["with __proto__ next to it", '{"value":"v","__proto__":{"description":"from the prototype"}}'],
    ["with unknown fields", '{"value":"v","constructor":1,"toString":2,"other":{"a":[null]}}'],
    ["with null for what is not given", '{"value":"v","description":null}'],
  ];
  const rows = accepted.map(([what, raw]): Scenario => ({
    name: what,
    ...post,
    raw,
    status: 200,
    fields: { key: "BODY", description: undefined, other: undefined, value: undefined },
  }));
  scenarios(() => stage, rows);

  test("with a field twice takes the last", async () => {
    const raw = '{"value":"v","description":"first","description":"second"}';
    const answer = await call(stage.site.url, { ...post, key: stage.keys.admin, raw });
    expect(at(answer.body, "description")).toBe("second");
  });

  test("in chunks, cut inside a character", async () => {
    const bytes = Buffer.from('{"value":"€","description":"€"}');
    const at1 = bytes.indexOf(0x82);
    const parts = [bytes.subarray(0, at1), bytes.subarray(at1)];
    const pieces = parts.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, "\r\n"]);
    const answer = await sendRaw(
      stage.site.url,
      [posted({ "transfer-encoding": "chunked" }), ...pieces, "0\r\n\r\n"],
      5,
    );
    expect(answer.status).toBe(200);
    expect(Buffer.from(answer.body, "latin1").toString()).toContain('"description":"€"');
  });
});

describe("a body that is too large", () => {
  const five = `{"value":"${"x".repeat(5_000_000)}"}`;

  test("is 413 by its stated length", async () => {
    const answer = await call(stage.site.url, { ...post, key: stage.keys.admin, raw: five });
    expect(answer.status).toBe(413);
    expect(at(answer.body, "name")).toBe("request_too_large");
    expect(at(answer.body, "message")).toContain("http.body_limit");
    await expectAlive();
  });

  test("is 413 before it is sent [fault: content-type]", async () => {
    const answer = await sendRaw(stage.site.url, [posted({ "content-length": "50000000" })]);
    // A server that waited for it would answer 400: it did not arrive in time.
    expect(answer.status).toBe(413);
    await expectAlive();
  });

  test("is 413 in chunks without a length [fault: content-type]", async () => {
    const chunks = Array.from({ length: 50 }, () => chunk("x".repeat(100_000)));
    const answer = await sendRaw(stage.site.url, [
      posted({ "transfer-encoding": "chunked" }),
      ...chunks,
      "0\r\n\r\n",
    ]);
    expect(answer.status).toBe(413);
    expect(answer.body).toContain("request_too_large");
    await expectAlive();
  });

  test("of exactly the limit is read", async () => {
    const frame = '{"value":"v","x":""}';
    const raw = frame.replace('""', `"${"x".repeat(LIMIT - frame.length)}"`);
    expect(raw.length).toBe(LIMIT);
    expect((await call(stage.site.url, { ...post, key: stage.keys.admin, raw })).status).toBe(200);
    expect((await call(stage.site.url, { ...post, key: stage.keys.admin, raw: `${raw} ` })).status).toBe(413);
  });

  test("is 413 on a consent page too, which needs no credential", async () => {
    const body = `check=${"x".repeat(5_000_000)}`;
    const response = await fetch(`${stage.site.url}/authorize/nothing`, { method: "POST", body });
    expect(response.status).toBe(413);
    expect(await response.text()).not.toContain("xxx");
    await expectAlive();
  });
});

describe("a body that trickles in", () => {
  // 100 s in all, longer than a test may take.
  const trickle = (piece: string): string[] => Array.from({ length: 1000 }, () => piece);

  test("is cut off in time, by length and in chunks", async () => {
    const slow = (headers: Record<string, string>, piece: string) =>
      sendRaw(stage.site.url, [posted(headers), ...trickle(piece)], 100);
    const answers = await Promise.all([
      slow({ "content-length": "2000" }, "x"),
      slow({ "transfer-encoding": "chunked" }, chunk("x")),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(answer.body).toContain("did not arrive in time");
    }
    await expectAlive();
  });

  test("is cut off on a consent page too", async () => {
    const request = head("POST", "/authorize/nothing", { "content-length": "2000" });
    const answer = await sendRaw(stage.site.url, [request, ...trickle("x")], 100);
    expect(answer.status).toBe(400);
    await expectAlive();
  });

  test("and then never ends leaves the server alive", async () => {
    const { hostname, port } = new URL(stage.site.url);
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data: () => undefined } });
    socket.write(`${posted({ "content-length": "1000" })}{`);
    await expectAlive();
    socket.end();
    await expectAlive();
  });
});
