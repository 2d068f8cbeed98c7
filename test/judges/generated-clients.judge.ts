// Clients that two generators make of the description: they type-check strictly, do the main job against a server, and take
// the requests of the openai client.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { documentOf } from "../../server/openapi/document";
import { contractOperations } from "../../server/operations";
import { at } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";
import { FOLDER, judge, run } from "./packages";

interface Generator {
  name: string;
  /** The program of its package, with its arguments. */
  command: readonly string[];
  /** The text of `chat.ts`: the type of a chat request. */
  chat: string;
}

const GENERATORS: readonly Generator[] = [
  {
    name: "openapi-fetch",
    command: ["openapi-typescript/bin/cli.js", "openapi.json", "-o", "schema.d.ts"],
    chat: 'import type { components } from "./schema";\nexport type Chat = components["schemas"]["ChatRequest"];\n',
  },
  {
    name: "hey-api",
    command: ["@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "generated"],
    chat: 'export type { ChatRequest as Chat } from "./generated";\n',
  },
];

const COMPILER = {
  target: "ESNext",
  module: "ESNext",
  moduleResolution: "bundler",
  lib: ["ESNext", "DOM"],
  types: ["bun"],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

let site: Site;
beforeAll(async () => {
  judge();
  site = await startSite();
  await site.addChatProvider();
}, 300_000);
afterAll(() => site[Symbol.asyncDispose]());

describe.each(GENERATORS.map((one) => [one.name, one] as const))("%s", (name, { command, chat }) => {
  test("generates a client that type-checks with the requests of the openai client, and does the main job", async () => {
    const folder = temporaryFolder();
    for (const file of [`${name}.ts`, "chat-requests.ts"])
      cpSync(join(FOLDER, "clients", file), join(folder, file));
    symlinkSync(join(FOLDER, "node_modules"), join(folder, "node_modules"));
    await Bun.write(join(folder, "chat.ts"), chat);
    await Bun.write(join(folder, "openapi.json"), JSON.stringify(documentOf(contractOperations, site.url)));
    const options = { ...COMPILER, typeRoots: [join(FOLDER, "../../node_modules/@types")] };
    await Bun.write(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, include: ["*.ts"] }),
    );
    const [program = "", ...args] = command;
    const generated = await run(["node", judge(...program.split("/")), ...args], folder);
    expect([generated.code, generated.code === 0 ? "" : generated.stdout + generated.stderr]).toEqual([
      0,
      "",
    ]);

    const checked = await run(["node", judge("typescript", "bin", "tsc"), "-p", "."], folder);
    expect([checked.code, checked.stdout]).toEqual([0, ""]);

    const results = await mainJob(join(folder, `${name}.ts`), folder);
    const refused = [403, "tool_requirements_not_met"];
    expect(results).toEqual({ status: "completed", success: true, refused });
  }, 180_000);
});

/** Runs the program, and consents as alice when it has printed the address. */
async function mainJob(file: string, cwd: string): Promise<unknown> {
  const key = await site.key("run");
  const child = Bun.spawn([process.execPath, file, site.url, key], {
    cwd,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  let printed = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    printed += decoder.decode(bytes, { stream: true });
    const [first, second] = printed.split("\n");
    if (second !== "" || first === undefined) continue;
    const url = at(JSON.parse(first), "url");
    if (url !== undefined) await new Browser().consent(String(url), "alice");
    child.stdin.write("\n");
    await child.stdin.end();
  }
  await child.exited;
  return JSON.parse(printed.trim().split("\n").at(-1) ?? "");
}
