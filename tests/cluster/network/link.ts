/** A toxic of Toxiproxy: https://github.com/Shopify/toxiproxy#toxics. */
export interface Toxic {
  type: 'latency' | 'reset_peer' | 'slicer' | 'limit_data' | 'timeout';
  /** From the client, or from the server. */
  stream: 'upstream' | 'downstream';
  /** Share of the connections that have it. */
  toxicity: number;
  attributes: Record<string, number>;
}

/** The connections of one process to one service. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** Close the connections and refuse new ones. */
  cut(): Promise<void>;
  /** Disturb the connections. */
  add(toxic: Toxic): Promise<void>;
  /** Remove all faults. Connections that lost data are closed. */
  restore(): Promise<void>;
}

interface Ends {
  /** Address of the API of Toxiproxy. */
  api: string;
  from: string;
  to: string;
  /** The port of the service. */
  target: number;
  /** The port of the link. */
  port: number;
}

/** A link through a proxy of Toxiproxy. */
export class ToxiproxyLink implements Link {
  readonly from: string;
  readonly to: string;
  readonly target: number;
  readonly port: number;

  constructor(private readonly ends: Ends) {
    ({ from: this.from, to: this.to, target: this.target, port: this.port } = ends);
  }

  get #id(): string {
    return `${this.from}_${this.to}`;
  }

  async create(): Promise<void> {
    const address = (port: number) => `127.0.0.1:${port}`;
    await this.#send('POST', '', { name: this.#id, listen: address(this.port), upstream: address(this.target), enabled: true });
  }

  async cut(): Promise<void> {
    await this.#send('POST', `/${this.#id}`, { enabled: false });
  }

  async add(toxic: Toxic): Promise<void> {
    const name = `${toxic.type}-${toxic.stream}`;
    await this.#send('POST', `/${this.#id}/toxics`, { name, ...toxic });
  }

  async restore(): Promise<void> {
    const { toxics } = await this.#send<{ toxics: { name: string }[] }>('GET', `/${this.#id}`);
    for (const { name } of toxics) await this.#send('DELETE', `/${this.#id}/toxics/${name}`);
    await this.#send('POST', `/${this.#id}`, { enabled: true });
  }

  async #send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.ends.api}/proxies${path}`, { method, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`Toxiproxy refused ${method} ${path}: ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  }
}
