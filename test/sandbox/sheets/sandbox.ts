// The spreadsheet stand-in with recorded calls and injected faults.
import {
  type Interception,
  type ReceivedCall,
  type SheetsOptions,
  type SheetsPlatform,
  startSheetsPlatform,
} from "../../../catalogs/sandbox/sheets";
import { delay, resetConnection } from "../chat/faults";
import { Faults, lateServerError, replacement } from "./faults";
import { RequestLog } from "./request-log";
import type { Fault, RecordedRequest } from "./types";

export type SheetsSandboxOptions = Omit<SheetsOptions, "intercept">;

export interface SheetsSandbox extends SheetsPlatform {
  /** Calls in order of arrival, without the consent page. */
  readonly requests: readonly RecordedRequest[];
  /** The number of calls of one method, of `refresh` (the refresh grant), or all. */
  calls(method?: string): number;
  clearRequests(): void;
  /** Applies a fault to the next `times` (default 1) requests of `method` (`*` for any). */
  fail(method: string, fault: Fault, times?: number): void;
  clearFaults(): void;
}

/** Starts an independent sandbox on 127.0.0.1. */
export async function startSheetsSandbox(options: SheetsSandboxOptions = {}): Promise<SheetsSandbox> {
  const faults = new Faults();
  const log = new RequestLog();
  const platform = await startSheetsPlatform({
    ...options,
    intercept: (call) => intercepted(log, faults, call),
  });
  return {
    ...platform,
    get requests() {
      return log.all;
    },
    calls: (method) => log.count(method),
    clearRequests: () => log.clear(),
    fail: (method, fault, times = 1) => faults.add(method, fault, times),
    clearFaults: () => faults.clear(),
  };
}

function intercepted(log: RequestLog, faults: Faults, call: ReceivedCall): Interception {
  const answered = log.open(call);
  const fault = faults.take(call.method);
  return {
    page: fault?.kind === "short_page" || fault?.kind === "incomplete_search" ? fault : null,
    async before(signal) {
      const instead = fault === null ? null : replacement(fault);
      if (instead !== null) {
        answered(instead.status);
        return instead;
      }
      if (fault?.kind === "reset_before") return resetConnection();
      if (fault?.kind === "delay" && !(await delay(fault.ms, signal))) return resetConnection();
      return undefined;
    },
    after(worked) {
      if (fault?.kind === "reset_after") return resetConnection();
      const answer = fault?.kind === "late_server_error" ? lateServerError() : worked;
      answered(answer.status);
      return answer;
    },
  };
}
