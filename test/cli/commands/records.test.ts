// Records by their ids and names: `show` of every noun, and filters that name nothing.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Stage, startStage } from "../../server/stage";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

let stage: Stage;
let run: ReturnType<typeof newTerminal>["run"];
beforeAll(async () => {
  stage = await startStage();
  await connect(stage, "alice");
  run = newTerminal({ ...stage.site.environment, RUNTIME_USER: "alice" }).run;
  const setup = [
    "keys create agent --expires 1d",
    "plugins create policy --pre http://127.0.0.1:9/pre",
    "gateways create Support-desk --slug support",
    "secrets set VENDOR_TOKEN -",
    "models create local --type openai --base-url http://127.0.0.1:9/v1 --model m",
    "tools exec Chat.WhoAmI",
    "tools exec Chat.WhoAmI --run-at 2099-01-31T09:30:00Z",
  ];
  for (const line of setup) {
    const ran = await run(line.split(" "), { stdin: "hidden value" });
    if (ran.code !== 0) throw new Error(`${line}: ${ran.stderr}`);
  }
});
afterAll(() => stage[Symbol.asyncDispose]());

const names = async (line: string) =>
  (await run([...line.split(" "), "-o", "name"])).stdout.trimEnd().split("\n");

describe("show", () => {
  test.each([
    "audit",
    "connections",
    "executions",
    "gateways",
    "hooks",
    "keys",
    "models",
    "orgs",
    "plugins",
    "projects",
    "providers",
    "scheduled",
    "secrets",
    "toolkits",
    "tools",
    "users",
  ])("%s takes what -o name of its list prints, and prints the same record", async (noun) => {
    const [name = ""] = await names(`${noun} list`);
    const shown = await run([noun, "show", name, "-o", "json"]);

    expect([shown.code, shown.stderr]).toEqual([0, ""]);
    expect(await names(`${noun} show ${name}`)).toEqual([name]);
    expect((await run([noun, "show", name])).stdout).toContain(name);
  });

  test.each([
    ["keys", "agent"],
    ["plugins", "policy"],
    ["hooks", "policy"],
    ["gateways", "Support-desk"],
    ["secrets", "vendor_token"],
    ["projects", "Default project"],
  ])("%s takes the name %s", async (noun, name) => {
    const records = jsonOf(await run([noun, "list", "-o", "json"]));
    const list = Array.isArray(records) ? records : [];
    const known = list.map((each) => String(at(each, "name") ?? at(each, "key")));
    const given = known.find((each) => each.toLowerCase().startsWith(name.toLowerCase().slice(0, 6))) ?? name;
    const shown = jsonOf(await run([noun, "show", noun === "secrets" ? name : given, "-o", "json"]));

    expect(list).toContainEqual(shown);
  });

  test.each([
    ["keys show agnt", "Did you mean agent?"],
    ["plugins test polcy", "Did you mean policy?"],
    ["plugins show polcy", "runtime plugins list"],
    ["gateways show suport", "Did you mean support?"],
    ["secrets show VENDOR_TOKN", "Did you mean VENDOR_TOKEN?"],
    ["projects show defalt", "Did you mean default?"],
    ["config show prot", "Did you mean port?"],
  ])("%s exits 3 with the nearest name", async (line, advice) => {
    const ran = await run(line.split(" "));

    expect([ran.code, ran.stdout]).toEqual([3, ""]);
    expect(ran.stderr).toContain(advice);
  });

  test.each(["audit show au_none", "executions show te_none", "connections show ac_none"])(
    "%s exits 3",
    async (line) => {
      expect(await run(line.split(" "))).toMatchObject({ code: 3, stdout: "" });
    },
  );

  test("of a secret has no value", async () => {
    const { stdout } = await run(["secrets", "show", "VENDOR_TOKEN", "-o", "json"]);

    expect(stdout).not.toContain("hidden value");
  });
});

test("a name that several records have needs an id", async () => {
  await run(["keys", "create", "twin"]);
  await run(["keys", "create", "twin"]);
  const ran = await run(["keys", "show", "twin"]);

  expect([ran.code, ran.stderr.match(/key_\w+/g)?.length]).toEqual([5, 2]);
});

test("plugins are changed, tested and deleted by name", async () => {
  const made = await run("plugins create second --pre http://127.0.0.1:9/pre --priority 7".split(" "));
  expect([made.code, made.stderr.includes("second")]).toEqual([0, false]);
  expect((await run(["plugins", "update", "second", "--status", "active"])).code).toBe(0);
  expect((await run(["plugins", "test", "second"])).stdout).toContain("tool.pre");
  expect((await run(["hooks", "list", "--plugin", "second", "-o", "name"])).stdout).toMatch(/^hk_\w+\n$/);
});

test("the id that exec prints is the one that lists print", async () => {
  const { stdout } = await run(["tools", "exec", "Chat.WhoAmI", "-o", "name"]);

  expect(await names("executions list")).toContain(stdout.trim());
});

describe("a filter that names nothing", () => {
  test.each([
    ["connections list --provider slak", 3, "Did you mean slack?"],
    ["connections list --user alcie", 3, "Did you mean alice?"],
    ["executions list --tool Chat.WhoAmII", 3, "Chat.WhoAmI?"],
    ["executions list --user alcie", 3, "Did you mean alice?"],
    ["executions list --status complete", 2, "(nearest: completed)"],
    ["hooks list --plugin polcy", 3, "Did you mean policy?"],
    ["hooks list --point tool.pree", 2, "(nearest: tool.pre)"],
    ["tools list --toolkit Chatt", 3, "Did you mean Chat?"],
    ["tools search message --toolkit Chatt", 3, "Did you mean Chat?"],
  ])("%s is an error with the nearest name", async (line, code, advice) => {
    const ran = await run(line.split(" "));

    expect([ran.code, ran.stdout]).toEqual([code, ""]);
    expect(ran.stderr).toContain(advice);
  });
});

describe("marks", () => {
  test("of an expired key", async () => {
    const { run: elsewhere } = newTerminal();
    const now = Date.now();
    const soon = new Date(now + 2000).toISOString().replace(/\.\d+Z$/, "Z");
    await elsewhere(["keys", "create", "short", "--expires", soon]);
    const real = Date.now;
    Date.now = () => now + 60_000;
    try {
      expect((await elsewhere(["keys", "list"])).stdout).toContain(`${soon} (expired)`);
    } finally {
      Date.now = real;
    }
  });
});

describe("a custom verifier", () => {
  test("is tested, and confirms a user", async () => {
    const test = await run("auth test-verifier http://127.0.0.1:9/verify --user alice -o json".split(" "));
    expect(jsonOf(test)).toMatchObject({ flow_id: expect.any(String), next_uri: expect.any(String) });
  });

  test("is told which flow is unknown", async () => {
    const ran = await run(["auth", "confirm-user", "f".repeat(43), "--user", "alice"]);

    expect([ran.code, ran.stdout]).toEqual([3, ""]);
  });
});

describe("config", () => {
  test("set writes the file that path names, and show shows it", async () => {
    const { run: alone } = newTerminal();
    const path = (await alone(["config", "path"])).stdout.trim();
    expect((await alone(["config", "set", "port", "8123"])).stderr).toContain(path);

    expect((await Bun.file(path).text()).trim()).toBe("port: 8123");
    expect(jsonOf(await alone(["config", "show", "port", "-o", "json"]))).toMatchObject({
      key: "port",
      value: 8123,
    });
  });

  test.each([
    ["prot", "1", "Did you mean port?", 3],
    ["port", "many", "a port, 0 to 65535", 1],
    ["root_key", "x", "Set it in the environment", 1],
  ])("set %s %s is refused", async (key, value, message, code) => {
    const { run: alone } = newTerminal();
    const ran = await alone(["config", "set", key, value]);

    expect([ran.code, ran.stdout]).toEqual([code, ""]);
    expect(ran.stderr).toContain(message);
  });
});
