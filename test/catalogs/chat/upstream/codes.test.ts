// The table of the platform's error codes against the lists that are documented, and what becomes of each code.
import { describe, expect, test } from "bun:test";
import { ChatClient } from "../../../../catalogs/chat/client";
import { CODES, codeNamed } from "../../../../catalogs/chat/upstream/codes";
import { toolErrorRecord } from "../../../../src/tools/failure";
import { Connection, failureOf } from "../run";
import { refusal, Stub } from "../stub";
import { BY_METHOD, COMMON, SPECIFIED } from "./documented-codes";

const DOCUMENTED = new Set([...COMMON, ...Object.values(BY_METHOD).flat(), ...SPECIFIED]);

/** Only of these does the platform say that a part may have been done. */
const MAYBE_DONE = ["fatal_error", "internal_error"];

test("each documented code is in the table", () => {
  expect([...DOCUMENTED].filter((code) => !CODES.has(code))).toEqual([]);
});

test("each code of the table is documented, or names its source", () => {
  const others = [...CODES].filter(([code, { source }]) => !DOCUMENTED.has(code) && source === undefined);
  expect(others.map(([code]) => code)).toEqual([]);
});

test("an unknown code has no meaning", () => {
  expect(codeNamed("something_new")).toBeUndefined();
});

async function errorOf(method: "users.info" | "chat.postMessage", code: string) {
  await using stub = new Stub().on(method, refusal(code));
  const client = new ChatClient(new Connection(stub.apiUrl, { timeMs: 5000 }).context());
  return await failureOf(client.call(method, { user: "U1" }, { subject: 'user "U1"' }));
}

describe.each([...CODES.keys()])("%s", (code) => {
  test("tells what is wrong and what to do", async () => {
    const error = await errorOf("users.info", code);
    const {
      message,
      additional_prompt_content: next = "",
      retry_after_ms,
    } = toolErrorRecord(error, undefined, false);

    expect(message.replace(/^\[\w+\] \w+: /, "").length).toBeGreaterThan(15);
    expect(retry_after_ms !== undefined || next.length > 10).toBe(true);
    expect(error.kind === "UPSTREAM_RUNTIME_UNMAPPED").toBe(CODES.get(code)?.meaning === "fault");
    expect(error.kind).not.toStartWith("NETWORK");
  });

  test("of a message that was to be sent, says whether it may have been sent", async () => {
    const error = await errorOf("chat.postMessage", code);

    expect(error.details.extra?.["outcome"]).toBe(MAYBE_DONE.includes(code) ? "unknown" : undefined);
  });
});
