import { afterAll, expect, test } from "bun:test";
import { startRedactOutput } from "./redact-output";

const server = startRedactOutput({ port: 0 });
afterAll(() => server.stop());

async function ask(question: object): Promise<unknown> {
  const response = await fetch(`${server.url}/post`, { method: "POST", body: JSON.stringify(question) });
  return response.json();
}

const OK = { code: "OK" };

test.each([
  ["an address in a text", "write to ann.b+c@mail.example.com!", "write to [email]!"],
  ["addresses deep inside", { a: [{ b: "x@y.example" }, 1, null] }, { a: [{ b: "[email]" }, 1, null] }],
  ["an address as the name of a field", { "x@y.example": true }, { "[email]": true }],
])("%s is replaced", async (_what, output, clean) => {
  expect(await ask({ success: true, output })).toEqual({ code: "OK", override: { output: clean } });
});

test.each([["nothing to replace"], [null], [{ ids: ["1234567890123456789"], at: "@" }]])(
  "%j stays as it is",
  async (output) => {
    expect(await ask({ success: true, output })).toEqual(OK);
  },
);

test("of a failure, what names an address is held back", async () => {
  const failed = { success: false, output: null };
  expect(await ask({ ...failed, execution_error: "no such channel" })).toEqual(OK);
  expect(await ask({ ...failed, execution_error: "no user x@y.example" })).toMatchObject({
    code: "CHECK_FAILED",
  });
});
