// The variables of a service manager are for the server only.
import { expect, test } from "bun:test";
import { createLog, environmentForOthers, systemClock } from "../../src/base";
import { openNotifier } from "../../src/supervision/notify";

const log = createLog({ write: () => undefined, level: "info", clock: systemClock });
const manager = { NOTIFY_SOCKET: "/run/systemd/notify", WATCHDOG_USEC: "60000000", WATCHDOG_PID: "1" };

test("programs of others do not get them", () => {
  expect(environmentForOthers({ ...manager, PATH: "/usr/bin" })).toEqual({ PATH: "/usr/bin" });
});

test("they are removed once they are read", async () => {
  const env = { ...manager, PATH: "/usr/bin" };

  const notifier = await openNotifier(env, log);
  notifier?.close();

  expect(notifier?.watchdogMs).toBeUndefined();
  expect(env as object).toEqual({ PATH: "/usr/bin" });
});

test("a watchdog without a socket changes nothing", async () => {
  expect(await openNotifier({ WATCHDOG_USEC: "60000000" }, log)).toBeUndefined();
});

test.each([
  ["60000000", undefined, 60_000],
  ["60000000", String(process.pid), 60_000],
  ["60000000", "1", undefined],
  ["0", undefined, undefined],
  ["-5", undefined, undefined],
  ["soon", undefined, undefined],
])("WATCHDOG_USEC=%s with WATCHDOG_PID=%s means %p ms", async (usec, pid, expected) => {
  const env = { NOTIFY_SOCKET: "@nothing", WATCHDOG_USEC: usec, WATCHDOG_PID: pid };

  const notifier = await openNotifier(env, log);
  notifier?.close();

  expect(notifier?.watchdogMs).toBe(expected);
});
