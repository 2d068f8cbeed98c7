// The log of `runtime serve` and of commands, as processes.
import { describe, expect, test } from "bun:test";
import { Installation, type RunningServer } from "../support/runtime-process";
import { startAtTerminal } from "./support/processes";

async function linesWith(server: RunningServer, text: string): Promise<string[]> {
  while (!server.output().includes(text)) await Bun.sleep(5);
  return server.output().trimEnd().split("\n");
}

describe("runtime serve", () => {
  test("prints one kind of line if log.format is json", async () => {
    await using installation = new Installation(undefined);
    const server = await installation.serve("--log-format", "json", "--log-access");
    const { address } = JSON.parse(server.address);
    await fetch(`${address}/v1/tools`);

    const lines = (await linesWith(server, '"message":"request"')).map((line) => JSON.parse(line));

    expect(lines[0]).toMatchObject({ level: "info", message: "serving", page: `${address}/` });
    expect(lines.map(({ message }) => String(message))).toContain("refused");
  });

  test("prints one kind of line if log.format is text", async () => {
    await using installation = new Installation(undefined);
    const server = await installation.serve("--log-format", "text", "--log-access");
    const address = /address=(\S+)/.exec(server.address)?.[1] ?? "";
    await fetch(`${address}/v1/tools`);

    for (const line of await linesWith(server, "request  method="))
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z (debug|info |warn |error) \S/);
  });

  test("prints text at a terminal", async () => {
    await using installation = new Installation(undefined);
    const terminal = startAtTerminal(["serve", "--port", "0"], installation.environment);
    await terminal.shows("runtime keys create");

    expect(terminal.screen()).toContain(" info  serving  address=http://127.0.0.1:");
    expect(terminal.screen()).not.toContain('{"time"');
    terminal.type("\u0003");
    expect(await terminal.exited).toBe(0);
  });

  test("refuses a level that does not exist", async () => {
    await using installation = new Installation(undefined);
    const { code, stderr } = await installation.run(["serve", "--log-level", "loud"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: --log-level: "log\.level" must be .*debug, info, warn, error.*silent/);
  });
});

describe("runtime log level", () => {
  test("changes the level of the running server", async () => {
    await using installation = new Installation(undefined);
    const server = await installation.serve();
    const request = () => fetch(`${server.address}/v1/health`);
    await request();
    expect(server.output()).not.toContain('"level":"debug"');

    const changed = await installation.json(["log", "level", "debug", "--for", "10m"]);
    await request();
    await linesWith(server, '"message":"request details"');

    expect(changed).toMatchObject([{ server: server.address, level: "debug", configured: "info" }]);
    expect(JSON.stringify(changed)).toMatch(/"until":"\d{4}-/);
    expect(await installation.json(["log", "level"])).toMatchObject([{ level: "debug" }]);
  });

  test("says that no server is running", async () => {
    await using installation = new Installation(undefined);
    const { code, stderr, stdout } = await installation.run(["log", "level", "debug"]);
    expect(code).toBe(1);
    expect(stderr).toStartWith("error: No server is running on this data folder.");
    expect(stdout).toBe("");
  });

  test.each([
    [["debug", "--for", "10"], "--for takes a duration"],
    [["debug", "--for", "25h"], "--for takes a duration"],
    [["debug", "--for", "0m"], "--for takes a duration"],
    [["--for", "10m"], "--for needs a level"],
    [["loud"], "The level must be one of"],
  ])("refuses %j", async (words, message) => {
    await using installation = new Installation(undefined);
    const { code, stderr } = await installation.run(["log", "level", ...words]);
    expect(code).toBe(2);
    expect(stderr).toStartWith(`error: ${message}`);
  });
});

describe("runtime log access", () => {
  test("switches the access log of the running server, and off again", async () => {
    await using installation = new Installation(undefined);
    const server = await installation.serve();
    const request = () => fetch(`${server.address}/v1/health`);
    await request();

    const on = await installation.json(["log", "access", "on", "--for", "10m"]);
    await request();
    await linesWith(server, '"message":"request"');
    const off = await installation.json(["log", "access", "off"]);

    expect(on).toMatchObject([{ server: server.address, access: true, configured: false }]);
    expect(JSON.stringify(on)).toMatch(/"until":"\d{4}-/);
    expect(off).toMatchObject([{ access: false }]);
    const lines = await linesWith(server, '"to":"off"');
    const logged = lines.filter((line) => line.includes('"message":"request"'));
    expect(logged.filter((line) => line.includes('"/v1/health"'))).toHaveLength(1);
    expect(await installation.json(["log", "access"])).toMatchObject([{ access: false }]);
  });

  test("says that a silent log stays silent", async () => {
    await using installation = new Installation(undefined);
    await installation.serve("--log-level", "silent");
    const { code, stderr } = await installation.run(["log", "access", "on"]);
    expect(code).toBe(0);
    expect(stderr).toContain("The log level is silent, so nothing is written.");
  });

  test.each([
    [["on", "--for", "10"], "--for takes a duration"],
    [["--for", "10m"], "--for needs on or off"],
    [["loud"], "The state must be one of"],
  ])("refuses %j", async (words, message) => {
    await using installation = new Installation(undefined);
    const { code, stderr } = await installation.run(["log", "access", ...words]);
    expect(code).toBe(2);
    expect(stderr).toStartWith(`error: ${message}`);
  });
});

test("commands print no JSON log lines to people", async () => {
  await using installation = new Installation(undefined);
  installation.environment["RUNTIME_LOG_LEVEL"] = "debug";
  installation.environment["RUNTIME_LOG_FORMAT"] = "json";

  const { stderr } = await installation.run(["keys", "create", "agent"]);

  expect(stderr).toContain("debug: opened  data_dir=");
  expect(stderr).not.toContain('{"time"');
});
