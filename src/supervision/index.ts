// The side of a service manager (systemd and others that speak its protocol): readiness, reloads, status, watchdog.
export { type Supervision, supervise } from "./supervision";
