// `runtime doctor`: finds problems of this installation and suggests fixes.
import type { Finding } from "../../src/checkup";
import { refuseServer } from "../client/client";
import { type Common, verb } from "../command";
import { counted } from "../counted";
import { EXIT } from "../errors";
import type { Io } from "../io";
import { withProgress } from "../progress";
import { printList, type Shape } from "../output";
import { printable } from "../printable";
import { loadCommonConfig } from "../session";
import { wrapped } from "../wrap";

export const verbs = [
  verb({
    usage: "doctor",
    summary:
      "Check configuration, data folder, key, database, clock, port, redirect address and the providers' servers, and " +
      "suggest fixes. Exits 1 if there is a problem.",
    examples: ["runtime doctor", "runtime doctor -o json"],
    flags: [{ flag: "--all", meaning: "also show checks without problems" }],
    read: (line) => ({ all: line.has("all") }),
    run: check,
  }),
];

const SHAPE: Shape<Finding> = {
  name: ({ check }) => check,
  optional: ["fix"],
  columns: [
    { title: "check", value: ({ check }) => check },
    { title: "status", value: ({ status }) => status },
    { title: "message", value: ({ message }) => message },
  ],
};

async function check(io: Io, common: Common, { all }: { all: boolean }): Promise<number> {
  refuseServer(common, "doctor");
  const [{ examine }, { createRuntime }, { extensions }, { silentLog }, { findServer }] = await Promise.all([
    import("../../src/doctor"),
    import("../../src/runtime"),
    import("../../catalogs"),
    import("../../src/base"),
    import("../probe"),
  ]);
  const running = examine({
    config: () => loadCommonConfig(io, common, { strict: true }),
    open: (config) => createRuntime(config, extensions, { log: silentLog }),
    running: async (runtime) => {
      const server = await findServer(runtime);
      if (server !== undefined) runtime.listensOn(server.public_url);
      return server?.address;
    },
  });
  const findings = await withProgress(io, "Checking", running);
  const wrong = findings.filter(({ status }) => status !== "ok");
  const shown = all || common.output !== "table" ? findings : wrong;
  if (common.output !== "table" || common.fields !== undefined) printList(io, common, shown, SHAPE, "");
  else for (const finding of shown) io.out(linesOfFinding(io, finding));
  const problems = findings.filter(({ status }) => status === "problem").length;
  const checks = counted(findings.length, "check");
  if (wrong.length === 0) io.note(io.notePaint.green(`No problems found (${checks}).`));
  else {
    const warnings = counted(wrong.length - problems, "warning");
    io.note(`${counted(problems, "problem")}, ${warnings} (${checks}).`);
  }
  return problems === 0 ? EXIT.ok : EXIT.error;
}

// A table would truncate the message and the fix.
function linesOfFinding({ paint, columns }: Io, { check, status, message, fix }: Finding): string {
  const mark = status === "ok" ? paint.green("ok") : paint.red(status);
  const lines = wrapped(`${mark}  ${paint.bold(check)}: ${printable(message)}`, columns);
  // What can be copied from a fix stays in one piece.
  const advice = fix === undefined ? [] : [`    fix: ${printable(fix)}`];
  return [...lines, ...advice].map((line) => `${line}\n`).join("");
}
