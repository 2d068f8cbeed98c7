/** Whether an address may be redirected to: one of the registered ones; null: any loopback or https address. */
export function isRegistered(address: string, registered: readonly string[] | null): boolean {
  if (registered !== null) return registered.includes(address);
  const url = URL.parse(address);
  if (url === null || url.hash !== "") return false;
  const isLoopback = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback);
}
