// The container of a Debian package: an archive of ar, deb(5). Written here, so that a release needs no Debian.

export interface ArMember {
  name: string;
  content: Uint8Array;
}

const MAGIC = "!<arch>\n";
/** A regular file that everybody may read. */
const MODE = "100644";

export function arOf(members: readonly ArMember[], date: Date): Uint8Array {
  const parts: Uint8Array[] = [new TextEncoder().encode(MAGIC)];
  for (const { name, content } of members) {
    parts.push(new TextEncoder().encode(headerOf(name, content.length, date)), content);
    // Members begin at even places.
    if (content.length % 2 === 1) parts.push(new TextEncoder().encode("\n"));
  }
  return Buffer.concat(parts);
}

// Columns of fixed width: name, seconds, owner, group, mode, size, end.
function headerOf(name: string, size: number, date: Date): string {
  const seconds = Math.floor(date.getTime() / 1000);
  const columns = [
    name.padEnd(16),
    String(seconds).padEnd(12),
    "0".padEnd(6),
    "0".padEnd(6),
    MODE.padEnd(8),
    String(size).padEnd(10),
  ];
  return `${columns.join("")}\`\n`;
}
