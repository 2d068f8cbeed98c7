// Received requests in order, for assertions. An entry is added on arrival; status and error follow with the answer.
import type { RecordedRequest } from "./types";

type Entry = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

export class RequestLog {
  private entries: Entry[] = [];

  get all(): readonly RecordedRequest[] {
    return this.entries;
  }

  /** Records a request; the returned function records its answer. */
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

  /** The number of calls of a method (`refresh`: the refresh grant), or of all. */
  count(method?: string): number {
    return this.entries.filter((entry) => method === undefined || namesOf(entry).includes(method)).length;
  }

  clear(): void {
    this.entries = [];
  }
}

/** The names of a request, the most specific first. */
export function namesOf(request: Pick<RecordedRequest, "method" | "params">): string[] {
  const isRefresh = request.method.startsWith("oauth.") && request.params["grant_type"] === "refresh_token";
  return isRefresh ? ["refresh", request.method] : [request.method];
}
