// The key of a model server is cut out of its errors, unless it may be a word.
import { expect, test } from "bun:test";
import { Redacted } from "../../src/base";
import type { ModelServer } from "../../src/llm/server-of";
import { refused } from "../../src/llm/upstream/failure";

function messageOf(key: string, message: string): string {
  const server = { id: "local", apiKey: new Redacted(key) } as unknown as ModelServer;
  return refused(server, { status: 400, retryAfterMs: undefined, body: { error: { message } } }).message;
}

test.each(["k", "none", "EMPTY", "ollama", "token"])("a message is not mangled by the key %s", (key) => {
  const message = `max_completion_tokens is unknown to ollama: none, EMPTY, token ${key}`;
  expect(messageOf(key, message)).toContain(message);
});

test.each([
  ["secret-1", "bad key secret-1.", "bad key [redacted]."],
  ["secret-1", "key=secret-1", "key=[redacted]"],
  ["complete", "max_completed is not complete", "max_completed is not [redacted]"],
  ["sk-0123456789abcdefghij", "keysk-0123456789abcdefghijx", "key[redacted]x"],
])("the key %s is cut out of %p", (key, message, shown) => {
  expect(messageOf(key, message)).toContain(shown);
});

test("a message is never cut in the middle of a character", () => {
  expect(messageOf("none", "😀".repeat(400)).isWellFormed()).toBe(true);
  expect(messageOf("none", `a${"😀".repeat(400)}`).isWellFormed()).toBe(true);
});
