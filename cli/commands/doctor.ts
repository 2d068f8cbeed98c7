// `runtime doctor`: what is wrong with this installation, and what to do about it.
import type { Finding } from "../../src/checkup";
import { refuseServer } from "../client/client";
import { type Common, type Noun, verb } from "../command";
import { EXIT } from "../errors";
import type { Io } from "../io";
import { withProgress } from "../progress";
import { printList, type Shape } from "../output";
import { printable } from "../printable";
import { loadCommonConfig } from "../session";

export const doctor: Noun = {
  name: "doctor",
  summary: "find what is wrong with this installation",
  verbs: [
    verb({
      usage: "doctor",
      summary:
        "Look over configuration, data folder, key, database, clock, port, redirect address and the providers' " +
        "servers, and say what to do. Exits 1 when there is a problem.",
      examples: ["runtime doctor", "runtime doctor -o json"],
      flags: [{ flag: "--all", meaning: "show what is fine as well" }],
      read: (line) => ({ all: line.given("all") }),
      run: look,
    }),
  ],
};

const SHAPE: Shape<Finding> = {
  name: ({ check }) => check,
  optional: ["fix"],
  columns: [
    { title: "check", value: ({ check }) => check },
    { title: "status", value: ({ status }) => status },
    { title: "message", value: ({ message }) => message },
  ],
};

async function look(io: Io, common: Common, { all }: { all: boolean }): Promise<number> {
  refuseServer(common, "doctor");
  const [{ examine }, { createRuntime }, { extensions }, { silentLog }, { findServer }] = await Promise.all([
    import("../../src/doctor"),
    import("../../src/runtime"),
    import("../../catalogs"),
    import("../../src/base"),
    import("../probe"),
  ]);
  const looking = examine({
    config: () => loadCommonConfig(io, common),
    open: (config) => createRuntime(config, extensions, { log: silentLog }),
    running: async (runtime) => {
      const server = await findServer(runtime);
      if (server !== undefined) runtime.listensOn(server.public_url);
      return server?.address;
    },
  });
  const findings = await withProgress(io, "Looking", looking);
  const wrong = findings.filter(({ status }) => status !== "ok");
  const shown = all || common.output !== "table" ? findings : wrong;
  if (common.output !== "table" || common.fields !== undefined) printList(io, common, shown, SHAPE, "");
  else for (const finding of shown) io.out(linesOfFinding(io, finding));
  const problems = findings.filter(({ status }) => status === "problem").length;
  const checks = `${findings.length} checks`;
  if (wrong.length === 0) io.note(io.notePaint.green(`Everything is fine (${checks}).`));
  else io.note(`${problems} problems, ${wrong.length - problems} warnings (${checks}).`);
  return problems === 0 ? EXIT.ok : EXIT.error;
}

// A sentence to read, with the fix under it: a table would cut both.
function linesOfFinding({ paint }: Io, { check, status, message, fix }: Finding): string {
  const mark = status === "ok" ? paint.green("ok") : paint.red(status);
  const head = `${mark}  ${paint.bold(check)}: ${printable(message)}\n`;
  return fix === undefined ? head : `${head}    fix: ${printable(fix)}\n`;
}
