/** How to run ourselves again: the same file, also if another version has been installed since. */
export function ownExecutable(): readonly string[] {
  return Bun.main.startsWith("/$bunfs/") ? ["/proc/self/exe"] : [process.execPath, Bun.main];
}
