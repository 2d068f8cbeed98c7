// From the start of the executable to its first useful answer: an authenticated list. The notes add the first answer of
// any kind (health) and the first answer on a new data folder.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench";
import { atMost } from "../bound";
import { compiled } from "../compiled";
import { createDeployment } from "../deployment";
import { median, ratios, spread } from "../figures";
import { rawRequest } from "../load/job";
import { inTurn } from "../rounds";
import { firstAnswer, type Program } from "../first-answer";
import { EXECUTABLE } from "../server-under-test";

const STARTS = 15;
const BOUND = atMost(12);
const HEALTH = rawRequest({ path: "/v1/health" });

export const start: Bench = {
  name: "start",
  about: "first authenticated list after start, against an empty server that Bun compiled",
  run: async (context) => {
    const row = { name: "start", measured: "", baseline: "", bound: BOUND };
    if (!existsSync(EXECUTABLE)) return [{ ...row, note: "no executable: bun run build" }];
    const empty = await compiled(context, "empty-server");
    const { environment, folder, key } = await createDeployment(join(context.folder, "start"), 10);
    const list = rawRequest({ path: "/v1/admin/secrets", key });
    let fresh = 0;
    const times = await inTurn(STARTS, {
      baseline: () => firstAnswer(context, folder, (port) => ({ command: [empty, String(port)] }), HEALTH),
      ours: () => firstAnswer(context, folder, (port) => served(environment, port), list),
      health: () => firstAnswer(context, folder, (port) => served(environment, port), HEALTH),
      fresh: () => firstAnswer(context, folder, (port) => served(newHome(folder, fresh++), port), HEALTH),
    });
    const figures = ratios(times.ours, times.baseline);
    const ms = (values: readonly number[]): string => `${median(values).toFixed(1)} ms`;
    return [
      {
        ...row,
        measured: ms(times.ours),
        baseline: ms(times.baseline),
        figure: median(figures),
        spread: spread(figures),
        note: `${STARTS} starts; health answered after ${ms(times.health)}; on a new data folder ${ms(times.fresh)}`,
        details: { health_ms: median(times.health), fresh_ms: median(times.fresh) },
      },
    ];
  },
};

function served(environment: Readonly<Record<string, string>>, port: number): Program {
  return { command: [EXECUTABLE, "serve"], environment: { ...environment, RUNTIME_PORT: String(port) } };
}

function newHome(folder: string, number: number): Record<string, string> {
  const home = join(folder, `home-${number}`);
  mkdirSync(home);
  return { HOME: home };
}
