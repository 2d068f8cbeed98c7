// What arrived, in order, for assertions. An entry exists from arrival on; status and error follow with the answer.
import type { RecordedRequest } from "./types";

type Entry = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

export class RequestLog {
  private entries: Entry[] = [];

  get all(): readonly RecordedRequest[] {
    return this.entries;
  }

  /** Puts a request on record; the function that comes back notes its answer. */
  open(
    arrival: Omit<RecordedRequest, "status" | "error">,
  ): (status: number | null, error: string | null) => void {
    const entry: Entry = { ...arrival, status: null, error: null };
    this.entries.push(entry);
    return (status, error) => {
      entry.status = status;
      entry.error = error;
    };
  }

  /** How many calls of a method (`refresh`: the refresh grant), or of all. */
  count(method?: string): number {
    return this.entries.filter((entry) => method === undefined || namesOf(entry).includes(method)).length;
  }

  clear(): void {
    this.entries = [];
  }
}

/** What a request goes by, the most particular name first. */
export function namesOf(request: Pick<RecordedRequest, "method" | "params">): string[] {
  const isRefresh = request.method.startsWith("oauth.") && request.params["grant_type"] === "refresh_token";
  return isRefresh ? ["refresh", request.method] : [request.method];
}
