// Calls of the self-check: raw answers of the tools' operations, under the limits and with the token handling of the tools.
import {
  codeWord,
  GrantDead,
  type JsonObject,
  type RecordedCall,
  type Seen,
  type ToolContext,
} from "../../../src/tools";
import { block, blockedMs } from "../../upstream/blocks";
import { exchange, jsonRequest, type WholeAnswer } from "../../upstream/exchange";
import { nonEmptyTextIn, objectsIn } from "../../upstream/json";
import { parseExactly } from "../../upstream/number";
import { rateLimitReached } from "../../upstream/retry";
import { RATE_WINDOW_MS } from "../limits";
import type { Call } from "../operation";
import { OPERATIONS } from "../operations";
import { addressOf } from "../upstream/address";
import { requireBase } from "../upstream/base";
import { CODES } from "../upstream/codes";
import { codeIn, failureOf } from "../upstream/failure";

const HEADERS = ["retry-after"];
const TIMEOUT_MS = 15_000;
/** The limit that all calls count against. */
const LIMIT = "calls";
/** Applications, and reports of each, in which an example is looked for. */
const LOOKED_AT = 3;

export interface Asked {
  status: number;
  /** Code 3000. */
  ok: boolean;
  code: number | undefined;
  body: JsonObject;
}

/** A report with records, and where it is. */
export interface Example {
  owner: string;
  application: string;
  form: string | undefined;
  report: string | undefined;
}

/** One per run. Answers that several checks use are asked for once. */
export class RecordsProbe {
  readonly context: ToolContext;
  readonly #record: (call: RecordedCall) => void;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(context: ToolContext, record: (call: RecordedCall) => void) {
    this.context = context;
    this.#record = record;
  }

  /**
   * Calls what a tool calls with these parameters. Throws `ToolError` for a limit, a refused token and a failure of the
   * platform. Other refusals are answers.
   */
  async ask(name: string, input: Readonly<Record<string, string | number>> = {}): Promise<Asked> {
    requireBase(this.context.secrets);
    const operation = OPERATIONS.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    const call: Call = {
      operation,
      address: addressOf(operation, input),
      body: undefined,
      privateLink: undefined,
    };
    const ms = await blockedMs(this.context, LIMIT);
    if (ms > 0) throw rateLimitReached(`${name}: rate limit`, ms);
    const answer = await this.#answer(call);
    const code = codeIn(answer);
    const failure = failureOf(this.context, call, answer);
    const isLimited = failure?.error.kind === "UPSTREAM_RUNTIME_RATE_LIMIT";
    if (isLimited) await block(this.context, LIMIT, failure.retryAfterMs ?? RATE_WINDOW_MS);
    if (
      failure !== undefined &&
      (isLimited || failure.retry !== "never" || failure.error instanceof GrantDead)
    )
      throw failure.error;
    return { status: answer.status, ok: failure === undefined, code, body: answer.body ?? {} };
  }

  /** Asks once in a run. */
  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key) ?? work();
    this.#known.set(key, known);
    // Only stored under this key, with this type.
    return known as Promise<T>;
  }

  async #answer(call: Call): Promise<WholeAnswer> {
    const answer = await this.#send(call);
    if (!(failureOf(this.context, call, answer)?.error instanceof GrantDead)) return answer;
    return (await this.context.renew()) ? this.#send(call) : answer;
  }

  async #send({ operation, address }: Call): Promise<WholeAnswer> {
    const { signal } = this.context;
    const request = { ...jsonRequest(undefined), method: "GET" as const, signal, timeoutMs: TIMEOUT_MS };
    const answer = await exchange(this.context, "api", address, request, parseExactly);
    this.#record({
      method: operation.name,
      status: answer.status,
      code: codeWord(codeIn(answer)),
      headers: HEADERS.filter((name) => answer.headers.has(name)),
    });
    return answer;
  }
}

/** The status and the code of an answer. */
export function codeSeen({ status, code }: Asked): Seen {
  return { status, code: codeWord(code), code_is_listed: code !== undefined && Object.hasOwn(CODES, code) };
}

export function applications(probe: RecordsProbe): Promise<Asked> {
  return probe.once("applications", () => probe.ask("GetApplicationMetaInfo"));
}

/** An application of the user, with a form and a report if it has some; undefined without any application. */
export function example(probe: RecordsProbe): Promise<Example | undefined> {
  return probe.once("example", async () => {
    const found: Example[] = [];
    const listed = objectsIn((await applications(probe)).body, "applications").slice(0, LOOKED_AT);
    for (const one of listed) {
      const owner = nonEmptyTextIn(one, "workspace_name");
      const application = nonEmptyTextIn(one, "link_name");
      if (owner === undefined || application === undefined) continue;
      const [form] = linksIn(await formsOf(probe, owner, application), "forms");
      const report = await reportWithRecords(probe, owner, application);
      found.push({ owner, application, form, report });
      if (report !== undefined) break;
    }
    return found.findLast(({ report }) => report !== undefined) ?? found[0];
  });
}

export function formsOf(probe: RecordsProbe, owner: string, application: string): Promise<Asked> {
  return probe.ask("FetchVendorFormMetaInformation", {
    vendor_account_owner_name: owner,
    vendor_app_link_name: application,
  });
}

export function reportsOf(probe: RecordsProbe, owner: string, application: string): Promise<Asked> {
  return probe.ask("FetchVendorReportsMeta", {
    vendor_account_owner_name: owner,
    vendor_app_link_name: application,
  });
}

/** Records of a report, by the tool's parameters. */
export function recordsOf(
  probe: RecordsProbe,
  { owner, application, report = "" }: Example,
  query: Readonly<Record<string, string | number>>,
): Promise<Asked> {
  return probe.ask("FetchVendorRecords", {
    account_owner_identifier: owner,
    application_link_name: application,
    report_link_name: report,
    ...query,
  });
}

async function reportWithRecords(
  probe: RecordsProbe,
  owner: string,
  application: string,
): Promise<string | undefined> {
  const reports = linksIn(await reportsOf(probe, owner, application), "reports").slice(0, LOOKED_AT);
  for (const report of reports) {
    const place = { owner, application, form: undefined, report };
    if ((await recordsOf(probe, place, { record_limit: 1 })).ok) return report;
  }
  return undefined;
}

function linksIn({ body }: Asked, field: string): string[] {
  return objectsIn(body, field).flatMap((item) => nonEmptyTextIn(item, "link_name") ?? []);
}
