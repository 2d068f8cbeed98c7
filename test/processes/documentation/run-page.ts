// Runs the commands of a page, in order and in one shell, in an empty home folder, and compares what they print.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Block } from "../../support/blocks";
import { Browser } from "../../support/browser";
import { freePort } from "../../support/free-port";
import { PYTHON } from "../../interop/workers/http-worker";
import { fitsJson, fitsLines } from "./expected";
import type { Page } from "./pages";
import { type Outcome, outcomeOf, scriptOf, type Step, stepsOf } from "./script";
import { type Stage, startStage } from "./stage";

const ROOT = join(import.meta.dir, "../../..");
const CONSENT = /https?:\/\/[\w.:-]+\/authorize\/[\w-]+/g;

/** One sentence for each thing that is not as the page says. */
export async function runPage(blocks: readonly Block[], page: Page, executable: string): Promise<string[]> {
  const steps = blocks.flatMap(stepsOf);
  const home = mkdtempSync(join(tmpdir(), "runtime-page-"));
  await using stage = await startStage(page, executable);
  const replaced = replacements(page, stage);
  try {
    prepare(home, executable, page, replaced);
    const script = replaced(withWaits(scriptOf(steps, page.before), page));
    const environment = Object.entries({ ...page.environment, ...stage.environment });
    const here = Object.fromEntries(environment.map(([name, value]) => [name, replaced(value)]));
    const { stdout, stderr, code } = await typed(script, home, here);
    const outcome = outcomeOf(steps, stdout);
    if (outcome.failed !== undefined || code !== 0) return [failure(outcome.failed, code, stdout, stderr)];
    return [...lineDifferences(steps, outcome), ...answerDifferences(blocks, steps, outcome, replaced)];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Ports of this machine are taken by others: each that a page names becomes a free one. */
function replacements(page: Page, stage: Stage): (text: string) => string {
  const ports = (page.ports ?? []).map((port) => [port, String(freePort())] as const);
  const all = [...Object.entries(page.replace ?? {}), ...stage.replace, ...ports];
  return (text) => all.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/** Readers wait until a server has started; a script goes on at once. */
function withWaits(script: string, { waits = {} }: Page): string {
  return Object.entries(waits).reduce(
    (text, [line, address]) =>
      text.replaceAll(
        line,
        `${line}\ncurl -s -o /dev/null --retry 100 --retry-delay 1 --retry-max-time 20 --retry-connrefused ${address}`,
      ),
    script,
  );
}

function prepare(home: string, executable: string, page: Page, replaced: (text: string) => string): void {
  mkdirSync(join(home, "bin"));
  const program = (name: string, line: string): void =>
    writeFileSync(join(home, "bin", name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  program("runtime", `exec '${executable}' "$@"`);
  // No page may change the packages of this checkout, or of this machine.
  for (const name of ["npm", "npx", "apt", "apt-get"])
    program(name, `echo "${name} is not for tests" >&2; exit 1`);
  program("bun", `exec '${process.execPath}' "$@"`);
  program("python3", `exec ${PYTHON} "$@"`);
  program("node", `exec '${process.execPath}' "$@"`);
  for (const [name, line] of Object.entries(page.fakes ?? {})) program(name, line);
  // A copy: what a page does in the folder stays there.
  cpSync(join(ROOT, "examples"), join(home, "examples"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(home, "node_modules"));
  for (const [name, text] of Object.entries(page.files ?? {})) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), replaced(text));
  }
}

/** Runs a script. A person consents as soon as an address for that is printed. */
async function typed(script: string, home: string, environment: Readonly<Record<string, string>>) {
  const child = Bun.spawn(["sh", "-c", script], {
    cwd: home,
    env: {
      HOME: home,
      PATH: `${home}/bin:${process.env["PATH"] ?? ""}`,
      RUNTIME_PORT: String(freePort()),
      ...environment,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // A group of its own: what the page starts in the background ends with it.
    detached: true,
  });
  const end = (): void => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // All of them have ended.
    }
  };
  const timer = setTimeout(end, 120_000);
  void child.exited.then(end);
  const consented = new Set<string>();
  const read = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      text += decoder.decode(bytes, { stream: true });
      for (const [address] of text.matchAll(CONSENT)) {
        if (consented.has(address)) continue;
        consented.add(address);
        await new Browser().consent(address, "bob").catch(() => undefined);
      }
    }
    return text;
  };
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)]);
  clearTimeout(timer);
  return { code: await child.exited, stdout, stderr };
}

function failure(step: Step | undefined, code: number, stdout: string, stderr: string): string {
  const place = step === undefined ? "the end" : `${step.block.page}:${step.block.line}\n${step.command}`;
  return `${place}\nended with ${code}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`;
}

function lineDifferences(steps: readonly Step[], { printed }: Outcome): string[] {
  return steps.flatMap(({ lines, block, command }, index) => {
    const found = (printed[index] ?? "").trimEnd();
    if (lines === undefined || fitsLines(lines, found === "" ? [] : found.split("\n"))) return [];
    return [`${block.page}:${block.line} ${command} does not print what the page shows:\n${found}`];
  });
}

/** Blocks that show the answer of the command before them. */
function answerDifferences(
  blocks: readonly Block[],
  steps: readonly Step[],
  { printed }: Outcome,
  replaced: (text: string) => string,
): string[] {
  return blocks.flatMap((block, at) => {
    if (block.mark !== "answer") return [];
    const index = steps.findLastIndex((step) => blocks.indexOf(step.block) < at);
    const found = (printed[index] ?? "").trim();
    const fits = fitsJson(JSON.parse(replaced(block.text)), parsed(found));
    return fits ? [] : [`${block.page}:${block.line} is not the answer:\n${found}`];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
