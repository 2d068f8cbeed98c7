// Gateways whose clients search for tools, at the terminal.
import { expect, test } from "bun:test";
import { jsonOf, newTerminal } from "../support/fake-io";

test("a gateway is created with search and pinned tools, and changed", async () => {
  const { run } = newTerminal();
  const discovery = async (...words: string[]) => {
    const ran = await run(["gateways", ...words, "-o", "json"]);
    return [ran.code, (jsonOf(ran) as { tool_filter?: object }).tool_filter];
  };
  const pinned_asset_keys = ["Chat.SendMessage", "Sheets.WhoAmI"];

  expect(
    await discovery(
      "create",
      "G",
      "--slug",
      "g",
      "--search",
      "--pin",
      "chat.sendmessage",
      "--pin",
      "Sheets.WhoAmI",
    ),
  ).toEqual([0, { discovery: { enabled: true, pinned_asset_keys } }]);
  expect((await run(["gateways", "show", "g"])).stdout).toMatch(
    /search\s+yes, but lists Chat\.SendMessage, Sheets\.WhoAmI/,
  );
  expect(await discovery("update", "g", "--tool", "Chat.SendMessage")).toEqual([
    0,
    { allowed_tools: ["Chat.SendMessage"], discovery: { enabled: true, pinned_asset_keys } },
  ]);
  expect(await discovery("update", "g", "--all-tools", "--no-search")).toEqual([
    0,
    { discovery: { enabled: false, pinned_asset_keys } },
  ]);
  expect((await run(["gateways", "show", "g"])).stdout).not.toContain("search");
});

test("a pinned tool that does not exist is refused with the nearest name", async () => {
  const ran = await newTerminal().run(["gateways", "create", "G", "--search", "--pin", "Chat.SendMesage"]);

  expect([ran.code, ran.stderr.includes("Did you mean Chat.SendMessage?")]).toEqual([3, true]);
});
