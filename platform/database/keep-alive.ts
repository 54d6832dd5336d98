/**
 * Options of every long-lived connection to PostgreSQL. After ten seconds without data the system probes the peer every second, and closes
 * the connection after ten missing responses. The default of Linux is two hours.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;
