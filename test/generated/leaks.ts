// Whose records an answer shows. An id belongs to the project in whose answer it was first seen.
import type { ApiAnswer, ApiCall } from "../support/api";
import { description } from "../support/described";
import { isMinted } from "./requests";
import type { Project } from "./world";

/** The ids of the examples belong to nobody. */
const EXAMPLES = JSON.stringify(description);

export class Leaks {
  readonly #projects: readonly Project[];
  readonly #secrets: readonly string[];
  readonly #owners = new Map<string, Project>();

  /** `secrets`: texts that are in no answer. */
  constructor(projects: readonly Project[], secrets: readonly string[]) {
    this.#projects = projects;
    this.#secrets = secrets;
  }

  /** Ids and words of other projects than the caller's in the answer, but for those that the request brought along. */
  of(caller: Project | undefined, { path, body, raw }: ApiCall, { status, text }: ApiAnswer): string[] {
    const sent = unescaped(path) + JSON.stringify(body ?? "") + String(raw ?? "");
    const ids = (text.match(/\b[a-z]{2,3}_\w{8,}/g) ?? []).filter(
      (id) => isMinted(id) && !EXAMPLES.includes(id),
    );
    for (const id of ids) {
      if (caller !== undefined && status < 300 && !this.#owners.has(id)) this.#owners.set(id, caller);
    }
    const foreignIds = ids.filter((id) => this.#owners.has(id) && this.#owners.get(id) !== caller);
    const words = this.#projects.filter((project) => project !== caller).map(({ mark }) => mark);
    const secrets = this.#secrets.filter((secret) => text.includes(secret));
    return [...foreignIds, ...secrets, ...words.filter((word) => text.includes(word))].filter(
      (one) => !sent.includes(one),
    );
  }
}

function unescaped(path: string): string {
  return path.replaceAll(/(%[0-9a-f]{2})+/gi, (escape) =>
    Buffer.from(escape.replaceAll("%", ""), "hex").toString(),
  );
}
