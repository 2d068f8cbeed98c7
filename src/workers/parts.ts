// What the administration of workers is made of.
import type { Audit } from "../audit";
import type { StaticWorker } from "../config";
import type { Define } from "./catalogs";
import type { ConsentParts } from "./oauth";
import type { WorkerKinds } from "./refresh";
import type { StdioWorkers } from "./stdio";

export interface WorkerParts {
  audit: Audit;
  kinds: WorkerKinds;
  define: Define;
  /** Names of the toolkits that are compiled in. */
  toolkits: readonly string[];
  /** Workers of the configuration. */
  fixed: readonly StaticWorker[];
  /** For workers that want tokens. */
  consents: ConsentParts;
  /** Workers that are programs. */
  programs: StdioWorkers;
}
