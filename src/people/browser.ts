// The browser in which somebody is about to sign in.

export interface Browser {
  /** A cookie that only this browser has: what it began, no other browser can finish. */
  cookie: string;
  /** The cookie of its session in the project, which a new one replaces. */
  session: string | undefined;
  userAgent: string | undefined;
  address: string | undefined;
}
