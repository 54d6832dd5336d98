import type { PanelContext } from '../../widget-contract.ts';
import { type Endpoint, Refusal } from './chat-requests.ts';
import { Store } from './store.ts';

export interface VoiceState {
  phase: 'off' | 'connecting' | 'on';
  isMuted: boolean;
  /** The last sentence of the agent. */
  caption: string;
  fault: string | undefined;
}

const OFF: VoiceState = { phase: 'off', isMuted: false, caption: '', fault: undefined };
/** Types of events with the text of a sentence that the agent has spoken. */
const TRANSCRIPTS = ['response.output_audio_transcript.done', 'response.audio_transcript.done'];

/** A voice session between the browser and the model provider, over WebRTC. */
export class Voice {
  readonly store = new Store<VoiceState>(OFF);
  #microphone: MediaStream | undefined;
  #peer: RTCPeerConnection | undefined;
  #speaker: HTMLAudioElement | undefined;
  /** Identifies the call, because the visitor may end it while it is being set up. */
  #call = {};

  constructor(
    private readonly endpoint: Endpoint,
    private readonly strings: PanelContext['strings'],
  ) {}

  async start(): Promise<void> {
    if (this.store.state.phase !== 'off') return;
    this.store.update({ ...OFF, phase: 'connecting' });
    const { voice: texts } = this.strings;
    const call = {};
    this.#call = call;
    // The microphone comes first, because each token costs credits.
    const microphone = await openMicrophone();
    if (this.#call !== call) return stopTracks(microphone);
    if (!microphone) return this.#fail(texts.denied);
    this.#microphone = microphone;
    try {
      const { token, url } = await this.endpoint.json<{ token: string; url: string }>('voice-token', {});
      if (this.#call !== call) return;
      await this.#connect(microphone, token, callUrl(url));
      if (this.#call === call) this.store.update({ phase: 'on' });
    } catch (error) {
      if (this.#call === call) this.#fail(error instanceof Refusal && !error.isTemporary ? error.message : texts.failed);
    }
  }

  toggleMute(): void {
    const isMuted = !this.store.state.isMuted;
    for (const track of this.#microphone?.getTracks() ?? []) track.enabled = !isMuted;
    this.store.update({ isMuted });
  }

  end(): void {
    this.#call = {};
    stopTracks(this.#microphone);
    this.#peer?.close();
    this.#speaker?.pause();
    this.#microphone = this.#peer = this.#speaker = undefined;
    this.store.update(OFF);
  }

  #fail(fault: string): void {
    this.end();
    this.store.update({ fault });
  }

  async #connect(microphone: MediaStream, token: string, url: string): Promise<void> {
    const peer = new RTCPeerConnection();
    this.#peer = peer;
    this.#speaker = new Audio();
    this.#speaker.autoplay = true;
    peer.ontrack = ({ streams: [stream] }) => {
      if (this.#speaker && stream) this.#speaker.srcObject = stream;
    };
    peer.onconnectionstatechange = () => {
      if (peer === this.#peer && ['failed', 'closed'].includes(peer.connectionState)) this.#fail(this.strings.voice.failed);
    };
    for (const track of microphone.getTracks()) peer.addTrack(track, microphone);
    const events = peer.createDataChannel('oai-events');
    events.onmessage = ({ data }) => this.#receive(String(data));
    await peer.setLocalDescription(await peer.createOffer());
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/sdp', authorization: `Bearer ${token}` },
      body: peer.localDescription?.sdp,
    });
    if (!response.ok) throw new Error(`The provider answered ${response.status}`);
    await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
  }

  #receive(data: string): void {
    const { type, transcript } = JSON.parse(data) as { type?: string; transcript?: string };
    if (type && TRANSCRIPTS.includes(type) && transcript) this.store.update({ caption: transcript });
  }
}

/** Undefined if the visitor or the browser refuses it, or there is none. */
const openMicrophone = (): Promise<MediaStream | undefined> =>
  navigator.mediaDevices?.getUserMedia({ audio: true }).catch(() => undefined) ?? Promise.resolve(undefined);

function stopTracks(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/** The address for the WebRTC offer, beside that of the WebSocket. The token already names the model. */
function callUrl(url: string): string {
  const call = new URL(url);
  call.protocol = call.protocol.replace('ws', 'http');
  call.pathname = `${call.pathname}/calls`;
  call.search = '';
  return call.href;
}
