// A release with a script of the shell as its executable, for tests that only install it.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeArchive } from "../../build/archive";
import { writeSums } from "../../build/sums";

export const VERSION = "9.8.7";
export const INSTALLER = join(import.meta.dir, "../../build/install.sh");
const DATE = new Date("2020-02-02T00:00:00Z");

/** Writes the files of a release for the given targets. */
export async function makeRelease(folder: string, targets = ["linux-x64"], says = VERSION): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const target of targets) {
    const base = `runtime-${VERSION}-${target}`;
    const script = `#!/bin/sh\n# ${target}\necho ${says}\n`;
    await writeArchive(
      join(folder, `${base}.tar.gz`),
      [
        { name: `${base}/runtime`, content: script, executable: true },
        { name: `${base}/LICENSES.txt`, content: "licences\n" },
        { name: `${base}/README.md`, content: "# readme\n" },
        { name: `${base}/man/runtime.1`, content: "man\n" },
        { name: `${base}/completions/runtime.bash`, content: "bash\n" },
        { name: `${base}/completions/_runtime`, content: "zsh\n" },
        { name: `${base}/completions/runtime.fish`, content: "fish\n" },
      ],
      DATE,
    );
  }
  const installer = await Bun.file(INSTALLER).text();
  await Bun.write(join(folder, "install.sh"), installer.replace("@VERSION@", VERSION));
  await writeSums(folder);
}

/** A folder with programs that replace those of the system, by name. */
export async function programs(folder: string, scripts: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, script] of Object.entries(scripts)) {
    await Bun.write(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}
