import { describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

describe("setup of a well-known provider", () => {
  test.each(["slack", "google", "zoho"])("%s: address, scopes and steps", async (id) => {
    const { run } = newTerminal();

    const setup = jsonOf(await run(["providers", "setup", id, "-o", "json"]));

    expect(at(setup, "redirect_uri")).toMatch(
      /^http:\/\/127\.0\.0\.1:9099\/api\/v1\/oauth\/[\w-]{24}\/callback$/,
    );
    expect(Object(at(setup, "scopes"))).not.toEqual([]);
    expect(String(at(setup, "console"))).toStartWith("https://");
    expect(at(setup, "exists")).toBe(false);
  });

  test("shows the address that the created record has", async () => {
    const { run } = newTerminal();
    const setup = jsonOf(await run(["providers", "setup", "slack", "-o", "json"]));
    const flags = [
      "--provider",
      "slack",
      "--client-id",
      "1.2",
      "--external-id",
      String(at(setup, "external_id")),
    ];

    const created = jsonOf(await run(["providers", "create", "slack", ...flags, "-o", "json"]));

    expect(at(created, "oauth2.redirect_uri")).toBe(at(setup, "redirect_uri"));
    const again = jsonOf(await run(["providers", "setup", "slack", "-o", "json"]));
    expect([at(again, "redirect_uri"), at(again, "exists")]).toEqual([at(setup, "redirect_uri"), true]);
  });

  test.each([
    ["slack", "http://127.0.0.1:9099", true],
    ["google", "http://127.0.0.1:9099", false],
    ["google", "http://runtime.example.com", true],
    ["zoho", "http://runtime.example.com", true],
    ["slack", "https://runtime.example.com", false],
  ])("%s under %s warns of a rejected address: %p", async (id, publicUrl, warned) => {
    const { run } = newTerminal({ RUNTIME_PUBLIC_URL: publicUrl });

    const ran = await run(["providers", "setup", id]);

    expect(ran.stderr.includes("refuses plain http")).toBe(warned);
  });

  test("exits 3 for an unknown provider and names the known ones", async () => {
    const { run } = newTerminal();

    const ran = await run(["providers", "setup", "nope"]);

    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain("google, slack, zoho");
  });
});
