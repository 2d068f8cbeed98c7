// A simulated process as the scripted server and the network see it.
import type { Life } from "../life";
import type { Trouble } from "../simulated-database";
import type { Client } from "./parts";

export interface ClientOf {
  readonly name: string;
  readonly life: Life;
  readonly trouble: Trouble;
  isObserved(): boolean;
  /** The process may be frozen here. */
  passGate(): void;
  disturbed(): void;
}

export function clientOf({ name, life, trouble, isObserved, passGate, disturbed }: ClientOf): Client {
  return {
    name,
    life,
    get fault() {
      return trouble.fault;
    },
    get isObserved() {
      return isObserved();
    },
    passes: () => {
      passGate();
      return life.isAlive && !life.isFrozen;
    },
    disturbed,
    committed: () => {
      trouble.failingSince = undefined;
    },
    refused: () => {
      trouble.failingSince ??= trouble.now();
    },
  };
}
