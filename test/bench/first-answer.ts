// How long a program takes from its start to its first answer.
import { connect } from "node:net";
import { join } from "node:path";
import type { Context } from "./bench";
import { freePort } from "./server-under-test";

const GIVE_UP_MS = 20_000;

export interface Program {
  command: string[];
  environment?: Readonly<Record<string, string>>;
}

/** Milliseconds from the start of the program to the first byte of its first answer. */
export async function firstAnswer(
  { children }: Context,
  folder: string,
  program: (port: number) => Program,
  request: string,
): Promise<number> {
  const port = freePort();
  const { command, environment = {} } = program(port);
  const begin = performance.now();
  const child = children.spawn(command, { environment, errorFile: join(folder, "start.log") });
  try {
    while (!(await answers(port, request))) {
      if (child.exitCode() !== null || performance.now() - begin > GIVE_UP_MS) {
        throw new Error(`${command.join(" ")} did not answer`);
      }
    }
    return performance.now() - begin;
  } finally {
    await child.stop();
  }
}

/** One attempt to get status 200; a refused connection is retried a millisecond later. */
function answers(port: number, request: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (answered: boolean): void => {
      socket.destroy();
      if (answered) resolve(true);
      else setTimeout(() => resolve(false), 1);
    };
    socket.once("connect", () => socket.write(request));
    socket.once("data", (bytes) => end(bytes.toString("latin1").startsWith("HTTP/1.1 200")));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
  });
}
