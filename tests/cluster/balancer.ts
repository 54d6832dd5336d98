import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, Part } from './part.ts';
import { untilOpen } from './ports.ts';

/** A port that the balancer distributes over the ports of several processes. */
export interface Front {
  name: string;
  port: number;
  servers: number[];
  /** Whether callers of the product use it, whose address is forwarded. */
  isPublic: boolean;
}

const HEAD = `
global
  maxconn 4000
  # Requests may have large headers and long paths.
  tune.bufsize 65536
defaults
  mode http
  timeout connect 2s
  timeout client 310s
  timeout server 310s
  # A busy machine must not make every process look unready at once.
  timeout check 10s
  timeout http-request 30s
  timeout http-keep-alive 60s
  timeout tunnel 1h
  retries 3
  option redispatch 1
  # Only requests that no process has seen are sent again.
  retry-on conn-failure
  # A caller that disconnects cancels its operation.
  option abortonclose
  default-server inter 1s fall 3 rise 1
`;

/** The configuration of HAProxy. A process leaves within three checks, so it must accept connections longer (SHUTDOWN_DELAY). */
const configuration = (fronts: readonly Front[]): string => [HEAD, ...fronts.map(sectionsOf)].join('\n').trimStart();

const sectionsOf = ({ name, port, servers, isPublic }: Front): string => `frontend ${name}
  bind 127.0.0.1:${port}
${isPublic ? '  option forwardfor\n  http-request set-header X-Forwarded-Proto http\n' : ''}  default_backend ${name}
backend ${name}
  balance ${isPublic ? 'roundrobin' : 'leastconn'}
  option httpchk GET /readyz
${servers.map((each, at) => `  server ${name}-${at + 1} 127.0.0.1:${each} check`).join('\n')}
`;

/** HAProxy in front of the processes of the product. */
export async function balancerPart(program: string, folder: string, fronts: readonly Front[]): Promise<Part> {
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, configuration(fronts));
  return new Part('haproxy', () =>
    launch({
      command: program,
      args: ['-db', '-f', file],
      logFile: join(folder, 'haproxy.log'),
      ready: () => Promise.all(fronts.map(({ port }) => untilOpen(port))),
    }),
  );
}
