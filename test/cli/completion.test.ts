// Completion candidates. The scripts run in the installed shells.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testWith } from "../support/require";
import { type Site, startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";
import { newTerminal } from "./support/fake-io";
import { MAIN } from "./support/processes";

let site: Site;
beforeAll(async () => {
  site = await startSite();
  await site.addChatProvider();
});
afterAll(() => site[Symbol.asyncDispose]());

async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await newTerminal(site.environment).run(["__complete", ...words]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter((line) => line !== "");
}

describe("offers", () => {
  test.each<[string, string[], string[]]>([
    ["nouns", ["sec"], ["secrets"]],
    ["verbs", ["keys", "rotate"], ["rotate", "rotate-root", "rotate-data"]],
    ["tool names", ["tools", "exec", "Chat.SendM"], ["Chat.SendMessage", "Chat.SendMessageToChannel"]],
    ["a tool's parameters", ["tools", "exec", "Chat.SendMessage", "--ch"], ["--channel_name"]],
    [
      "declared flags next to parameters",
      ["tools", "exec", "Chat.SendMessage", "--us"],
      ["--user_ids", "--usernames", "--user"],
    ],
    [
      "values of a parameter",
      ["tools", "exec", "Chat.ListConversations", "--conversation_types", "p"],
      ["public_channel", "private_channel"],
    ],
    ["provider ids", ["providers", "show", ""], ["slack"]],
    ["roles of people", ["users", "invite", "alice", "--role", "a"], ["approver", "auditor", "admin"]],
    ["roles of keys", ["keys", "create", "k", "--role", "a"], ["admin"]],
    ["provider ids after a flag", ["connections", "list", "--provider", ""], ["slack"]],
    ["toolkits", ["chat", "Hello", "--toolkit", ""], ["Chat", "Sheets", "VendorCreatorApi"]],
    ["formats", ["tools", "list", "-o", "n"], ["ndjson", "name"]],
    ["formats after common flags", ["-o", "json", "keys", "list", "--output", "y"], ["yaml"]],
    ["flags", ["keys", "create", "x", "--ex"], ["--expires"]],
    ["pages", ["help", "exi"], ["exit-codes"]],
    ["shells", ["completion", "f"], ["fish"]],
    ["nothing for a new name", ["projects", "create", ""], []],
    ["nothing after a complete line", ["version", "x"], []],
    ["nothing for an unknown command", ["nonsense", ""], []],
  ])("%s", async (_what, words, candidates) => {
    expect((await offered(...words)).toSorted()).toEqual(candidates.toSorted());
  });

  test("offers nothing, silently, if no server can be reached", async () => {
    const words = ["__complete", "--server", "http://127.0.0.1:1", "providers", "show", ""];

    const { code, stdout, stderr } = await newTerminal().run(words);

    expect([code, stdout, stderr]).toEqual([0, "", ""]);
  });
});

/** The output of a shell in which `runtime` is this program. */
function shell(name: string, script: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "runtime"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(folder, "runtime"), 0o755);
  const env = { ...site.environment, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const ran = Bun.spawnSync([Bun.which(name) ?? name, "-c", script], { env, stdin: "ignore" });
  return ran.stdout.toString() + ran.stderr.toString();
}

describe("the script of", () => {
  const testIn = (name: string) => testWith(name, Bun.which(name) !== null);

  testIn("bash")("bash", () => {
    const printed = shell(
      "bash",
      `source <(runtime completion bash); COMP_WORDS=(runtime tools exec Chat.SendMessage --chan); COMP_CWORD=4
       _runtime; echo "\${COMPREPLY[*]}"; complete -p runtime`,
    );

    expect(printed).toBe("--channel_name\ncomplete -F _runtime runtime\n");
  });

  testIn("fish")("fish", () => {
    const line = "runtime tools exec Chat.SendMessage --chan";

    expect(shell("fish", `runtime completion fish | source; complete -C '${line}'`)).toBe("--channel_name\n");
  });

  testIn("zsh")("zsh", () => {
    const printed = shell(
      "zsh",
      `autoload -U compinit; compinit -u -D; eval "$(runtime completion zsh)"
       compadd() { shift; print -l -- "$@" }; words=(runtime tools exec Chat.SendMessage --chan); CURRENT=5; _runtime`,
    );

    expect(printed).toBe("--channel_name\n");
  });
});
