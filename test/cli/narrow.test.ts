// Lists on narrow terminals: what other commands take can be copied from every table.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Stage, startStage } from "../server/stage";
import { newTerminal } from "./support/fake-io";

let stage: Stage;
let run: ReturnType<typeof newTerminal>["run"];
beforeAll(async () => {
  stage = await startStage();
  await connect(stage, "alice");
  run = newTerminal({ ...stage.site.environment, RUNTIME_USER: "alice" }).run;
  const setup = [
    "keys create a-key-with-a-long-name --role read --user somebody@example.com --expires 90d",
    "plugins create a-plugin-with-a-long-name --pre http://127.0.0.1:9/pre",
    "gateways create Support-of-all-customers --slug support-of-all-customers --no-deprecated",
    "secrets set A_RATHER_LONG_NAME_OF_A_SECRET_FOR_A_TOOL - --description words-and-more-words",
    "models create a-model-server-with-a-long-name --type openai --base-url http://127.0.0.1:9/v1 --model m",
    "tools exec Chat.WhoAmI",
    "tools exec Chat.WhoAmI --run-at 2099-01-31T09:30:00Z",
  ];
  for (const line of setup) {
    const ran = await run(line.split(" "), { stdin: "value" });
    if (ran.code !== 0) throw new Error(`${line}: ${ran.stderr}`);
  }
});
afterAll(() => stage[Symbol.asyncDispose]());

const LISTS = [
  "connections list",
  "executions list",
  "gateways list",
  "hooks list",
  "keys list",
  "models list",
  "orgs list",
  "plugins list",
  "projects list",
  "providers list",
  "scheduled list",
  "secrets list",
  "toolkits list",
  "tools list --user alice",
  "tools search message",
];

describe.each([80, 40])("at %i columns", (columns) => {
  test.each(LISTS)("%s shows every name that other commands take in full", async (line) => {
    const names = (await run([...line.split(" "), "-o", "name"])).stdout.trimEnd().split("\n");
    const { stdout } = await run(line.split(" "), { columns });

    const words = stdout.split(/\s+/);
    expect(names.filter((name) => name === "" || !words.includes(name))).toEqual([]);
  });
});

test("columns that do not fit are named", async () => {
  const { stderr } = await run(["executions", "list"], { columns: 40 });

  expect(stderr).toContain("The terminal is too narrow for: time");
});

test("fields that were asked for are never left out", async () => {
  const { stdout } = await run(["keys", "list", "--fields", "name,created_at,id"], { columns: 20 });

  expect(stdout).toMatch(/a-key-with-a-long-name +20\S+Z +key_\w+/);
});
