// `runtime doctor`: finds problems of this installation and suggests fixes, or checks a platform on a real account.
import { SELF_CHECKED } from "../../catalogs/self-checked";
import type { Finding } from "../../src/checkup";
import { refuseServer } from "../client/client";
import { type Common, verb } from "../command";
import { counted } from "../counted";
import { EXIT, UsageError } from "../errors";
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
      "suggest fixes. With --platform: check whether a platform behaves as its tools expect, with harmless calls and the " +
      "grant of a user; the report has no content of the account. Exits 1 if there is a problem or a difference.",
    examples: [
      "runtime doctor",
      "runtime doctor -o json",
      "runtime doctor --bundle diagnosis.tar.gz",
      `runtime doctor --platform ${SELF_CHECKED[0]} --user alice`,
      `runtime doctor --platform ${SELF_CHECKED[0]} --user alice --write -o json > report.json`,
    ],
    flags: [
      { flag: "--all", meaning: "also show checks without problems" },
      {
        flag: "--bundle <file>",
        meaning:
          "write findings, settings, sizes, metrics and log lines into this file (tar.gz), without secrets",
      },
      { flag: "--log <file>", meaning: "with --bundle: take log lines from this file, not from the server" },
      { flag: "--force", meaning: "with --bundle: replace the file if it exists" },
      { flag: "--platform <platform>", meaning: `check this platform: ${SELF_CHECKED.join(", ")}` },
      {
        flag: "--user <user>",
        meaning: "with --platform: whose grant is used; default: the configured user",
      },
      {
        flag: "--write",
        meaning: "with --platform: also send a message to oneself, or create a file of one's own",
      },
    ],
    read: (line) => ({
      all: line.has("all"),
      bundle: line.text("bundle"),
      log: line.text("log"),
      force: line.has("force"),
      platform: line.choice("platform", SELF_CHECKED),
      user: line.text("user"),
      write: line.has("write"),
    }),
    run: checkOrSelfCheck,
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

interface DoctorOptions {
  all: boolean;
  bundle: string | undefined;
  log: string | undefined;
  force: boolean;
  platform: string | undefined;
  user: string | undefined;
  write: boolean;
}

async function checkOrSelfCheck(io: Io, common: Common, options: DoctorOptions): Promise<number> {
  const { platform, user, write, bundle: file, log, force } = options;
  if (platform !== undefined && file !== undefined)
    throw new UsageError("Give --bundle or --platform, not both.");
  if (file === "-") throw new UsageError("--bundle takes the name of a file, for example diagnosis.tar.gz.");
  if (file === undefined && (log !== undefined || force))
    throw new UsageError(
      `--${force ? "force" : "log"} needs --bundle: runtime doctor --bundle diagnosis.tar.gz`,
    );
  if (platform !== undefined)
    return (await import("../self-check")).selfCheck(io, common, { ...options, platform });
  if (user !== undefined || write)
    throw new UsageError(`--${write ? "write" : "user"} needs --platform: ${SELF_CHECKED.join(", ")}.`);
  refuseServer(common, "doctor");
  if (file === undefined) return check(io, common, options);
  const { bundle } = await import("../doctor-bundle");
  return bundle(io, common, { bundle: file, log, force }, () => findingsOf(io, common, false));
}

async function findingsOf(io: Io, common: Common, namesRows: boolean): Promise<Finding[]> {
  const [{ examine }, { createRuntime }, { extensions }, { silentLog }, { findServer }] = await Promise.all([
    import("../../src/doctor"),
    import("../../src/runtime"),
    import("../../catalogs"),
    import("../../src/base"),
    import("../probe"),
  ]);
  return examine({
    namesRows,
    starts: async (config) => (await import("../serve")).startFindings(config, Date.now()),
    config: () => loadCommonConfig(io, common, { strict: true }),
    open: (config) => createRuntime(config, extensions, { log: silentLog }),
    running: async (runtime) => {
      const server = await findServer(runtime);
      if (server !== undefined) runtime.listensOn(server.public_url);
      return server?.address;
    },
  });
}

async function check(io: Io, common: Common, { all }: { all: boolean }): Promise<number> {
  const findings = await withProgress(io, "Checking", findingsOf(io, common, true));
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
