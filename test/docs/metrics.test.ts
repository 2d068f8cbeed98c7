// docs/metrics.md: its table is what the server has, and its configuration is valid for Prometheus.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { PAGE, RULES, SCRAPE } from "../metrics/blocks";
import { scrape, testWithPromtool } from "../metrics/page";
import { type Site, startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";

interface Row {
  name: string;
  type: string;
  labels: string[];
  help: string;
}

function rows(): Row[] {
  return PAGE.split("\n")
    .filter((line) => /^\| `(?:runtime|process)_/.test(line))
    .map((line) => {
      const [name = "", type = "", labels = "", help = ""] = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      const names = [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label);
      return { name: name.replaceAll("`", ""), type, labels: names, help: help.replaceAll("\\_", "_") };
    });
}

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site[Symbol.asyncDispose]());

test("the table has every metric of the server, and no other", () => {
  const served = site.runtime.metrics.described.map(({ type, description }): Row => {
    const suffix = type === "counter" ? "_total" : type === "info" ? "_info" : "";
    const { name, labels, help } = description;
    return { name: name + suffix, type, labels: [...labels], help };
  });

  expect(rows()).toEqual(served);
});

test("the page of the server has every metric of the table, and no other", async () => {
  const { text } = await scrape(site.url, await site.key("metrics"));

  const declared = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
  expect(declared.toSorted()).toEqual(
    rows()
      .map(({ name }) => name)
      .toSorted(),
  );
});

test("the rules use only metrics of the table, with labels that these have", () => {
  const { groups }: { groups: { rules: { expr: string }[] }[] } = parse(RULES);
  const known = new Map(rows().map(({ name, labels }) => [name, labels]));

  const used = groups
    .flatMap(({ rules }) => rules)
    .flatMap(({ expr }) => [...expr.matchAll(/((?:runtime|process)_\w+)(?:\{(\w+)=)?/g)]);

  expect(used.length).toBeGreaterThan(10);
  const unknown = used.filter(([, name = "", label]) => {
    const labels = known.get(name.replace(/_bucket$/, ""));
    return labels === undefined || (label !== undefined && !["job", ...labels].includes(label));
  });
  expect(unknown.map(([text]) => text)).toEqual([]);
});

testWithPromtool("the rules are valid", async () => {
  expect(await promtool(["check", "rules"], RULES)).toContain("SUCCESS");
});

testWithPromtool("the scrape configuration is valid", async () => {
  expect(await promtool(["check", "config", "--syntax-only"], SCRAPE)).toContain("SUCCESS");
});

async function promtool(command: readonly string[], content: string): Promise<string> {
  const file = join(temporaryFolder(), "checked.yml");
  writeFileSync(file, content);
  const child = Bun.spawn(["promtool", ...command, file], { stdout: "pipe", stderr: "pipe" });
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return `${out}${error} exit ${await child.exited}`;
}
