// What other areas do when a provider changes.
import type { Principal } from "../identity";
import type { Transaction } from "../store";

/** Who changes a provider: a caller, or this server. */
export type Writer = Principal | { kind: "server"; projectId: string };

/** Changes to other records in the transaction that changes or deletes a provider, before the change of its row. */
export interface ProviderDependents {
  changed(projectId: string, id: string): Transaction<void>;
  /** Its addresses move to other origins, which must not get the users' tokens. `revokes`: they can be revoked. */
  moved(projectId: string, id: string, revokes: boolean): Transaction<void>;
  /** After a transaction that has left grants without a connection. */
  afterOrders(): void;
  /** `revokes`: its grants can be revoked. */
  removed(projectId: string, id: string, revokes: boolean): Transaction<void>;
}
