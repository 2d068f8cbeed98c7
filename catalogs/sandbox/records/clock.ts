// The sandbox's time: the real one, moved ahead by tests.

export class SandboxClock {
  #ahead = 0;

  now = (): number => Date.now() + this.#ahead;

  move(ms: number): void {
    this.#ahead += ms;
  }
}
