// Every example of every command's help, run unchanged by a shell, on an installation that has what it names.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nouns } from "../../cli/nouns";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { chatProvider } from "../support/chat-provider";
import { Installation, type RunningServer } from "../support/runtime-process";

const EXAMPLES = (
  await Promise.all(
    nouns.map(async ({ name, load }) =>
      (await load()).verbs.flatMap(({ examples }) =>
        examples.map((example): [string, string] => [name, example]),
      ),
    ),
  )
).flat();

// Exit codes other than 0 of examples that name something missing: a made-up id, an example server.
const MAY_END: readonly [RegExp, number[]][] = [
  // A made-up id.
  [/\b[a-z]+_0\w{5,}/, [1, 3]],
  [/hooks bulk/, [1]],
  // A missing model server.
  [/^runtime chat/, [1, 2]],
  [/models show local/, [3]],
  [/runtime\.example\.com/, [0, 1]],
  [/^runtime login https/, [1, 2]],
  [/^runtime logout/, [0, 3]],
  [/--project sales/, [3]],
  [/gateways slug/, [5]],
  [/delete|apply|create|update/, [0, 1, 2, 3, 5]],
  [/^runtime init$/, [2]],
  [/^runtime secrets set VENDOR_TOKEN$/, [2]],
  [/tools exec/, [6]],
  [/doctor/, [0, 1]],
  [/FLOW_ID/, [3]],
  // Nothing of this name, or no model server.
  [/(plugins|secrets) (show|test)/, [3]],
  [/models test/, [1, 3, 5]],
  // A terminal must confirm it.
  [/^runtime keys rotate-root$/, [2]],
];
/** Creates what the examples of a noun need; one of them deletes it. */
const NEEDS: { readonly [noun: string]: readonly string[] } = {
  gateways: ["gateways create Support --slug support"],
  // The examples of gateways end with an inactive one.
  mcp: ["gateways delete support --yes", "gateways create Support --slug support"],
};
/** Examples that run until they are stopped. */
const SERVES = /^runtime serve/;

/** Registers a test for each example. `executable` is known only after the build. */
export function describeExamples(executable: () => string): void {
  let chat: ChatSandbox;
  let installation: Installation;
  let server: RunningServer;
  let work: string;

  beforeAll(async () => {
    chat = await startChatSandbox();
    installation = new Installation(chat, [executable()]);
    server = await installation.serve();
    work = mkdtempSync(join(tmpdir(), "runtime-examples-"));
    mkdirSync(join(work, "bin"));
    const program = `#!/bin/sh\nexec '${executable()}' "$@"\n`;
    writeFileSync(join(work, "bin", "runtime"), program, { mode: 0o755 });
    writeFileSync(join(work, "bin", "pass"), "#!/bin/sh\necho word\n", { mode: 0o755 });
    for (const folder of [".zfunc", ".config/fish/completions"])
      mkdirSync(join(installation.home, folder), { recursive: true });
    for (const name of ["secret", "key"]) writeFileSync(join(work, name), "word\n");
    writeFileSync(join(work, "provider.json"), JSON.stringify({ ...chatProvider(chat), id: "own" }));
    writeFileSync(join(work, "message.json"), '{"channel_name": "general", "message": "Hello"}');
    writeFileSync(join(work, "request.json"), '{"tool_names": ["Chat.WhoAmI"], "user_id": "alice"}');
    writeFileSync(join(work, "question.txt"), "Hello\n");
    writeFileSync(join(work, "project.yaml"), "secrets: []\n");
    const config = { plugin_id: "pl_0123456789", hook_point: "tool.pre" };
    writeFileSync(join(work, "hooks.json"), JSON.stringify({ configs: [config] }));
    const environment = installation.environment;
    environment["RUNTIME_USER"] = "alice";
    environment["RUNTIME_API_KEY"] = await installation.key("admin");
    environment["VENDOR_SERVER_URL"] = "https://vendor.example";
    await installation.addChatProvider(chat);
    await installation.run(["projects", "create", "sales"]);
    await installation.run(["projects", "create", "sales-test"]);
    const heads = await installation.run(["audit", "heads", "-o", "ndjson"]);
    writeFileSync(join(work, "heads.ndjson"), heads.stdout);
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await installation[Symbol.asyncDispose]();
    await chat.stop();
    rmSync(work, { recursive: true, force: true });
  });

  describe("an example of", () => {
    test.each(EXAMPLES)("%s: %s", async (noun, example) => {
      const serves = SERVES.test(example);
      for (const line of NEEDS[noun] ?? []) await installation.run(line.split(" "));
      const { PATH = "", ...environment } = installation.environment;
      const child = Bun.spawn(["bash", "-c", serves ? `exec ${example} --port 0` : example], {
        cwd: work,
        // A second server on the same folder would replace the first.
        env: { ...environment, ...(serves ? { HOME: work } : {}), PATH: `${join(work, "bin")}:${PATH}` },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: serves ? 1000 : 20_000,
      });
      const [stdout, stderr, code] = await Promise.all([
        child.stdout.text(),
        child.stderr.text(),
        child.exited,
      ]);

      const allowed = [0, ...MAY_END.flatMap(([pattern, codes]) => (pattern.test(example) ? codes : []))];
      // Never an error of the shell itself: a missing command, a syntax error.
      if (!serves)
        expect([example, allowed.includes(code), stdout + stderr]).toEqual([example, true, stdout + stderr]);
      expect(stderr).not.toContain("internal_error");
      expect(stderr).not.toMatch(/Unknown (option|command)/);
    });
  });
}
