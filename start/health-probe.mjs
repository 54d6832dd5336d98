// Exits with 0 while the process of this container answers on its health endpoint. Containers run it as their health check.
const { HEALTH_PORT, PORT = '4000', TLS_CERT } = process.env;
if (TLS_CERT) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const url = HEALTH_PORT ? `http://127.0.0.1:${HEALTH_PORT}` : `${TLS_CERT ? 'https' : 'http'}://127.0.0.1:${PORT}`;
const { ok } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_500) });
process.exit(ok ? 0 : 1);
