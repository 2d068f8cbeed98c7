// From the start of the executable to its first useful answer: an authenticated list. The notes add the first answer of
// any kind (health) and the first answer on a new data folder.
import { existsSync, mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Bench, Context } from "../bench";
import { atMost } from "../bound";
import { compiled } from "../compiled";
import { createDeployment } from "../deployment";
import { median, ratios, spread } from "../figures";
import { rawRequest } from "../load/job";
import { inTurn } from "../rounds";
import { EXECUTABLE, freePort } from "../server-under-test";

const STARTS = 15;
const GIVE_UP_MS = 10_000;
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
      baseline: () => firstAnswer(context, folder, (port) => ({ command: [empty, String(port)] })),
      ours: () => firstAnswer(context, folder, (port) => served(environment, port), list),
      health: () => firstAnswer(context, folder, (port) => served(environment, port)),
      fresh: () => firstAnswer(context, folder, (port) => served(newHome(folder, fresh++), port)),
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

interface Program {
  command: string[];
  environment?: Readonly<Record<string, string>>;
}

function served(environment: Readonly<Record<string, string>>, port: number): Program {
  return { command: [EXECUTABLE, "serve"], environment: { ...environment, RUNTIME_PORT: String(port) } };
}

function newHome(folder: string, number: number): Record<string, string> {
  const home = join(folder, `home-${number}`);
  mkdirSync(home);
  return { HOME: home };
}

/** Milliseconds from the start of the program to the first byte of its first answer. */
async function firstAnswer(
  { children }: Context,
  folder: string,
  program: (port: number) => Program,
  request = HEALTH,
): Promise<number> {
  const port = freePort();
  const { command, environment = {} } = program(port);
  const begin = performance.now();
  const child = children.spawn(command, { environment, errorFile: join(folder, "start.log") });
  try {
    while (!(await answers(port, request))) {
      if (child.exitCode() !== null || performance.now() - begin > GIVE_UP_MS) {
        throw new Error(`${command.join(" ")} did not answer`);
      }
    }
    return performance.now() - begin;
  } finally {
    await child.stop();
  }
}

/** One attempt to get status 200; a refused connection is retried a millisecond later. */
function answers(port: number, request: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (answered: boolean): void => {
      socket.destroy();
      if (answered) resolve(true);
      else setTimeout(() => resolve(false), 1);
    };
    socket.once("connect", () => socket.write(request));
    socket.once("data", (bytes) => end(bytes.toString("latin1").startsWith("HTTP/1.1 200")));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
  });
}
