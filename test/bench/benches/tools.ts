// The list of tools, 100 per page.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench";
import { atLeast } from "../bound";
import { compareRates, startBaseline } from "../compare";
import { createDeployment } from "../deployment";
import { answerOf, startServer } from "../server-under-test";

const PATH = "/v1/tools?limit=100";

export const tools: Bench = {
  name: "tools",
  about: "tool listing, 100 a page, against bare Bun sending the same bytes",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "tools"), 10);
    const ours = await startServer(context, deployment);
    const requests = [{ path: PATH, key: deployment.key }];
    const file = join(deployment.folder, "answer.json");
    writeFileSync(file, await answerOf(ours, PATH, deployment.key));
    const bare = await startBaseline(context, "bytes", [file]);
    const side = { requests, contains: '"page_count":' };
    const row = await compareRates(context, "tools", atLeast(0.9), {
      ours: { ...ours, ...side },
      baseline: { ...bare, ...side },
    });
    await Promise.all([ours.stop(), bare.stop()]);
    return [row];
  },
};
