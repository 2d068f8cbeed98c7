// A server that is stopped while its database does not answer, or fails.
import { expect, setDefaultTimeout, test } from "bun:test";
import { serveSession } from "../../cli/serve";
import { createLog, systemClock } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { Failing } from "../support/failing-store";
import { Silence } from "../support/silent-store";
import { temporaryFolder } from "../support/temporary";
import { fakeIo } from "./support/fake-io";

setDefaultTimeout(20_000);

const silence = new Silence();
const failing = new Failing();

test.each([
  ["does not answer", silence.openStore, () => silence.begin()],
  ["fails", failing.openStore, () => failing.from(1)],
])("a server whose database %s finishes its requests and stops", async (_name, openStore, goesAway) => {
  const environment = { HOME: temporaryFolder(), RUNTIME_PORT: "0", RUNTIME_SHUTDOWN_TIMEOUT: "1" };
  const config = loadConfig({ environment });
  let stops = false;
  const written: string[] = [];
  const write = (line: string): void => {
    written.push(line);
    // The last step of the start.
    if (line.includes("There is no API key")) {
      goesAway();
      stops = true;
    }
    // What comes after that waits until the engine gives up the connection.
    if (line.includes('"stopped')) silence.end();
  };
  const log = createLog({ level: "info", clock: systemClock, write });
  const runtime = await createRuntime(config, NO_EXTENSIONS, { log, openStore });
  const principal = await runtime.identity.operator("default");
  const session = { config, runtime, principal, newKey: undefined, server: async () => undefined };

  const code = await serveSession(fakeIo({ stops: () => stops }), session, { ready: async () => undefined });
  failing.end();
  await runtime.close();

  expect(code).toBe(0);
  expect(written.join("\n")).toContain("the announcement of this server could not be withdrawn");
});
