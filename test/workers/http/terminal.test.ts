// An HTTP worker at the terminal: created with its secret in a variable, called, and what its errors look like.
import { expect, test } from "bun:test";
import { newTerminal } from "../../cli/support/fake-io";
import { SECRET } from "./driver";
import { answered, definition, standIn } from "./stand-in";

const inp = { name: "inp", required: true, value_schema: { val_type: "string" } };

test("a worker is created, run, and its error says what to do", async () => {
  const tools = [
    definition({ name: "Echo", input: { parameters: [inp] } }),
    definition({ name: "Fail" }),
    definition({ name: "Bad", input: { parameters: {} } }),
  ];
  const { uri } = standIn((arrived) => {
    if (arrived.path.endsWith("/tools")) return Response.json(tools);
    if (arrived.path.endsWith("/health")) return Response.json({ status: "ok", tool_count: "3" });
    const { inputs } = JSON.parse(arrived.body) as { inputs: { inp?: string } };
    if (inputs.inp !== undefined) return answered(arrived, { value: inputs.inp });
    const error = { message: "no such city", kind: "TOOL_RUNTIME_RETRY", can_retry: true };
    return answered(arrived, {
      error: { ...error, additional_prompt_content: "Cities are Oslo and Bergen." },
    });
  });
  const terminal = newTerminal({ RUNTIME_EGRESS_ALLOW: "loopback", WORKER_SECRET: SECRET });

  const created = await terminal.run([
    "workers",
    "create",
    uri,
    "--id",
    "peer",
    "--secret-env",
    "WORKER_SECRET",
    "--yes",
  ]);
  const ran = await terminal.run(["tools", "exec", "Peer.Echo", "--inp", "hello", "--user", "alice"]);
  const failed = await terminal.run(["tools", "exec", "Peer.Fail", "--user", "alice"]);
  const shown = await terminal.run(["workers", "show", "peer", "-o", "json"]);

  expect([created.code, created.stderr]).toEqual([
    0,
    expect.stringContaining("Peer.Bad: its parameters are not a list"),
  ]);
  expect([ran.code, ran.stdout]).toEqual([0, "hello\n"]);
  expect(failed.stderr).toContain("failed: no such city. You can retry it.\nCities are Oslo and Bergen.");
  expect(JSON.parse(shown.stdout)).toMatchObject({
    skipped: [{ name: "Peer.Bad", reason: "its parameters are not a list" }],
  });
  expect(created.stdout + created.stderr + shown.stdout).not.toContain(SECRET);
});
