// A shell in which blocks of commands run after each other, as a person pastes them: variables and background jobs stay.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EmptyRoot } from "./empty-root";

export interface ShellSession extends AsyncDisposable {
  /** Runs a block and returns its standard output. Throws with everything that it printed if one of its commands fails. */
  run(block: string): Promise<string>;
}

const END = "-- end of the block --";

/** Ends with the machine. */
export function startShellSession(
  machine: EmptyRoot,
  environment: Record<string, string>,
  user: number,
): ShellSession {
  const folder = join(machine.folder, "blocks");
  mkdirSync(folder, { recursive: true });
  const child = Bun.spawn(machine.inside(["/bin/sh", "-e"], user), {
    env: { PATH: "/usr/local/bin:/bin", ...environment },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  let [printed, complained, blocks] = ["", "", 0];
  let changed = Promise.withResolvers<void>();
  const read = async (stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      take(decoder.decode(bytes, { stream: true }));
      changed.resolve();
      changed = Promise.withResolvers();
    }
  };
  void read(child.stdout, (text) => (printed += text));
  void read(child.stderr, (text) => (complained += text));
  return {
    run: async (block) => {
      [printed, complained] = ["", ""];
      const name = `${blocks++}.sh`;
      writeFileSync(join(folder, name), block);
      // From a file, because commands of a block must not read those after it.
      child.stdin.write(`. /blocks/${name} < /dev/null\necho '${END}'\n`);
      await child.stdin.flush();
      while (!printed.includes(END)) {
        const ended = await Promise.race([changed.promise.then(() => false), child.exited.then(() => true)]);
        if (ended) throw new Error(`It ended with ${child.exitCode}:\n${block}\n${printed}\n${complained}`);
      }
      return printed.replace(`${END}\n`, "");
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
