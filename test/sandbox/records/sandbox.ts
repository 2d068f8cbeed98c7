// The records stand-in with recorded requests and injected faults.
import {
  type Interception,
  type ReceivedCall,
  type RecordsOptions,
  type RecordsPlatform,
  startRecordsPlatform,
} from "../../../catalogs/sandbox/records";
import { errorPage, Faults, insteadOf } from "./faults";
import { RequestLog } from "./request-log";
import type { Fault, RecordedRequest } from "./types";

export type RecordsSandboxOptions = Omit<RecordsOptions, "intercept">;

export interface RecordsSandbox extends RecordsPlatform {
  /** Requests to all hosts in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** The number of requests of one route, or all. */
  calls(route?: string): number;
  clearRequests(): void;
  /** Applies a fault to the next `times` (default 1) requests of `route` (`*` for any). */
  fail(route: string, fault: Fault, times?: number): void;
  clearFaults(): void;
}

/** Starts an independent sandbox on 127.0.0.1. */
export async function startRecordsSandbox(options: RecordsSandboxOptions = {}): Promise<RecordsSandbox> {
  const faults = new Faults();
  const log = new RequestLog();
  const platform = await startRecordsPlatform({
    ...options,
    intercept: (call) => intercepted(log, faults, call),
  });
  return {
    ...platform,
    get requests() {
      return log.all;
    },
    calls: (route) => log.count(route),
    clearRequests: () => log.clear(),
    fail: (route, fault, times = 1) => faults.add(route, fault, times),
    clearFaults: () => faults.clear(),
  };
}

function intercepted(log: RequestLog, faults: Faults, call: ReceivedCall): Interception {
  const answered = log.open(call);
  const fault = faults.take(call.route);
  return {
    before() {
      const instead = insteadOf(fault);
      if (instead === undefined) return fault?.kind === "reset_before" ? "reset" : undefined;
      answered(instead.reply.status, instead.code);
      return instead.reply;
    },
    after(reply, code) {
      if (fault?.kind === "reset_after") return "reset";
      const given = fault?.kind === "server_error_after" ? errorPage(fault.status ?? 502) : reply;
      answered(given.status, code);
      return fault?.kind === "slow" ? { ...given, afterMs: fault.ms } : given;
    },
  };
}
