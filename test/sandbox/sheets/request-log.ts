// Received requests in order, for assertions. An entry is added on arrival; its status follows with the answer.
import type { RecordedRequest } from "./types";

type Entry = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

export class RequestLog {
  #entries: Entry[] = [];

  get all(): readonly RecordedRequest[] {
    return this.#entries;
  }

  /** Records a request; the returned function records its answer. */
  open(arrival: Omit<RecordedRequest, "status">): (status: number) => void {
    const entry: Entry = { ...arrival, status: null };
    this.#entries.push(entry);
    return (status) => void (entry.status = status);
  }

  /** The number of calls of a method, or of all. */
  count(method?: string): number {
    return this.#entries.filter((entry) => method === undefined || entry.method === method).length;
  }

  clear(): void {
    this.#entries = [];
  }
}
