// The chat stand-in with recorded calls and injected faults.
import {
  type ChatOptions,
  type ChatPlatform,
  type Interception,
  type ReceivedCall,
  startChatPlatform,
} from "../../../catalogs/sandbox/chat";
import { delay, Faults, isPageFault, replacement, resetConnection } from "./faults";
import { namesOf, RequestLog } from "./request-log";
import type { Fault, RecordedRequest } from "./types";

export type ChatSandboxOptions = Omit<ChatOptions, "intercept">;

export interface ChatSandbox extends ChatPlatform {
  /** Calls of the Web API and the token endpoint in order of arrival, without the consent page. */
  readonly requests: readonly RecordedRequest[];
  /** The number of calls of one method, of `refresh` (the refresh grant), or all. */
  calls(method?: string): number;
  clearRequests(): void;
  /** Applies a fault to the next `times` (default 1) requests of `method` (`refresh`, `*` for any). */
  fail(method: string, fault: Fault, times?: number): void;
  clearFaults(): void;
}

/** Starts an independent sandbox on 127.0.0.1. */
export async function startChatSandbox(options: ChatSandboxOptions = {}): Promise<ChatSandbox> {
  const faults = new Faults();
  const log = new RequestLog();
  const platform = await startChatPlatform({
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
  let fault: Fault | null = null;
  return {
    get page() {
      return fault !== null && isPageFault(fault) ? fault : null;
    },
    async before(signal) {
      fault = faults.take(namesOf(call));
      const instead = fault === null ? null : replacement(fault);
      if (instead !== null) {
        answered(instead.response.status, instead.error);
        return instead.response;
      }
      if (fault?.kind === "reset_before") return resetConnection();
      if (fault?.kind === "delay" && !(await delay(fault.ms, signal))) return resetConnection();
      return undefined;
    },
    after(answer, error) {
      if (fault?.kind === "reset_after") return resetConnection();
      answered(answer.status, error);
      return answer;
    },
  };
}
