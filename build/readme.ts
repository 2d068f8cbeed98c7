// README.md of an archive: what the target needs, how to install it, and what was not tried.
import type { Headers } from "./headers";
import type { Target } from "./targets";

/** Targets whose executables run in the tests: directly, or under an emulator of the processor. */
const RUN_HERE: ReadonlySet<string> = new Set(["linux-x64", "linux-arm64"]);

const SYSTEMS = { linux: "Linux", darwin: "macOS" } as const;

export function wasRun(target: Target): boolean {
  return RUN_HERE.has(target.name);
}

export function archiveReadme(
  product: { name: string; version: string; description: string },
  target: Target,
  headers: Headers,
): string {
  const { name, version, description } = product;
  return `# ${name} ${version} for ${target.name}

${description}.

\`runtime\` is the executable and needs nothing else of this archive. Copy it into a folder of your \`PATH\`, or let \`install.sh\` of the same release do it. \`./runtime sandbox\` tries it out, \`./runtime help\` lists the commands, \`docs/operating.md\` is for operators, \`man\` has the manual page, and \`completions\` has what shells load.

It needs ${needsOf(target, headers)}.

${remarksOn(target).join("\n\n")}

\`LICENSES.txt\` has the licences of everything inside. The owner of ${name} itself has not chosen a licence yet.
`;
}

function needsOf(target: Target, { interpreter, libraries, glibc, macos }: Headers): string {
  const system = SYSTEMS[target.os] + (macos === undefined ? "" : ` ${macos} or newer`);
  const processor =
    target.arch === "x64" ? "a 64-bit Intel or AMD processor with SSE4.2" : "a 64-bit ARM processor";
  const library = glibc === undefined ? "" : ` with the GNU C library ${glibc} or newer`;
  const loader = interpreter === undefined ? "" : `, the loader \`${interpreter}\``;
  const names = libraries.map((one) => `\`${one}\``).join(", ");
  return `${system} on ${processor}${library}${loader}, and the libraries ${names}`;
}

function remarksOn(target: Target): string[] {
  const tried = wasRun(target)
    ? []
    : ["Built, not run here: the release checks its headers and the libraries that it needs, nothing more."];
  const musl =
    target.libc === "musl" ? ["On Alpine Linux, `apk add libstdc++` installs the C++ library."] : [];
  const signing =
    target.os === "darwin"
      ? [
          "macOS needs a signature, and this executable does not have one of a developer that Apple knows. On your own machine: `codesign --force --sign - runtime`, and `xattr -d com.apple.quarantine runtime` if a browser downloaded it. To pass it on, sign it with your Developer ID and have it notarized.",
        ]
      : [];
  return [...tried, ...musl, ...signing];
}
