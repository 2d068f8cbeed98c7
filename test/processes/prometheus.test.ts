// A real Prometheus with the scrape configuration and the rules of docs/metrics.md.
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RULES, SCRAPE } from "../metrics/blocks";
import { at } from "../support/api";
import { freePort } from "../support/free-port";
import { testWith } from "../support/require";
import { startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";

const PROGRAM = Bun.which("prometheus");
const LOOK_MS = 100;

testWith("prometheus", PROGRAM !== null)(
  "Prometheus scrapes a server with a key of the role metrics, and evaluates the rules",
  async () => {
    await using site = await startSite();
    const folder = temporaryFolder();
    const key = join(folder, "runtime.key");
    writeFileSync(key, await site.key("metrics"));
    writeFileSync(join(folder, "rules.yml"), RULES);
    const configuration = SCRAPE.replace("/etc/prometheus/runtime.key", key)
      .replace("127.0.0.1:9099", new URL(site.url).host)
      .replace("scrape_interval: 15s", "scrape_interval: 1s");
    writeFileSync(
      join(folder, "prometheus.yml"),
      `global: { evaluation_interval: 1s }\nrule_files: [${join(folder, "rules.yml")}]\n${configuration}`,
    );
    const port = freePort();
    const child = Bun.spawn(
      [
        PROGRAM ?? "",
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdout: "ignore", stderr: "ignore" },
    );
    const get = async (path: string): Promise<unknown> =>
      fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
        .then((answer) => answer.json())
        .catch(() => undefined);
    const until = async (path: string, holds: (answer: unknown) => boolean): Promise<unknown> => {
      for (;;) {
        const answer = await get(path);
        if (holds(answer)) return answer;
        await Bun.sleep(LOOK_MS);
      }
    };
    try {
      const query = encodeURIComponent('up{job="runtime"}');
      await until(`query?query=${query}`, (answer) => at(answer, "data.result.0.value.1") === "1");
      const healthy = await until(
        "query?query=runtime_healthy",
        (answer) => at(answer, "data.result.0") !== undefined,
      );
      expect(at(healthy, "data.result.0.value.1")).toBe("1");
      const rules = await until("rules", (answer) => {
        const all = at(answer, "data.groups.0.rules");
        return Array.isArray(all) && all.length > 0 && all.every((rule) => at(rule, "health") !== "unknown");
      });
      const all = at(rules, "data.groups.0.rules");
      const broken = Array.isArray(all) ? all.filter((rule) => at(rule, "health") !== "ok") : [rules];
      expect(broken).toEqual([]);
    } finally {
      child.kill();
      await child.exited;
    }
  },
  30_000,
);
