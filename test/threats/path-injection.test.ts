// Ids, names and slugs never select another path: not on this server, not at a platform, not in the file system.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { path as pathOf } from "../../cli/client/http";
import { extensions } from "../../catalogs";
import { toolContext } from "../catalogs/context";
import { servedOperations } from "../support/described";
import { call } from "../support/api";
import { Installation } from "../support/runtime-process";
import { type Stage, startStage } from "../server/stage";
import { printFigure } from "./figure";

const ATTACKS = [
  "..",
  ".",
  "../../etc/passwd",
  "..\\..\\x",
  "%2e%2e",
  "%2e%2e%2f",
  "..%2f..%2fsecrets",
  "a/../../x",
  "a?x=1",
  "a#x",
  "a;x",
  "//evil.example/x",
  "https://evil.example/",
  "file:///etc/passwd",
  "x\r\nHost: evil.example",
  "x\u0000.json",
  "\u2025/\u2025",
];

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("a parameter of a path", () => {
  const targets = servedOperations.filter(({ path, open }) => !open && /\{(?!org_id|project_id)/.test(path));

  test("selects no other operation and no record", async () => {
    let sent = 0;
    for (const { method, path } of targets) {
      for (const attack of ATTACKS) {
        // As a client sends it that escapes it, except for the dots, which every client resolves itself.
        const escaped = /^\.{1,2}$|^%2e%2e$/.test(attack) ? `x${attack}` : encodeURIComponent(attack);
        const filled = path
          .replace("{org_id}", "default")
          .replace("{project_id}", "default")
          .replaceAll(/\{\w+\}/g, escaped);
        const answer = await call(stage.site.url, { method, path: filled, key: stage.keys.admin });

        expect([method, filled, [400, 403, 404, 415].includes(answer.status)]).toEqual([
          method,
          filled,
          true,
        ]);
        expect(answer.headers.get("location")).toBeNull();
        sent++;
      }
    }
    printFigure("path injection", `${sent} requests with ${ATTACKS.length} forms selected nothing`);
  }, 60_000);
});

describe("a name that becomes part of an address", () => {
  test.each(ATTACKS)("%j is refused as a slug and as the id of a provider", async (name) => {
    const admin = (path: string, body: unknown) =>
      call(stage.site.url, { method: "POST", path, key: stage.keys.admin, body });
    const slug = await admin("/v1/orgs/default/projects/default/gateways", { name: "G", slug: name });
    const oauth2 = { client_id: "c" };
    const provider = await admin("/v1/admin/auth_providers", { id: name, oauth2 });

    expect([slug.status, provider.status]).toEqual([400, 400]);
  });

  test.each(ATTACKS)("%j never leaves the segment of the command line's path", (id) => {
    const escaped = (): string => new URL(pathOf("https://server.example/v1/admin/secrets/", id)).pathname;
    if (id === "." || id === "..") expect(escaped).toThrow("There is no record with this id.");
    else expect(escaped().split("/")).toHaveLength(5);
  });
});

describe("a parameter of a tool that fills an address of a platform", () => {
  const records = extensions.catalogs.find(({ toolkit }) => toolkit.name === "VendorCreatorApi");

  test("stays one segment or one value", async () => {
    const tools = records?.tools ?? [];
    expect(tools.length).toBeGreaterThan(10);
    const sent: string[] = [];
    for (const tool of tools) {
      for (const attack of ATTACKS) {
        const names = Object.keys(tool.input.properties).filter((name) => /name|id|link|owner/.test(name));
        const input = Object.fromEntries(names.map((name) => [name, attack]));
        const context = {
          ...toolContext({ bases: {}, token: "" }),
          secrets: { VENDOR_SERVER_URL: "https://api.example.com" },
          fetch: async (_base: string, path: string) => {
            sent.push(path);
            return new Response("{}", { status: 404 });
          },
        };
        const run = async () => {
          // As every call does.
          await tool.judge?.(input as never);
          await tool.run(input as never, context);
        };
        await run().catch(() => undefined);
      }
    }

    expect(sent.length).toBeGreaterThan(10);
    for (const path of sent) {
      const url = new URL(path, "https://api.example.com");
      expect(url.origin).toBe("https://api.example.com");
      const segments = (path.split("?")[0] ?? "").split("/").map(decodeURIComponent);
      // URL parsers resolve these, also where they are escaped.
      expect([path, segments.includes("."), segments.includes("..")]).toEqual([path, false, false]);
      expect(path).not.toMatch(/[\r\n\0\\#]/);
    }
  });
});

test("names on the command line create no files outside of the data folder", async () => {
  await using installation = new Installation(undefined);
  const before = readdirSync(installation.home);
  for (const name of ["../escaped", "/tmp/../escaped", "..", "a/b"]) {
    const { code } = await installation.run(["secrets", "set", name, "-"], "value");
    expect(code).not.toBe(0);
  }

  expect(existsSync(join(installation.home, "..", "escaped"))).toBe(false);
  expect(
    readdirSync(installation.home).filter((name) => !before.includes(name) && !name.startsWith(".")),
  ).toEqual([]);
}, 30_000);
