// `runtime doctor --platform`: checks a platform with a user's grant, and prints a report without content of the account.
import type { CheckResult, SelfCheckReport, SelfCheckRequest } from "../src/tools";
import { userOf, withDataFolder } from "./client/client";
import type { Common } from "./command";
import { obtainConsent } from "./consent";
import { counted } from "./counted";
import { EXIT } from "./errors";
import type { Io } from "./io";
import { printRecord, type Shape } from "./output";
import { printable } from "./printable";
import type { Session } from "./session";
import { isConsentRequired } from "./tool-run";

export interface SelfCheckOptions {
  platform: string;
  user: string | undefined;
  write: boolean;
  /** Also show checks without a difference. */
  all: boolean;
}

/** Runs the checks and prints what they saw. Exits 1 if the platform behaves differently, or if a check got no answer. */
export async function selfCheck(io: Io, common: Common, options: SelfCheckOptions): Promise<number> {
  return withDataFolder(io, common, "doctor --platform", async (session) => {
    const { config } = session;
    const { platform, write } = options;
    const request = { platform, write, user_id: userOf({ config }, options.user) };
    const stop = new AbortController();
    io.onStop(() => stop.abort());
    const streams = common.output === "table" && common.fields === undefined;
    const onResult = (result: CheckResult): void => {
      if (streams && isShown(result, options.all)) io.out(linesOf(io, result));
    };
    const { report, error } = await runWithConsent(io, session, request, { signal: stop.signal, onResult });
    if (!streams) printRecord(io, common, report, SHAPE);
    if (error !== undefined && report.incomplete?.reason !== "interrupted")
      io.note(`${io.notePaint.red("error:")} ${printable(error.message)}`);
    io.note(summaryOf(report));
    return exitCodeOf(report);
  });
}

const SHAPE: Shape<SelfCheckReport> = {
  name: ({ platform }) => platform,
  columns: [
    { title: "platform", value: ({ platform }) => platform },
    { title: "differs", value: ({ differs }) => String(differs) },
  ],
};

async function runWithConsent(
  io: Io,
  session: Session,
  request: SelfCheckRequest,
  options: { signal: AbortSignal; onResult(result: CheckResult): void },
) {
  const { config, runtime, principal } = session;
  const { selfChecks } = runtime.tools;
  try {
    return await selfChecks.run(principal, request, options);
  } catch (error) {
    if (!isConsentRequired(error)) throw error;
    // The address in the consent is that of a running server.
    await session.server();
    const authorization = await selfChecks.authorize(principal, request);
    const what = `the self-check of ${request.platform}`;
    await obtainConsent(io, { kind: "direct", config, session }, authorization, { browser: true, what });
    return selfChecks.run(principal, request, options);
  }
}

function isShown({ status, reason }: CheckResult, all: boolean): boolean {
  const isOpen = reason === "no_answer" || reason === "rate_limited";
  return all || status === "differs" || status === "observed" || isOpen;
}

function linesOf({ paint }: Io, { check, status, expects, seen, reason, calls }: CheckResult): string {
  const words = reason === undefined ? status : `${status}, ${reason}`;
  const isGood = status === "as_expected" || status === "observed";
  const mark = isGood ? paint.green(plain(words)) : paint.red(plain(words));
  const head = `${mark}  ${paint.bold(check)}: ${printable(expects)}\n`;
  const facts = Object.entries(seen).map(([name, value]) => `${name} ${String(value)}`);
  const shownSeen = facts.length === 0 ? "" : `    seen: ${printable(facts.join(", "))}\n`;
  const shownCalls = calls.map(
    ({ method, status: http, code }) => `${method} ${http}${code === undefined ? "" : ` ${code}`}`,
  );
  return head + shownSeen + (calls.length === 0 ? "" : `    calls: ${printable(shownCalls.join(", "))}\n`);
}

function plain(words: string): string {
  return words.replaceAll("_", " ");
}

function summaryOf({ as_expected, differs, observed, not_checked, incomplete }: SelfCheckReport): string {
  const counts =
    `${counted(as_expected, "check")} as expected, ${differs} different, ${observed} observed, ` +
    `${not_checked} not checked.`;
  if (incomplete === null) return counts;
  const wait = incomplete.retry_after_seconds;
  const again = wait === undefined ? "" : ` Try again in ${wait} s.`;
  return `${counts} The report is not complete (${plain(incomplete.reason)}).${again}`;
}

const CODES = {
  interrupted: EXIT.interrupted,
  rate_limited: EXIT.rateLimited,
  time_up: EXIT.timeout,
  refused: EXIT.toolFailed,
  grant_refused: EXIT.consent,
} as const;

function exitCodeOf({ differs, incomplete, checks }: SelfCheckReport): number {
  if (incomplete !== null) return CODES[incomplete.reason];
  const isFine = differs === 0 && checks.every(({ reason }) => reason !== "no_answer");
  return isFine ? EXIT.ok : EXIT.error;
}
