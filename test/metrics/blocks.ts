// The configuration that docs/metrics.md has for Prometheus.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const PAGE = readFileSync(join(import.meta.dir, "../../docs/metrics.md"), "utf8");

const blocks = [...PAGE.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = ""]) => block);

export const SCRAPE = blocks.find((block) => block.startsWith("scrape_configs:")) ?? "";
export const RULES = blocks.find((block) => block.startsWith("groups:")) ?? "";
