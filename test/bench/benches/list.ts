// A page of 25 connections.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench";
import { atLeast } from "../bound";
import { compareRates, startBaseline } from "../compare";
import { createDeployment } from "../deployment";
import { answerOf, startServer } from "../server-under-test";

export const LIST_PATH = "/v1/admin/user_connections?limit=25";

export const list: Bench = {
  name: "list",
  about: "list of 25, against bare Bun + SQLite doing the same reads and sending the same bytes",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "list"), 1000);
    const ours = await startServer(context, deployment);
    const requests = [{ path: LIST_PATH, key: deployment.key }];
    const answer = await answerOf(ours, LIST_PATH, deployment.key);
    const file = join(deployment.folder, "answer.json");
    writeFileSync(file, answer);
    const bare = await startBaseline(context, "list", [deployment.database, file]);
    const side = { requests, contains: '"page_count":25' };
    const row = await compareRates(context, "list", atLeast(0.9), {
      ours: { ...ours, ...side },
      baseline: { ...bare, ...side },
    });
    await Promise.all([ours.stop(), bare.stop()]);
    return [row];
  },
};
