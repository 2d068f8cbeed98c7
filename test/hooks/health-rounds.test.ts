// Rounds of health checks: of several servers on one database, one polls in each minute.
import { expect, test } from "bun:test";
import { operator } from "../tools/deployment";
import { hooked } from "./hooked";
import { json } from "./webhook-peer";

test("one of three servers polls in each minute, and all show the result", async () => {
  await using stage = await hooked();
  const { deployment, project } = stage;
  const runtimes = [deployment.runtime, await deployment.another(), await deployment.another()];
  project.respond = (_asked, response) => json(response, 200, { status: "healthy" });
  const { id } = await stage.plugin({ points: ["pre"], webhook: { health_check_path: "/health" } });
  const round = () => Promise.all(runtimes.map(({ pluginHealth }) => pluginHealth.pollInTurn()));

  await round();
  await round();
  expect(project.asked.map(({ path }) => path)).toEqual(["health"]);
  const shown = await Promise.all(runtimes.map(({ plugins }) => plugins.get(operator(), id)));
  expect(shown.map(({ health_status }) => health_status)).toEqual(["healthy", "healthy", "healthy"]);

  deployment.clock.move(60_000);
  await round();
  expect(project.asked.length).toBe(2);
  // A clock that ran ahead has begun the latest round.
  deployment.clock.jump(-3600_000);
  await round();
  expect(project.asked.length).toBe(3);
});
