// Names in the list of a gateway that no tool has: stored, because they may be those of a later version, and named.
import { expect, test } from "bun:test";
import { api, at } from "../support/api";
import { startSite } from "../support/site";
import { newTerminal } from "../cli/support/fake-io";

const LATER = "Chat.FoldMessages";
const MISTYPED = "Chat.SendMesage";
const EXPLAINED = {
  name: MISTYPED,
  message: "is not a tool of this project and has no effect; did you mean Chat.SendMessage?",
};

test("every answer about the gateway names them, with the nearest tool", async () => {
  await using site = await startSite();
  const admin = api(site.url, await site.key("admin"));
  const gateway = { name: "G", slug: "g", auth_type: "arcade_header" };
  const tool_filter = { allowed_tools: ["chat.sendmessage", MISTYPED, "X.FarFromEverything"] };
  const created = await admin.post("/v1/orgs/default/projects/default/gateways", { ...gateway, tool_filter });
  const path = `/v1/orgs/default/projects/default/gateways/${String(at(created.body, "id"))}`;
  const expected = [
    EXPLAINED,
    { name: "X.FarFromEverything", message: "is not a tool of this project and has no effect" },
  ];

  expect(created.status).toBe(201);
  expect(at(created.body, "unknown_tools")).toEqual(expected);
  expect(at(created.body, "tool_filter.allowed_tools")).toEqual(tool_filter.allowed_tools);
  expect(at((await admin.get(path)).body, "unknown_tools")).toEqual(expected);
  expect(
    at((await admin.get("/v1/orgs/default/projects/default/gateways")).body, "items.0.unknown_tools"),
  ).toEqual(expected);
  const mended = await admin.patch(path, { tool_filter: { allowed_tools: ["Chat.SendMessage"] } });
  expect(mended.body).not.toHaveProperty("unknown_tools");
});

test("pinned names are among them while clients search", async () => {
  const { run } = newTerminal();
  const yaml = (enabled: boolean) =>
    `gateways:\n  - name: G\n    slug: g\n    auth_type: arcade_header\n    tool_filter:\n      discovery:\n        enabled: ${enabled}\n        pinned_asset_keys:\n          - Chat.SendMessage\n          - ${MISTYPED}\n`;
  const applied = await run(["apply", "-f", "-"], { stdin: yaml(true) });
  const shown = await run(["gateways", "show", "g", "-o", "json"]);
  const off = await run(["apply", "-f", "-"], { stdin: yaml(false) });

  expect(applied.stderr).toContain(
    `warning: standard input, line 10: ${EXPLAINED.name} ${EXPLAINED.message}\n`,
  );
  expect(JSON.parse(shown.stdout).unknown_tools).toEqual([EXPLAINED]);
  expect(off.stderr).not.toContain("warning");
});

test("a document with them is applied, with a warning for the line of each, also when it is applied again", async () => {
  const { run } = newTerminal();
  const yaml = `gateways:\n  - name: G\n    slug: g\n    auth_type: arcade_header\n    tool_filter:\n      allowed_tools:\n        - Chat.SendMessage\n        - ${MISTYPED}\n        - ${LATER}\n`;
  const planned = await run(["apply", "-f", "-", "--dry-run"], { stdin: yaml });
  const applied = await run(["apply", "-f", "-"], { stdin: yaml });
  const exported = await run(["export"]);
  const again = await run(["apply", "-f", "-"], { stdin: exported.stdout });

  for (const ran of [planned, applied]) {
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`warning: standard input, line 8: ${EXPLAINED.name} ${EXPLAINED.message}\n`);
    expect(ran.stderr).toContain(`warning: standard input, line 9: ${LATER} is not a tool of this project`);
  }
  expect(exported.stdout).toContain(LATER);
  expect(exported.stdout).not.toContain("unknown_tools");
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("0 changed")]);
});

test("commands warn about them, and refuse them as arguments with the nearest name", async () => {
  const { run } = newTerminal();
  const gateway = {
    name: "G",
    slug: "g",
    auth_type: "arcade_header",
    tool_filter: { allowed_tools: [MISTYPED] },
  };
  await run(["apply", "-f", "-"], { stdin: JSON.stringify({ gateways: [gateway] }) });

  for (const command of ["gateways list", "gateways show g", "gateways update g --description x"]) {
    const ran = await run(command.split(" "));
    expect([ran.code, ran.stderr]).toEqual([0, `warning: gateway g: ${MISTYPED} ${EXPLAINED.message}\n`]);
  }
  const tool = await run(["gateways", "create", "H", "--tool", MISTYPED]);
  expect([tool.code, tool.stdout]).toEqual([3, ""]);
  expect(tool.stderr).toContain("Did you mean Chat.SendMessage?");
  const toolkit = await run(["gateways", "create", "H", "--toolkit", "Chatt"]);
  expect([toolkit.code, toolkit.stdout]).toEqual([3, ""]);
  expect(toolkit.stderr).toContain("Did you mean Chat?");
});
