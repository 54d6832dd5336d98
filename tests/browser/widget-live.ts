import { CLOSE, closeOffice, RETURN, SEND_OPERATOR, TAKE_OVER } from '../agent/handoff/handing-off.ts';
import { startForwarder } from '../support/forwarder.ts';
import { until } from '../support/until.ts';
import { browserTest, type Website } from './widget-page.ts';

/** Tests of the widget on a website that `open` returns. */
export function liveTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  const tag = () => `data-agent="${agent.agent.publicSlug}"`;
  const CONVERSATIONS = '{ conversations(limit: 1) { nodes { id } } }';
  /** Take over the newest conversation, as an operator. */
  async function takeOver(): Promise<string> {
    const { conversations } = await agent.admin.graphql(CONVERSATIONS);
    return (await agent.admin.graphql(TAKE_OVER, { id: conversations.nodes[0].id })).takeOverConversation.id;
  }

  browserTest('a website opens', async () => {
    site = await open();
    agent = await site.seed({ voiceEnabled: true }, { modules: ['helpdesk'] });
  });

  browserTest('a visitor talks to a person: both see messages, typing and seen, and the agent is silent meanwhile', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.panel.getByRole('button', { name: 'More options' }).click();
    await visit.panel.getByRole('button', { name: 'Talk to a person' }).click();
    await visit.messages.getByText(/The team has been asked/).waitFor();
    const id = await takeOver();
    await visit.messages.getByText(/^User .* joined the conversation\.$/).waitFor();

    const operator = (query: string) => agent.admin.graphql(`mutation ($id: ID!) { ${query} }`, { id });
    await operator('setOperatorTyping(id: $id)');
    await visit.messages.getByText(/is typing…$/).waitFor();
    await agent.admin.graphql(SEND_OPERATOR, { id, text: 'Hello, <b>how</b> can I help?' });
    await visit.messages.getByText('Hello, <b>how</b> can I help?').waitFor();
    await visit.messages.getByText(/is typing…$/).waitFor({ state: 'detached' });

    const events: { type: string; party: string; seenTo: number | null; message: { position: number } | null }[] = [];
    const { conversations } = await agent.admin.graphql(CONVERSATIONS);
    const stream = agent.admin.subscribe(
      'subscription ($id: ID!) { handoffEvents(conversationId: $id) { type party seenTo message { position } } }',
      { id: conversations.nodes[0].id },
    );
    const reading = (async () => {
      for await (const { data } of stream) events.push(data.handoffEvents);
    })();
    await until(() => events.some(({ type, party }) => type === 'seen' && party === 'visitor'));
    await visit.input.pressSequentially('My ');
    await until(() => events.some(({ type, party }) => type === 'typing' && party === 'visitor'));
    await visit.ask('My lamp is broken.');
    await until(() => events.some(({ type, party }) => type === 'message' && party === 'visitor'));
    const { position } = events.findLast(({ type, party }) => type === 'message' && party === 'visitor')!.message!;
    await agent.admin.graphql('mutation ($id: ID!, $position: Int!) { setOperatorSeen(id: $id, position: $position) }', {
      id,
      position,
    });
    await visit.messages.filter({ hasText: 'My lamp is broken.' }).getByText('Seen').waitFor();
    expect(await visit.messages.filter({ hasText: 'My lamp is broken.' }).count()).toBe(1);
    expect(await visit.messages.getByText('Echo').count()).toBe(0);

    // While the panel is closed, a message of the operator is unread. After a reload, everything is there.
    await visit.page.keyboard.press('Escape');
    await agent.admin.graphql(SEND_OPERATOR, { id, text: 'One moment.' });
    await visit.page.getByRole('button', { name: 'Open chat (1 unread message)' }).waitFor();
    await visit.page.reload();
    await visit.launcher.click();
    await visit.messages.getByText('One moment.').waitFor();
    await agent.admin.graphql(RETURN, { id });
    await visit.messages.getByText('The assistant has the conversation again.').waitFor();
    await visit.ask('Thanks');
    await visit.messages.getByText('Echo: Thanks').waitFor();
    await agent.admin.graphql(CLOSE, { id: await takeOver() });
    await visit.messages.getByText('The conversation with the team was closed.').waitFor();
    await reading;
    expect(visit.faults).toEqual([]);
  });

  browserTest('outside of the office hours, a visitor sees when the team is back in local time, also after a reload', async () => {
    const { opensAt, reopen } = await closeOffice(agent, 'We are at the fair.');
    const visit = await site.open({ attributes: `${tag()} data-lang="de"`, timezoneId: 'Asia/Kolkata' });
    await visit.page.getByRole('button', { name: /^Chat öffnen/ }).click();
    await visit.panel.getByRole('button', { name: 'Weitere Optionen' }).click();
    await visit.panel.getByRole('button', { name: 'Mit einem Menschen sprechen' }).click();
    const day = new Intl.DateTimeFormat('de', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'Asia/Kolkata' });
    const hasText = `We are at the fair. Wieder da: ${day.format(opensAt)} um 17:30 (Ihre Zeit).`;
    const notice = visit.panel.locator('p.notice', { hasText });
    await notice.waitFor();
    expect(await visit.panel.getByRole('textbox').last().isEditable()).toBe(true);
    await visit.page.reload();
    await notice.waitFor();
    // With the chat closed, the notice is no new message.
    await visit.panel.getByRole('button', { name: 'Chat schließen' }).click();
    await visit.page.reload();
    const closed = visit.page.getByRole('button', { name: 'Chat öffnen', exact: true });
    await closed.waitFor();
    await visit.page.waitForTimeout(1_500);
    await closed.click();
    await notice.waitFor();
    await agent.admin.graphql(CLOSE, { id: await takeOver() });
    await notice.waitFor({ state: 'hidden' });
    await reopen();
    expect(visit.faults).toEqual([]);
  });

  browserTest('a reply and a handoff continue after every connection was lost', async () => {
    const { port } = new URL(site.gateway.url);
    const wire = await startForwarder('127.0.0.1', Number(port));
    let release = () => {};
    site.provider.on('fragile', async (response) => {
      response.text('The first half ');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      response.text('and the second.').finish();
    });
    const visit = await site.open({ attributes: tag(), service: `http://127.0.0.1:${wire.port}` });
    await visit.launcher.click();
    await visit.ask('a fragile question');
    await visit.messages.getByText('The first half').waitFor();
    await wire.cut();
    await visit.panel.getByText('The connection was lost. Reconnecting…').waitFor();
    release();
    await wire.restore();
    await visit.messages.getByText('The first half and the second.').waitFor();
    await visit.panel.getByText('The connection was lost.').waitFor({ state: 'detached' });

    const id = await takeOver();
    await visit.messages.getByText(/joined the conversation/).waitFor();
    // Nobody asked for a person, so the widget does not say so.
    expect(await visit.messages.getByText(/The team has been asked/).count()).toBe(0);
    await wire.cut();
    await agent.admin.graphql(SEND_OPERATOR, { id, text: 'Sent while you were away.' });
    // A message without a connection is sent once, when it is back.
    await visit.ask('Written offline.');
    await visit.panel.getByText('The connection was lost. Reconnecting…').waitFor();
    await wire.restore();
    await visit.messages.getByText('Sent while you were away.').waitFor();
    const stored = async () => {
      const { conversation } = await agent.admin
        .graphql('query ($id: ID!) { handoff(id: $id) { conversation { messages { nodes { text } } } } }', { id })
        .then(({ handoff }) => handoff);
      return conversation.messages.nodes.filter(({ text }: { text: string }) => text === 'Written offline.').length;
    };
    await until(async () => (await stored()) > 0);
    await visit.panel.getByText('The connection was lost.').waitFor({ state: 'detached' });
    expect([await stored(), await visit.messages.getByText('Written offline.').count()]).toEqual([1, 1]);
    await visit.context.close();
    await wire.cut();
  });

  browserTest('on a slow network the button comes first, and a reply appears while it is streamed', async () => {
    const visit = await site.open({ attributes: tag() });
    const network = await visit.context.newCDPSession(visit.page);
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 25_000,
      uploadThroughput: 10_000,
    });
    await visit.page.reload();
    await visit.launcher.click();
    await visit.ask('hello over there');
    await visit.messages.getByText('Echo: hello over there').waitFor();
    expect(visit.faults).toEqual([]);
  });

  browserTest('a refused message says how long to wait, and is sent by a retry', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    let refusals = 0;
    await visit.page.route('**/chat', (route) => {
      refusals += 1;
      if (refusals > 2) return route.continue();
      const headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After', 'retry-after': '3' };
      return route.fulfill({
        status: refusals === 1 ? 429 : 503,
        headers,
        json: { success: false, message: 'Rate limit exceeded' },
      });
    });
    await visit.ask('hello');
    await visit.panel
      .getByRole('alert')
      .getByText(/Too many messages\. Wait \d seconds?\./)
      .waitFor();
    const retry = visit.messages.getByRole('button', { name: 'Try again' });
    expect(await retry.isDisabled()).toBe(true);
    await retry.click();
    await visit.panel.getByRole('alert').getByText('The service is not available at the moment.').waitFor();
    await retry.click();
    await visit.messages.getByText('Echo: hello').waitFor();
    // The button that had the focus is removed.
    expect(await visit.hasFocus()).toBe(true);
    expect(await visit.messages.getByText('hello', { exact: true }).count()).toBe(1);
    expect(await visit.panel.getByRole('alert').count()).toBe(0);
  });

  browserTest('a visitor talks by voice over WebRTC to the session that the token names', async () => {
    const visit = await site.open({ attributes: tag(), permissions: ['microphone'] });
    const provider = await visit.context.newPage();
    // Another page of the browser stands in for the provider: it answers the offer and speaks over the data channel.
    const answer = (sdp: string) =>
      provider.evaluate(async (offer) => {
        const peer = new RTCPeerConnection();
        Object.assign(window, { peer });
        peer.ontrack = ({ track }) => Object.assign(window, { heard: track.kind });
        peer.ondatachannel = ({ channel }) => {
          const transcript = JSON.stringify({
            type: 'response.output_audio_transcript.done',
            transcript: 'Hello, I am listening.',
          });
          channel.onopen = () => channel.send(transcript);
        };
        await peer.setRemoteDescription({ type: 'offer', sdp: offer });
        await peer.setLocalDescription(await peer.createAnswer());
        await new Promise<void>((resolve) => {
          peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
          if (peer.iceGatheringState === 'complete') resolve();
        });
        return peer.localDescription!.sdp;
      }, sdp);
    const calls: (string | undefined)[] = [];
    await visit.page.route(`${site.provider.url}/realtime/calls`, async (route) => {
      const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' };
      if (route.request().method() === 'OPTIONS') return route.fulfill({ status: 204, headers });
      calls.push(route.request().headers().authorization);
      return route.fulfill({
        status: 201,
        headers,
        contentType: 'application/sdp',
        body: await answer(route.request().postData()!),
      });
    });
    await visit.launcher.click();
    await visit.panel.getByRole('button', { name: 'Talk', exact: true }).click();
    await visit.panel.getByText('Hello, I am listening.').waitFor();
    expect(calls).toEqual(['Bearer ek_test']);
    expect(await provider.evaluate('heard')).toBe('audio');
    await visit.panel.getByRole('button', { name: 'Mute the microphone' }).click();
    await visit.panel.getByRole('button', { name: 'Unmute the microphone', pressed: true }).waitFor();
    await visit.panel.getByRole('button', { name: 'End the call' }).click();
    await visit.panel.getByRole('button', { name: 'Talk', exact: true }).waitFor();
    expect(site.provider.sessions).toHaveLength(1);
  });
}
