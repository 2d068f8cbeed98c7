// Opened sessions that nobody uses are forgotten, but none that is in use: clients of these revisions rarely end them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { GatewayUser } from "../../src/mcp/access";
import { Sessions } from "../../src/mcp/session";
import { operator } from "../tools/deployment";
import { type McpSite, startMcpSite } from "./site";

const MINUTE = 60_000;
const STATE = { version: "2025-11-25", byUrl: false, byForm: false, parsesTexts: false } as const;

let site: McpSite;
beforeAll(async () => {
  site = await startMcpSite();
});
afterAll(() => site[Symbol.asyncDispose]());

async function sessionsAt() {
  const { core } = site.deployment.runtime;
  const time = { now: 0 };
  const clock = { ...core.clock, now: () => core.clock.now(), monotonic: () => time.now };
  const sessions = new Sessions({ ...core, clock });
  const gateway = { id: "gw_1", projectId: "default" };
  const user = { gateway, principal: operator(), userId: "alice" } as unknown as GatewayUser;
  const begin = () => sessions.begin(user, STATE);
  return { time, sessions, begin, open: (id: string) => sessions.open(id, user) };
}

test("a session is forgotten when nothing has used it for ten minutes, and can still be opened", async () => {
  const { time, sessions, begin, open } = await sessionsAt();
  const idle = await begin();
  await open(idle);
  time.now = 11 * MINUTE;
  await open(await begin());

  expect(sessions.size).toBe(1);
  expect((await open(idle)).version).toBe("2025-11-25");
});

test("sessions that are used, or that have a stream, stay", async () => {
  const { time, sessions, begin, open } = await sessionsAt();
  const [used, listening] = [await begin(), await begin()];
  const first = await open(used);
  const second = await open(listening);
  second.streams.push({});
  for (let minute = 6; minute <= 30; minute += 6) {
    time.now = minute * MINUTE;
    await open(used);
    await open(await begin());
  }

  expect(await open(used)).toBe(first);
  expect(await open(listening)).toBe(second);
  expect(sessions.size).toBeLessThan(6);
});
