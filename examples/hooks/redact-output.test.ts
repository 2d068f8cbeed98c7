import { afterAll, expect, test } from "bun:test";
import { startRedactOutput } from "./redact-output";

const server = startRedactOutput({ port: 0 });
afterAll(() => server.stop());

async function post(request: object): Promise<unknown> {
  const response = await fetch(`${server.url}/post`, { method: "POST", body: JSON.stringify(request) });
  return response.json();
}

const OK = { code: "OK" };

test.each([
  ["an address in a text", "write to ann.b+c@mail.example.com!", "write to [email]!"],
  ["addresses deep inside", { a: [{ b: "x@y.example" }, 1, null] }, { a: [{ b: "[email]" }, 1, null] }],
  ["an address as the name of a field", { "x@y.example": true }, { "[email]": true }],
])("replaces %s", async (_what, output, clean) => {
  expect(await post({ success: true, output })).toEqual({ code: "OK", override: { output: clean } });
});

test.each([["nothing to replace"], [null], [{ ids: ["1234567890123456789"], at: "@" }]])(
  "does not change %j",
  async (output) => {
    expect(await post({ success: true, output })).toEqual(OK);
  },
);

test("withholds the message of a failure that contains an address", async () => {
  const failed = { success: false, output: null };
  expect(await post({ ...failed, execution_error: "no such channel" })).toEqual(OK);
  expect(await post({ ...failed, execution_error: "no user x@y.example" })).toMatchObject({
    code: "CHECK_FAILED",
  });
});
