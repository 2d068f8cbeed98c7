// The life of a process: from its start to its end. What it still waits for after its end never returns.
import type { TimerOwner } from "./virtual-time";

export class Life implements TimerOwner {
  isAlive = true;
  isFrozen = false;
  /** Virtual time. */
  endedAt: number | undefined;
}
