// What a host name is, as `URL.hostname` writes it.

/** Whether a host, as `URL.hostname` writes it, is this machine (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    // Anchored: anyone can own `127.0.0.1.example.com`.
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** Whether a host, as `URL.hostname` writes it, is an IP address: four numbers, or in brackets (URL Standard, section 3.5). */
export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}
