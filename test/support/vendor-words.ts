// Words of the three platforms. `src` works with any platform, so these belong in `catalogs`. Names of model protocols
// and of MCP clients are not among them.
import type { SourceFile } from "./rules";

const WORDS = [
  /slack|google|gmail|zoho|vendorcreator/i,
  /spreadsheet|(?<!style)sheets?(?![a-z])/i,
  /(?<![a-z])[dD]rive(?![a-z])|Drive(?![a-z])/,
  /picker/i,
  /team[ -]chat/i,
  // Tools, scopes and settings of the chat platform; chat completions are a model protocol.
  /\bchat[.:_](?!completion|endpoint)[a-z]/i,
  /accounts_hosts|userinfo[._]url/i,
];

interface Exception {
  path: string;
  text: string;
  reason: string;
}

const EXCEPTIONS: readonly Exception[] = [
  {
    path: "src/egress/address.ts",
    text: "AWS, Google, Azure",
    reason: "names the clouds that have this metadata address",
  },
  {
    path: "src/egress/address.ts",
    text: "fd20:ce::254",
    reason: "names the cloud that has this metadata address",
  },
];

/** One sentence for each line of `src` with a vendor word, and for each file named after one. */
export function vendorViolations({ path, text }: SourceFile): string[] {
  if (!path.startsWith("src/")) return [];
  const named = vendorWordIn(path) === undefined ? [] : [`${path} is named after a vendor`];
  const lines = text.split("\n").flatMap((line, index) => {
    const word = vendorWordIn(line);
    if (word === undefined || isExcepted(path, line)) return [];
    return [`${path}:${index + 1} contains the vendor word "${word}": move it to catalogs`];
  });
  return [...named, ...lines];
}

/** Exceptions that no file needs any more. */
export function unusedExceptions(files: readonly SourceFile[]): Exception[] {
  return EXCEPTIONS.filter(
    (exception) => !files.some(({ path, text }) => path === exception.path && text.includes(exception.text)),
  );
}

function vendorWordIn(text: string): string | undefined {
  return WORDS.map((pattern) => pattern.exec(text)?.[0]).find((word) => word !== undefined);
}

function isExcepted(path: string, line: string): boolean {
  return EXCEPTIONS.some((exception) => exception.path === path && line.includes(exception.text));
}
