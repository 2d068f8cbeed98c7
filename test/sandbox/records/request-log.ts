// Received requests, for assertions. An entry is added on arrival; status and code follow with the answer.
import type { RecordedRequest } from "./types";

type Entry = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

export class RequestLog {
  #entries: Entry[] = [];

  get all(): readonly RecordedRequest[] {
    return this.#entries;
  }

  /** Records a request; the returned function records its answer. */
  open(
    arrival: Omit<RecordedRequest, "status" | "code">,
  ): (status: number, code: number | string | null) => void {
    const entry: Entry = { ...arrival, status: null, code: null };
    this.#entries.push(entry);
    return (status, code) => {
      entry.status = status;
      entry.code = code;
    };
  }

  /** The number of requests of a route, or of all. */
  count(route?: string): number {
    return this.#entries.filter((entry) => route === undefined || entry.route === route).length;
  }

  clear(): void {
    this.#entries = [];
  }
}
