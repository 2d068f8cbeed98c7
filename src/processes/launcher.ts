// The launcher: a short-lived process that gives up its rights and then becomes the program. It starts in `/` with an empty
// environment, so that no file or variable of a program can change what it does.
import { fstatSync, readSync, writeSync } from "node:fs";
import { applyRules } from "./cage/landlock";
import { applyFilter, filterOf } from "./cage/seccomp";
import { dropCapabilities } from "./cage/capabilities";
import { callsOf } from "./cage/architecture";
import { errno, libc, prctl, ptr, systemCall, text, textList } from "./libc";
import { applyLimits, preferAsVictim } from "./limits";
import { type CagePlan, type LaunchPlan, PLAN_DESCRIPTOR, REFUSAL_DESCRIPTOR } from "./plan";

const PR_SET_PDEATHSIG = 1;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9;
/** The engine ignores SIGPIPE and SIGXFSZ, and a program would inherit that. */
const IGNORED = [13, 25];
const SIG_DFL = 0n;
const CLOSE_ON_EXEC = 4;
const ENOENT = 2;
const ENOEXEC = 8;
const EACCES = 13;

/** Becomes the program, or writes the reason to the refusal descriptor and ends. `supervisor` is the id of the parent. */
export function launch(supervisor: string | undefined): never {
  let reason: string;
  try {
    reason = become(readPlan(), Number(supervisor));
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  writeSync(REFUSAL_DESCRIPTOR, reason);
  process.exit(1);
}

function readPlan(): LaunchPlan {
  const bytes = Buffer.alloc(fstatSync(PLAN_DESCRIPTOR).size);
  for (let at = 0; at < bytes.length;) {
    const count = readSync(PLAN_DESCRIPTOR, bytes, at, bytes.length - at, at);
    if (count === 0) throw new Error("The plan of the start is incomplete.");
    at += count;
  }
  // Written by the server of the same executable.
  return JSON.parse(bytes.toString()) as LaunchPlan;
}

// Returns why it failed.
function become(plan: LaunchPlan, supervisor: number): string {
  // A supervisor that is killed cannot end the program any more.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (process.ppid !== supervisor) return "The supervisor has ended.";
  process.umask(0o077);
  applyLimits(plan.files);
  preferAsVictim();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1) !== 0) return `New privileges could not be ruled out (error ${errno()}).`;
  const program = prepared(plan);
  if (plan.cage !== undefined && !dropCapabilities()) return `Root's rights could not be given up.`;
  try {
    process.chdir(plan.folder);
  } catch (error) {
    return `The folder ${plan.folder} of the program cannot be entered: ${String(error)}`;
  }
  const failed = plan.cage === undefined ? undefined : enter(plan.cage);
  if (failed !== undefined) return failed;
  return program();
}

function enter(cage: CagePlan): string | undefined {
  const calls = callsOf(process.arch);
  if (calls === undefined) return `The cage does not know the processor architecture ${process.arch}.`;
  const failed = applyRules(calls, cage.rules);
  if (failed !== undefined) return `${failed}.`;
  if (!applyFilter(filterOf(calls, cage.unixSockets)))
    return `The filter of system calls was refused (error ${errno()}).`;
  return undefined;
}

// Prepared before the cage is closed: afterwards only system calls are made.
function prepared(plan: LaunchPlan): () => string {
  const path = text(plan.program);
  const words = textList(plan.arguments);
  const environment = textList(plan.environment);
  const shell = text("/bin/sh");
  const script = textList(["/bin/sh", plan.program, ...plan.arguments.slice(1)]);
  const closeRange = callsOf(process.arch)?.number("close_range") ?? 0;
  return () => {
    for (const signal of IGNORED) libc().signal(signal, SIG_DFL);
    systemCall(closeRange, PLAN_DESCRIPTOR, 0xffff_ffff, CLOSE_ON_EXEC);
    libc().execve(ptr(path), ptr(words.list), ptr(environment.list));
    const error = errno();
    // A script without a first line that names its interpreter, as every shell runs it.
    if (error === ENOEXEC) libc().execve(ptr(shell), ptr(script.list), ptr(environment.list));
    return `${plan.program} could not be run: ${reasonOf(error)}`;
  };
}

function reasonOf(error: number): string {
  if (error === ENOENT) return "the file or its interpreter does not exist.";
  if (error === EACCES)
    return "it is not executable, or its interpreter is outside of what the cage may read.";
  return `error ${error}.`;
}
