// Sheets.GenerateGoogleFilePickerUrl: a link, and no call at all.
import { expect, test } from "bun:test";
import { Value } from "typebox/value";
import { at, Connection, failureOf, tool } from "../run";

const definition = tool("GenerateGoogleFilePickerUrl");
const run = (provider: { id: string; clientId: string } | undefined, publicUrl = "https://runtime.example") =>
  // Bases that lead nowhere: a call would fail.
  definition.run({}, { ...new Connection({}).context(), provider, publicUrl });
const clientId = "123456789012-abc.apps.googleusercontent.com";

test("the link leads to our page, with the client and its project", async () => {
  const output = await run({ id: "google", clientId });
  expect(Value.Check(definition.output, output)).toBe(true);
  const url = new URL(String(at(output, "url")));
  expect(url.origin + url.pathname).toBe("https://runtime.example/google/drive_picker");
  expect([...url.searchParams.keys()]).toEqual(["config"]);
  const config = url.searchParams.get("config") ?? "";
  expect(config).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(JSON.parse(Buffer.from(config, "base64url").toString("utf8"))).toEqual({
    auth: { client_id: clientId, app_id: "123456789012" },
  });
});

test("the instructions contain the same link", async () => {
  const output = await run({ id: "google", clientId });
  expect(String(at(output, "llm_instructions"))).toContain(String(at(output, "url")));
});

test("a public address with a path keeps it", async () => {
  const output = await run({ id: "google", clientId }, "https://example.com/runtime");
  expect(String(at(output, "url"))).toStartWith("https://example.com/runtime/google/drive_picker?config=");
});

test.each(["client", "abc-123.apps.googleusercontent.com", "123456789012", "-abc", ""])(
  "the client id %p has no project number: the configuration is wrong",
  async (bad) => {
    const error = await failureOf(run({ id: "google", clientId: bad }));
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL", canRetry: false });
    expect(error.message).toContain("administrator");
  },
);

test("it needs a provider and no scope", () => {
  expect(definition.authorization).toEqual({ provider: "google", scopes: [] });
});
