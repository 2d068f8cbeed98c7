// Runs the conformance suite as a process and reads its results.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peer } from "./peers";

/** A package of the suite, and the protocol revision that it tests. */
export interface SuiteRun {
  suite: "conformance-2025" | "conformance-2026";
  revision: string;
}

export interface Verdict {
  scenario: string;
  check: string;
  message: string;
}

export interface Verdicts {
  /** Names of the scenarios that ran. */
  scenarios: string[];
  /** Checks that failed or warned. */
  failures: Verdict[];
}

interface Check {
  id: string;
  name: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

const SUITE_MS = 120_000;

/** Runs all server scenarios of a revision against an MCP address. Throws if the suite itself fails. */
export async function runSuite({ suite, revision }: SuiteRun, url: string): Promise<Verdicts> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  try {
    const script = peer(suite, "dist", "index.js");
    const options = ["--url", url, "--suite", "all", "--spec-version", revision, "-o", folder];
    const child = Bun.spawn([process.execPath, script, "server", ...options], {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      stdout: "pipe",
      stderr: "pipe",
      timeout: SUITE_MS,
    });
    const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    await child.exited;
    const verdicts = verdictsIn(folder);
    if (verdicts.scenarios.length === 0)
      throw new Error(`the suite ran no scenario: ${printed}${complaints}`);
    return verdicts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a client scenario with a command, to which the suite adds the address of its server. Returns what it printed. */
export async function runClientScenario(
  { suite, revision }: SuiteRun,
  scenario: string,
  command: string,
): Promise<{ passed: boolean; printed: string }> {
  const script = peer(suite, "dist", "index.js");
  const options = ["--command", command, "--scenario", scenario, "--spec-version", revision];
  const child = Bun.spawn([process.execPath, script, "client", ...options], {
    env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir() },
    stdout: "pipe",
    stderr: "pipe",
    timeout: SUITE_MS,
  });
  const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const text = printed + complaints;
  return { passed: (await child.exited) === 0 && text.includes("OVERALL: PASSED"), printed: text };
}

/** The scenarios that a revision requires of a client or a server, as its release has fixed them. */
export async function requiredScenarios(
  { suite, revision }: SuiteRun,
  of: "client" | "server",
): Promise<string[]> {
  const script = peer(suite, "dist", "index.js");
  const child = Bun.spawn([process.execPath, script, "list", `--${of}`, "--requirements", revision], {
    env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir() },
    stdout: "pipe",
    timeout: SUITE_MS,
  });
  const text = await child.stdout.text();
  await child.exited;
  const [, list = ""] = text.split(of === "client" ? "Client scenarios" : "Server scenarios");
  // The lists of scenarios begin with two spaces, and end with an empty line.
  return [...(list.split("\n\n")[0] ?? "").matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
}

// One folder for each scenario: `server-NAME-TIME/checks.json`.
export function verdictsIn(folder: string): Verdicts {
  const verdicts: Verdicts = { scenarios: [], failures: [] };
  for (const file of new Bun.Glob("**/checks.json").scanSync({ cwd: folder })) {
    const scenario = file.replace(/^server-/, "").replace(/-\d{4}-\d{2}-\d{2}T[^/]*\/checks\.json$/, "");
    const checks: Check[] = JSON.parse(readFileSync(join(folder, file), "utf8"));
    verdicts.scenarios.push(scenario);
    for (const { id, name, status, errorMessage = "" } of checks) {
      if (status !== "FAILURE" && status !== "WARNING") continue;
      verdicts.failures.push({ scenario, check: `${id} ${name}`, message: errorMessage });
    }
  }
  verdicts.scenarios.sort();
  return verdicts;
}
